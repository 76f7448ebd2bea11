"""Dims in the annotations of a call's arguments, and sizes to try for them."""

import inspect
import re
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..building.budget import combinations
from ..values.annotations import is_shaped
from ..values.sizes import Sizes, foreign_sizes, named_dims, named_sizes


def sizes_of_dims(
    instance: Any, held: Sequence[int], dims: Iterable[str], last: Iterable[str] = ()
) -> Iterator[Sizes]:
    """Yield sizes for dims: sizes that the instance names, and several choices for the other dims.

    A choice takes foreign sizes or sizes that the instance holds. After the first choice, all `last` dims get
    a common size that the instance holds.
    """
    known, foreign = named_sizes(instance), foreign_sizes(held)
    every = [*dict.fromkeys(dims)]
    known |= {
        dim: known[name] for dim in every if dim not in known for name in inputs_of(dim) if name in known
    }
    free = [dim for dim in every if dim not in known]
    lists = [list(dict.fromkeys([foreign[place % 6], *held, *foreign[:3]])) for place in range(len(free))]
    choices = [
        {dim: sizes[place] for dim, sizes, place in zip(free, lists, places, strict=True)}
        for places in (combinations(lists, 100) if free else [()])
    ]
    features = [dim for dim in free if dim in {*last}]
    alike = [{**choices[0], **dict.fromkeys(features, size)} for size in held[:4] if len(features) > 1]
    for chosen in (*choices[:1], *alike, *choices[1:]):
        yield Sizes({**known, **chosen}, held)


def columns_first(shapes: Sequence[Sequence[str]]) -> list[str]:
    """Sort dims so that rows of matrices come last.

    Sizes grow in this order, so a matrix gets more rows than columns.
    """
    words = [dim for shape in shapes for dim in shape]
    rows = {shape[0] for shape in shapes if len(shape) == 2} - {
        shape[-1] for shape in shapes if len(shape) == 2
    }
    return sorted(words, key=lambda dim: dim in rows)


def inputs_of(dim: str) -> tuple[str, ...]:
    """Return attribute names for an input size, such as `in_channels` for the dim `channels`."""
    return f"in_{dim}", f"input_{dim}", f"{dim}_in"


def last_dims_of(wanted: Sequence[inspect.Parameter]) -> set[str]:
    """Return the last dim of each annotation."""
    return {dims[-1] for parameter in wanted if (dims := dims_of([parameter]))}


def dims_of(wanted: Sequence[inspect.Parameter]) -> list[str]:
    """Return the named dims of annotations, in order."""
    dims: list[str] = []
    for parameter in wanted:
        for kind in typing.get_args(parameter.annotation) or (parameter.annotation,):
            text = named_dims(kind.dim_str) if is_shaped(kind) else ""
            dims += [
                word for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"[*#?]\w+", "", text)) if word != "_"
            ]
    return list(dict.fromkeys(dims))
