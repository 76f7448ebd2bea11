"""Numbers that a constructor refuses, and sizes that example values show.

It refuses numbers by `if width % 2 == 0: raise`, by `assert`, or by the `check` of a field.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scaffold.source.expressions import expression_or_none, nodes_of, parsed
from scaffold.source.instance import last_name
from scaffold.source.lists import created_shape
from scaffold.source.taken_sizes import is_paired
from scaffold.spec.construction.arithmetic import evaluate, measured, solved
from scaffold.spec.construction.constructor import dims_of, parameters, sources_of
from scaffold.spec.construction.local_sizes import sizes_written
from scaffold.spec.grammar.types import (
    LARGEST,
    ArrayType,
    ClassType,
    TupleType,
    Type,
    first_member,
    members_of,
    walk,
)
from scaffold.spec.grammar.values import PAIRED, example_ints, literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

FLOATS = (0.3, 1.5, 0.03, 3.0, 30.0, 0.003)
"""Examples of a float. The tests take the first that no guard refuses."""


_ENTRIES = (2, 1, 3, 4)
"""Lengths for the example of a tuple or list. The tests take the first that no guard refuses."""
_UNEQUAL = r"(?:([A-Za-z_]\w*) != (\d+)|(\d+) != ([A-Za-z_]\w*))"
_SIZE = r"(?<![\w.])(len\(\w+\)|\w+\.shape\[-?\d+\]|\w+)(?![\w.(\[])"
"""A pattern for the size of an axis as a constructor writes it."""
_LEN = r"\blen\((?:self\.)?(\w+)\)"


def is_refused(spec: ModuleSpec, numbers: Mapping[str, float]) -> bool:
    """Whether the constructor raises for these numbers, as far as arithmetic tells."""
    return any(measured(condition, numbers) for condition in _conditions(spec))


def required_sizes(spec: ModuleSpec) -> dict[str, str]:
    """Return the only number that the constructor accepts for some sizes.

    If `len(modes) != dims` raises and `modes` has two entries, `dims` is 2.
    """
    matches = filter(None, (re.fullmatch(_UNEQUAL, condition) for condition in _conditions(spec)))
    parts = (match.groups() for match in matches)
    return {name or other: number or last for name, number, last, other in parts}


def taken_float(spec: ModuleSpec, name: str, numbers: Mapping[str, float]) -> float:
    """Return an example of a float that the constructor accepts beside other numbers, if there is any."""
    taken = (value for value in FLOATS if not is_refused(spec, {**numbers, name: value}))
    return next(taken, FLOATS[0])


@once
def _conditions(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the conditions on the constructor's arguments that must not hold."""
    checks = tuple(f"not ({field.check})" for field in spec.fields if field.check)
    conditions = conditions_of_constructor(spec)
    lengths = _lengths(spec) if conditions else {}
    dims = sizes_written(spec) if conditions else {}
    written = {text: dim if dim.isidentifier() else f"({dim})" for text, dim in dims.items()}

    def counted(condition: str) -> str:
        counts = re.sub(_LEN, lambda call: lengths.get(call[1], call[0]), condition)
        return re.sub(_SIZE, lambda size: written.get(size[0], size[0]), counts)

    return (*checks, *map(counted, conditions), *spec.refused_by_parts)


def conditions_of_parts(spec: ModuleSpec, known: Mapping[str, ModuleSpec], *seen: str) -> Iterator[str]:
    """Yield the conditions on dims of a class under which a class that it holds raises, at any depth.

    A dim of both classes has one size.
    """
    dims = {*dims_of(spec)}
    kinds = (part for field in spec.stored for part in walk(field.type) if isinstance(part, ClassType))
    names = dict.fromkeys(kind.name for kind in kinds if kind.module is None and kind.name in known)
    for part in (known[name] for name in names if dims and name not in seen):
        for condition in (*_conditions(part), *conditions_of_parts(part, known, *seen, part.name)):
            if not dims.isdisjoint(name.id for name in nodes_of(ast.Name, parsed(condition))):
                yield condition


