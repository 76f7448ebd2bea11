"""Numbers that a constructor refuses: `if width % 2 == 0: raise ValueError(...)`, `assert depth > 1`, a `check` of a field; and sizes that examples show."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scaffold.source.expressions import expression_or_none, nodes_of, parsed
from scaffold.source.instance import last_name
from scaffold.source.lists import created_shape
from scaffold.spec.construction.arithmetic import evaluate, measured, solved
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.construction.local_sizes import sizes_written
from scaffold.spec.grammar.types import LARGEST, ArrayType, TupleType, Type, first_member, members_of
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

FLOATS = (0.3, 1.5, 0.03, 3.0, 30.0, 0.003)
"""Examples of floats, of which the first is taken that no guard refuses."""


_ENTRIES = (2, 1, 3, 4)
"""How many entries the example of a tuple or a list of any length may have, of which the first is taken that no guard refuses."""
_UNEQUAL = r"(?:([A-Za-z_]\w*) != (\d+)|(\d+) != ([A-Za-z_]\w*))"
_SIZE = r"(?<![\w.])(len\(\w+\)|\w+\.shape\[-?\d+\]|\w+)(?![\w.(\[])"
"""How a constructor writes the size of an axis."""
_LEN = r"\blen\((?:self\.)?(\w+)\)"


def is_refused(spec: ModuleSpec, numbers: Mapping[str, float]) -> bool:
    """Whether the constructor raises with these numbers, as far as arithmetic tells."""
    return any(measured(condition, numbers) for condition in _conditions(spec))


def required_sizes(spec: ModuleSpec) -> dict[str, str]:
    """The one number that the constructor takes for each of some sizes: 2 where `len(modes) != dims` raises for two modes."""
    matches = filter(None, (re.fullmatch(_UNEQUAL, condition) for condition in _conditions(spec)))
    parts = (match.groups() for match in matches)
    return {name or other: number or last for name, number, last, other in parts}


def taken_float(spec: ModuleSpec, name: str, numbers: Mapping[str, float]) -> float:
    """An example of a float beside numbers that others have: one that the constructor takes, where there is any."""
    taken = (value for value in FLOATS if not is_refused(spec, {**numbers, name: value}))
    return next(taken, FLOATS[0])


@once
def _conditions(spec: ModuleSpec) -> tuple[str, ...]:
    """What must not hold of the arguments of the constructor."""
    checks = tuple(f"not ({field.check})" for field in spec.fields if field.check)
    conditions = conditions_of_constructor(spec)
    lengths = _lengths(spec) if conditions else {}
    dims = sizes_written(spec) if conditions else {}
    written = {text: dim if dim.isidentifier() else f"({dim})" for text, dim in dims.items()}

    def counted(condition: str) -> str:
        counts = re.sub(_LEN, lambda call: lengths.get(call[1], call[0]), condition)
        return re.sub(_SIZE, lambda size: written.get(size[0], size[0]), counts)

    return (*checks, *map(counted, conditions))


@once
def conditions_of_constructor(spec: ModuleSpec) -> tuple[str, ...]:
    """The conditions under which statements of the constructor raise."""
    if "raise" not in spec.making and "assert" not in spec.making:
        return ()
    return tuple(map(ast.unparse, refused_conditions(parsed(spec.making))))


def is_asked_alone(spec: ModuleSpec, name: str) -> bool:
    """Whether no condition under which the constructor raises reads an argument beside others, of which it may take one alone."""
    taken = {parameter.name for parameter in parameters(spec)}
    trees = map(parsed, conditions_of_constructor(spec))
    read = (taken.intersection(part.id for part in nodes_of(ast.Name, tree)) for tree in trees)
    return all(names == {name} for names in read if name in names)


def _lengths(spec: ModuleSpec) -> dict[str, str]:
    """How many entries the example of each argument has that is a tuple or a list, or may be one."""
    firsts = ((each.name, first_member(each.type)) for each in parameters(spec))
    tuples = ((name, kind) for name, kind in firsts if isinstance(kind, TupleType))
    return {
        name: str(count_of_entries(spec, name) if kind.variadic else len(kind.items)) for name, kind in tuples
    }


def count_of_entries(spec: ModuleSpec, name: str) -> int:
    """How many entries the example of an argument has that is a tuple or a list of any length: one where `len(name) != 1` raises."""
    said = [condition for condition in conditions_of_constructor(spec) if name in re.findall(_LEN, condition)]

    def is_taken(count: int) -> bool:
        return not any(measured(re.sub(_LEN, str(count), condition), {}) for condition in said)

    return next(filter(is_taken, _ENTRIES), _ENTRIES[0])


def refused_conditions(tree: ast.AST) -> Iterator[ast.expr]:
    """The conditions under which statements raise."""
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
    """The sizes of dims that example values of arrays show, where these are literals or say how many numbers jax makes."""
    for dims, shape in _shapes_shown(spec):
        single = dims[dims[0].startswith("*") :]
        sizes = shape[len(shape) - len(single) :]
        if len(sizes) == len(single):
            solutions = (solved(dim, str(size)) for dim, size in zip(single, sizes, strict=True))
            yield from ((dim, int(evaluate(size, {}))) for dim, size in filter(None, solutions))


def axes_shown(spec: ModuleSpec, name: str) -> tuple[int, ...] | None:
    """The sizes for which `*name` stands in an example value, before the axes that its other dims are; None where none shows it."""
    shown = ((dims, shape) for dims, shape in _shapes_shown(spec) if dims[0] == f"*{name}")
    return next(
        (shape[: len(shape) - len(dims) + 1] for dims, shape in shown if len(shape) >= len(dims) - 1), None
    )


def _shapes_shown(spec: ModuleSpec) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The dims of arrays of which an example value says the shape, with that."""
    kinds = {parameter.name: parameter.type for parameter in (*spec.call_arguments, *parameters(spec))}
    given = ((kinds[name], source) for name, source in spec.test.values if name in kinds)
    for kind, source in (part for pair in given for part in _parts_given(*pair)):
        shape = _shape_of(literal_or_none(source)) or _made_shape(source)
        members = members_of(kind) if kind is not None else ()
        dims = next((member.dims for member in members if isinstance(member, ArrayType)), ())
        if dims and shape and (dims[0].startswith("*") or len(dims) == len(shape)):
            yield dims, shape


