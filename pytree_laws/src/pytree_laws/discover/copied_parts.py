"""Parts that a constructor copies to another attribute, as a target network begins."""

import itertools
from collections.abc import Sequence
from typing import Any

from ..inspect.arrays import same_bits
from ..inspect.trees import named_arrays
from ..trace.drawn_keys import is_one_draw
from ..trace.jaxprs import NEEDS_VALUES


def is_copied_module(subject: Any, name: str, twin: str) -> bool:
    """Whether the constructor copies a whole module to another attribute, given a leaf in each."""
    names = [path.split(".") for path in (name, twin)]
    above = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*names))])
    roots = [".".join(path[: above + 1]) for path in names]
    if not all(len(path) > above + 1 and path[above].isidentifier() for path in names):
        return False  # arrays alone, or parts of one list, as `layers.0` and `layers.1`
    held = subject.named(subject.cached_instance())
    part, other = (
        {p.removeprefix(root): v for p, v in held.items() if p.startswith(f"{root}.")} for root in roots
    )
    is_equal = part.keys() == other.keys() and all(same_bits(v, other[path]) for path, v in part.items())
    try:
        return is_equal and is_one_draw(subject.traced_build().jaxpr, drawn_fields(subject), (name, twin))
    except NEEDS_VALUES:
        return False


def is_copy_of_another(subject: Any, paths: Sequence[str]) -> bool:
    """Whether the leaves at these paths are copied from another part, or to it."""
    held = subject.named(subject.cached_instance())
    drawn = [path for path in paths if held[path].size > 1]
    twins = ((path, other) for path in drawn[:1] for other in held if other not in paths)
    alike = (pair for pair in twins if held[pair[0]].shape == held[pair[1]].shape)
    return any(is_copied_module(subject, *pair) for pair in alike)


def drawn_fields(subject: Any) -> list[str]:
    """List the paths of the arrays of an instance, in the order of the constructor's trace."""
    names = list(dict(named_arrays(subject.to_tree(subject.cached_instance())[0])))
    return [name.removesuffix(".value") for name in names] if subject.is_mutable else names
