"""Sizes of dims that only methods name, from code: `seen` is `3*channels` if a layer takes so many."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from scaffold.source.definitions import annotated_names, arguments_of, dims_written, method_of
from scaffold.source.expressions import nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.grammar.named_dims import ROWS
from scaffold.spec.grammar.types import dim_names, with_sizes
from scaffold.spec.skeletons.shapes.algebra.sums import are_equal, shares
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.layers.given_layers import given_layers, ties_of_given
from scaffold.spec.skeletons.shapes.layers.layers import Makers
from scaffold.spec.skeletons.shapes.overrides import bases_of_file

_ROUNDS = 3
"""Number of times that the pairs are read, since a pair may need the tie of a later pair."""
Known = Mapping[str, Mapping[str, str]]
"""Ties of other classes, by class and dim."""
_MULTIPLE = re.compile(r"(\d+)\*(\w+)")


def may_have_ties(owner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Whether code may tie dims: of methods, of records, of given layers, or of several given arrays."""
    written = {dim for node in (owner, *bases_of_file(owner, classes)) for dim in dims_written(node)}
    are_named = not bound_names(owner) >= written
    return (
        are_named
        or any(records_taken(owner, classes))
        or len(_dims_given(owner)) > 1
        or any(given_layers(owner))
    )


def _dims_given(owner: ast.ClassDef) -> list[str]:
    """Return the dims of the arrays that a class without an `__init__` is given, in order."""
    fields: list[ast.stmt] = [field for _, field in annotated_names(owner.body)]
    return [] if method_of(owner, "__init__") else dims_written(ast.Module(fields, []))


def bound_names(owner: ast.ClassDef) -> set[str]:
    """Return the names with a size before any method runs: dims of fields, and constructor arguments."""
    fields = (field.annotation for _, field in annotated_names(owner.body))
    maker = method_of(owner, "__init__") or method_of(owner, "create")
    names = [dim for annotation in fields for dim in dims_written(annotation)]
    if maker is not None:
        names += [argument.arg for argument in arguments_of(maker)] + dims_written(maker.args)
    return {*names}


def ties_of(owner: ast.ClassDef, shapes: Shapes) -> dict[str, str]:
    """Map dims of methods' arguments and results to their sizes, as arithmetic with bound names.

    A dim with two sizes in the code has no tie: it stands for several, or was misread.
    """
    bound = bound_names(owner)
    given = _dims_given(owner)
    pairs = [_without_factor(*met) for met in shapes.met]
    ties: dict[str, str] = {}
    pairs = [share for pair in pairs for share in _shared(*pair, bound)]
    for left, right in pairs * _ROUNDS:
        sides = with_sizes(left, ties), with_sizes(right, ties)
        for dim, size in (sides, sides[::-1]):
            is_free = dim.isidentifier() and not dim.startswith(ROWS) and dim not in bound
            if (is_free or _stands_behind(dim, size, given)) and bound.issuperset(dim_names(size)):
                ties[dim] = size
                break
    doubtful = {*_doubtful(ties, pairs)}
    # An image is longer than its kernel, each axis by another number, so that the kernel fits.
    windows = (pair for pair in shapes.windows.items() if pair[0].isidentifier() and pair[0] not in bound)
    longer = {dim: f"{size}+{place}" for place, (dim, size) in enumerate(windows, 1)}
    return {**longer, **{dim: size for dim, size in ties.items() if dim not in doubtful}}


def _stands_behind(dim: str, size: str, given: list[str]) -> bool:
    """Whether both sizes are dims of given arrays, and `dim` is named after `size`."""
    return dim in given and size in given and given.index(size) < given.index(dim)


def _shared(left: str, right: str, bound: set[str]) -> list[tuple[str, str]]:
    """Return the pair of two sizes, or the pairs of the terms if either size is a sum."""

    def is_free(dim: str) -> bool:
        return dim.isidentifier() and dim not in bound

    return shares(left, right, is_free) or shares(right, left, is_free) or [(left, right)]


def _doubtful(ties: dict[str, str], pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the dims for which the pairs say two different sizes."""
    for left, right in pairs:
        sides = (with_sizes(with_sizes(side, ties), ties) for side in (left, right))
        if not are_equal(*sides):
            yield from (dim for dim in ties if dim in (*dim_names(left), *dim_names(right)))


def _without_factor(left: str, right: str) -> tuple[str, str]:
    """Return two sizes without a factor that both have: `n` and `m` of `3*n` and `3*m`."""
    first, second = _MULTIPLE.fullmatch(left), _MULTIPLE.fullmatch(right)
    return (first[2], second[2]) if first and second and first[1] == second[1] else (left, right)


def _ties_of_parts(
    owner: ast.ClassDef, beside: Mapping[str, ast.ClassDef], known: Known
) -> Iterator[tuple[str, str]]:
    """Yield dims of records that methods take, with the size that a part made in `__init__` ties."""
    maker = method_of(owner, "__init__")
    if maker is None:
        return
    dims = {dim for name in records_taken(owner, beside) for dim in dims_written(beside[name])}
    for call in nodes_of(ast.Call, maker) if dims else ():
        part = beside.get(last_name(call))
        if part is not None and part.name in known:
            built_by = method_of(part, "__init__")
            names = [each.arg for each in arguments_of(built_by)] if built_by is not None else []
            given = Makers({each.arg for each in arguments_of(maker)}, {}).given(call, names)
            for dim in sorted(dims.intersection(known[part.name])):
                size = known[part.name][dim]
                if all(given.get(name) for name in dim_names(size)):
                    yield dim, with_sizes(size, given)


def records_taken(owner: ast.ClassDef, beside: Collection[str]) -> Iterator[str]:
    """Yield the classes of the file of which methods take instances."""
    arguments = (each for method in nodes_of(ast.FunctionDef, *owner.body) for each in arguments_of(method))
    names = (last_name(each.annotation) for each in arguments if each.annotation)
    return (name for name in names if name in beside)


def tests_with_ties(
    test: Mapping[str, Any],
    owner: ast.ClassDef,
    shapes: Shapes,
    beside: Mapping[str, ast.ClassDef],
    known: Known,
) -> dict[str, Any]:
    """Add the ties that code implies to the test table of a class, below the author's own.

    `beside` has the classes of the file, and `known` the ties of classes above.
    """
    own = {**ties_of_given(owner, shapes), **ties_of(owner, shapes), **test.get("ties", {})}
    ties = {**dict(_ties_of_parts(owner, beside, known)), **own}
    empty: dict[str, Any] = {name: [] for name in sorted(shapes.empty.intersection(dims_written(owner)))}
    sizes = {**empty, **test.get("sizes", {})}
    return {**test, **({"ties": ties} if ties else {}), **({"sizes": sizes} if sizes else {})}