def _parts_given(kind: Type | None, source: str) -> Iterator[tuple[Type | None, str]]:
    """What a value gives of a type: of a tuple that is written out, each entry."""
    match kind, expression_or_none(source):
        case TupleType(items=items, variadic=False), ast.Tuple(elts=parts) if len(items) == len(parts):
            for item, part in zip(items, parts, strict=True):
                yield from _parts_given(item, ast.unparse(part))
        case _:
            yield kind, source


def _shape_of(value: Any) -> tuple[int, ...]:
    """The shape of nested lists or tuples of numbers; () of anything else."""
    parts = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return (len(parts), *_shape_of(parts[0])) if parts else ()


def _made_shape(source: str) -> tuple[int, ...]:
    """The shape of `jnp.linspace(0.1, 0.4, 6)`, `jnp.ones((2, 3))` and `jnp.array([[1, 2]])`; () of anything else."""
    call = expression_or_none(source)
    if isinstance(call, ast.Call) and last_name(call) in _ARRAYS and call.args:
        return _shape_of(literal_or_none(ast.unparse(call.args[0])))
    dims = created_shape(call, ast.unparse) if isinstance(call, ast.Call) else None
    return tuple(map(int, dims)) if dims and all(map(is_size, dims)) else ()


def is_size(source: str) -> bool:
    """Whether a text is a size: a whole number above 0."""
    return source.isascii() and source.isdigit() and 0 < int(source) < LARGEST