@once
def conditions_of_constructor(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the conditions under which statements of the constructor raise."""
    if "raise" not in spec.making and "assert" not in spec.making:
        return ()
    return tuple(map(ast.unparse, refused_conditions(parsed(spec.making))))


def is_asked_alone(spec: ModuleSpec, name: str) -> bool:
    """Whether each guard that reads an argument reads this argument alone."""
    taken = {parameter.name for parameter in parameters(spec)}
    trees = map(parsed, conditions_of_constructor(spec))
    read = (taken.intersection(part.id for part in nodes_of(ast.Name, tree)) for tree in trees)
    return all(names == {name} for names in read if name in names)


def _lengths(spec: ModuleSpec) -> dict[str, str]:
    """Return the number of entries in the example of each tuple argument."""
    firsts = ((each.name, first_member(each.type)) for each in parameters(spec))
    tuples = ((name, kind) for name, kind in firsts if isinstance(kind, TupleType))
    return {
        name: str(count_of_entries(spec, name) if kind.variadic else len(kind.items)) for name, kind in tuples
    }


def count_of_entries(spec: ModuleSpec, name: str) -> int:
    """Return the number of entries in the example of a tuple or list of any length.

    If `len(name) != 1` raises, the number is 1. If code reads neighbours together, it is 3 where possible.
    """
    said = [condition for condition in conditions_of_constructor(spec) if name in re.findall(_LEN, condition)]

    def is_taken(count: int) -> bool:
        return not any(measured(re.sub(_LEN, str(count), condition), {}) for condition in said)

    sources = (spec.making, *(source for field in spec.fields for source in sources_of(field)))
    are_pairs = is_paired(name, *(parsed(source) for source in sources if name in source))
    return next(filter(is_taken, (*[PAIRED] * are_pairs, *_ENTRIES)), _ENTRIES[0])


def example_of_ints(spec: ModuleSpec, name: str, *, is_tuple: bool) -> tuple[int, ...]:
    """Return the example of a sequence of whole numbers."""
    return example_ints(count_of_entries(spec, name), is_tuple=is_tuple)


def refused_conditions(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the conditions under which statements of a tree raise."""
    for node in nodes_of(ast.stmt, tree):
        match node:
            case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                yield test
            case ast.Assert(test=test):
                yield ast.UnaryOp(ast.Not(), test)
            case _:
                pass


_ARRAYS = ("array", "asarray")


def shown_by_values(spec: ModuleSpec) -> Iterator[tuple[str, int]]:
    """Yield the sizes of dims that example values show.

    A value shows its shape as a literal, or as a call such as `jnp.ones((2, 3))`.
    """
    for dims, shape in _shapes_shown(spec):
        single = dims[dims[0].startswith("*") :]
        sizes = shape[len(shape) - len(single) :]
        if len(sizes) == len(single):
            solutions = (solved(dim, str(size)) for dim, size in zip(single, sizes, strict=True))
            yield from ((dim, int(evaluate(size, {}))) for dim, size in filter(None, solutions))


def axes_shown(spec: ModuleSpec, name: str) -> tuple[int, ...] | None:
    """Return the sizes that `*name` has in an example value, or None if no value shows them."""
    shown = ((dims, shape) for dims, shape in _shapes_shown(spec) if dims[0] == f"*{name}")
    return next(
        (shape[: len(shape) - len(dims) + 1] for dims, shape in shown if len(shape) >= len(dims) - 1), None
    )


def _shapes_shown(spec: ModuleSpec) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Yield the dims of arrays whose example value shows a shape, each with the shape."""
    kinds = {parameter.name: parameter.type for parameter in (*spec.call_arguments, *parameters(spec))}
    given = ((kinds[name], source) for name, source in spec.test.values if name in kinds)
    for kind, source in (part for pair in given for part in _parts_given(*pair)):
        shape = _shape_of(literal_or_none(source)) or _made_shape(source)
        members = members_of(kind) if kind is not None else ()
        dims = next((member.dims for member in members if isinstance(member, ArrayType)), ())
        if dims and shape and (dims[0].startswith("*") or len(dims) == len(shape)):
            yield dims, shape


def _parts_given(kind: Type | None, source: str) -> Iterator[tuple[Type | None, str]]:
    """Yield a type with its value, or for a tuple display each entry with its type."""
    match kind, expression_or_none(source):
        case TupleType(items=items, variadic=False), ast.Tuple(elts=parts) if len(items) == len(parts):
            for item, part in zip(items, parts, strict=True):
                yield from _parts_given(item, ast.unparse(part))
        case _:
            yield kind, source


def _shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of nested lists or tuples of numbers, or `()` for anything else."""
    parts = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return (len(parts), *_shape_of(parts[0])) if parts else ()


def _made_shape(source: str) -> tuple[int, ...]:
    """Return the shape of an array that a call makes, such as `jnp.ones((2, 3))`, or `()`."""
    call = expression_or_none(source)
    if isinstance(call, ast.Call) and last_name(call) in _ARRAYS and call.args:
        return _shape_of(literal_or_none(ast.unparse(call.args[0])))
    dims = created_shape(call, ast.unparse) if isinstance(call, ast.Call) else None
    return tuple(map(int, dims)) if dims and all(map(is_size, dims)) else ()


def is_size(source: str) -> bool:
    """Whether a text is a size: a whole number above 0."""
    return source.isascii() and source.isdigit() and 0 < int(source) < LARGEST
