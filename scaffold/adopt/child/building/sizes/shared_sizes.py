"""Sizes of dims that constructor arguments share with each other, with docstrings and with parts."""

import inspect
from collections.abc import Mapping, Sequence

from ...classes.documented import documented
from ...values.annotations import is_shaped, known_parameters, union_members
from ...values.sizes import DIM, Sizes, named_dims


def shared_sizes(
    cls: type, parameters: Sequence[inspect.Parameter], dims: Mapping[str, str], known: Mapping[str, int]
) -> Sizes:
    """Assign sizes to the dims that several arguments share.

    Int arguments that are dims of arrays come first. Documented dims follow if a part from the same package
    names dims too.
    """
    sizes, package = Sizes(dict(known)), cls.__module__.partition(".")[0]
    kinds = [kind for parameter in parameters for kind in union_members(parameter.annotation)]
    of_arrays = [named_dims(kind.dim_str) for kind in kinds if is_shaped(kind)]
    shaped = " ".join([*of_arrays, *dims.values()])
    for name in (parameter.name for parameter in parameters if parameter.annotation is int):
        if name in DIM.findall(shaped):
            sizes.of(name)
    parts = [
        kind for kind in kinds if isinstance(kind, type) and kind.__module__.partition(".")[0] == package
    ]
    for word in DIM.findall(" ".join(dims.values())) if any(map(dims_named_by, parts)) else ():
        sizes.of(word)
    return sizes


def dims_named_by(cls: type) -> frozenset[str]:
    """Return the dims that docstrings and comments of a class give for its constructor arguments."""
    names = [parameter.name for parameter in known_parameters(cls, cls)]
    return frozenset(DIM.findall(" ".join(documented(cls, names).dims.values())))
