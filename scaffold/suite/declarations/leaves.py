"""Leaves that the tests of a class declare, such as `Leaf("weight", "param", (3, 2))`."""

import ast
from collections.abc import Iterator, Sequence

from scaffold.passes.reached import stops_field
from scaffold.spec.construction.constructor import keeps_made_dtype
from scaffold.spec.fields.training import ALWAYS
from scaffold.spec.grammar.types import (
    ArrayType,
    DictType,
    ListType,
    OpaqueType,
    ScalarType,
    TreeType,
    Type,
    is_array,
    is_tree,
)
from scaffold.spec.model import Field
from scaffold.suite.examples.declared import (
    dtype_as_built,
    dtype_as_made,
    dtype_of_all,
    python_value,
    spread_of,
    value_of,
)
from scaffold.suite.examples.subject import Subject


def leaf_rows(subject: Subject) -> list[str]:
    """Return the source of each declared leaf, in order."""
    rows = [
        _leaf(subject, field, (place + path, kind))
        for place, field in subject.facts.placed
        if (field.dynamic or field.is_leaf) and field.role != "state" and not subject.is_absent(field)
        for path, kind in entries(subject, field)
    ]
    return rows + _unused_below(subject)


def _unused_below(subject: Subject) -> list[str]:
    """Return rows for the leaves of sub-modules that the spec declares unused."""
    paths = (name.partition(".") for name in subject.spec.test.unused)
    unused_paths = [f"{subject.facts.paths[root]}.{below}" for root, _, below in paths if below]
    return [_row([repr(path), '"param"', "unused=True"]) for path in unused_paths]


def entries(subject: Subject, field: Field) -> Iterator[tuple[str, Type]]:
    """Yield the paths under a field whose structure the example fixes, with their types."""
    kept = subject.is_kept_apart(field)
    holder = f"{field.name}_entries" if kept else field.name
    source = subject.inputs.get(field.name)
    is_open = is_tree(field.type) and field.role == "param"
    if source is None or not field.given or field.preprocess or field.converter or is_open:
        yield holder, field.type
        return
    preset = [name for name, _ in field.preset]
    for name, kind in _below(field.type, ast.parse(source, mode="eval").body, preset):
        if not (kept and name.removeprefix(".") in preset):
            yield holder + name, kind


def _below(kind: Type, example: ast.expr, preset: Sequence[str] = ()) -> Iterator[tuple[str, Type]]:
    """Yield the paths from a value down to its parts, as the example shows them, with their types."""
    match kind, example:
        case (DictType(item=item), ast.Dict(keys=keys, values=values)):
            shown = {ast.literal_eval(key): value for key, value in zip(keys, values, strict=True) if key}
            for name in sorted({*shown, *preset}):
                yield from ((f".{name}{rest}", part) for rest, part in _below(item, shown.get(name, example)))
        case (ListType(item=item), ast.List(elts=values) | ast.Tuple(elts=values)):
            for index, value in enumerate(values):
                yield from ((f".{index}{rest}", part) for rest, part in _below(item, value))
        case (TreeType() | OpaqueType(holds_arrays=True), ast.Dict(keys=keys, values=values)):
            for key, value in zip(keys, values, strict=True):
                name = ast.literal_eval(key) if key is not None else ""
                yield from ((f".{name}{rest}", part) for rest, part in _below(kind, value))
        case (TreeType() | OpaqueType(holds_arrays=True), ast.Tuple(elts=values) | ast.List(elts=values)):
            for index, value in enumerate(values):
                yield from ((f".{index}{rest}", part) for rest, part in _below(kind, value))
        case _:
            yield "", kind


def _leaf(subject: Subject, field: Field, entry: tuple[str, Type]) -> str:
    examples, (path, kind) = subject.examples, entry
    if field.is_leaf and not isinstance(field.type, ScalarType):
        return _row([repr(path), '"tree"'])
    if field.python_leaf or field.is_leaf:
        return _row([repr(path), '"python"', *python_value(field, subject.inputs), *_stopped(subject, field)])
    flag = "True" if field.frozen == ALWAYS else repr(field.frozen)
    frozen = [f"frozen={flag}"] if field.frozen else []
    if field.role == "module":
        return _row([repr(path), '"module"', *frozen])
    marks = ["unused=True"] * (field.name in subject.spec.test.unused) + frozen
    if not isinstance(kind, ArrayType):
        role = "tree" if field.role == "param" and not is_array(kind) else field.role
        dtype = [f"dtype={dtype}" for dtype in dtype_of_all(kind)]
        dtype = dtype_as_built(subject.spec, kind, field) if is_array(kind) and role == "param" else dtype
        return _row([repr(path), f'"{role}"', *dtype, *marks])
    role = "key" if kind.dtype == "key" else field.role
    if field.built:
        dtype = dtype_as_built(subject.spec, kind, field) if role == "param" else []
        return _row([repr(path), f'"{role}"', *dtype, *marks])
    shape = repr(examples.known_shape(kind))
    dtype = (
        dtype_as_built(subject.spec, kind, field) if keeps_made_dtype(field) else dtype_as_made(kind, field)
    )
    parts = [repr(path), f'"{role}"', shape, *dtype]
    value, spread = value_of(field, path), spread_of(examples, field)
    parts += [f"value={value}"] if value is not None else []
    parts += [f"std={float(f'{spread:.4g}')}"] if spread is not None else []
    return _row([*parts, *marks])


def _stopped(subject: Subject, field: Field) -> list[str]:
    """Return `stopped=True` if the call stops the gradient of an array in place of a number."""
    call = subject.spec.call
    is_number = field.type == ScalarType("float")
    return ["stopped=True"] if is_number and call and stops_field(subject.spec, call.body, field.name) else []


def _row(parts: list[str]) -> str:
    return f"Leaf({', '.join(parts)})"
