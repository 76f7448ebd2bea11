"""Checks of arrays: a constructor runs under `jit` as well, where an array has a shape and a dtype, and no values."""

import ast
from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.spec.model import ModuleSpec

_FORM = {"shape", "ndim", "size", "dtype", "itemsize", "nbytes"}
"""What an array has without its values, as attributes and as functions of jax.numpy."""
_ASKS_FOR_FORM = _FORM | {"len", "isinstance", "type", "result_type", "iscomplexobj", "isrealobj", "is_array"}


def checks_of_values(spec: ModuleSpec) -> Iterator[Fault]:
    """Checks that ask for the values of arrays, which fail under `jit`."""
    arrays = {field.name for field in spec.dynamic if field.array is not None}
    for field in spec.fields:
        read = _by_value(ast.parse(field.check.strip(), mode="eval"), arrays) if field.check else ()
        for name in dict.fromkeys(read):
            fix = (
                "ask for its shape, or refuse values where the array is given, which holds there too: "
                f"`preprocess = \"eqx.error_if({name}, {name} <= 0, '...')\"`"
            )
            place = f"fields.{field.name}.check"
            yield Fault(place, f"asks for the values of `{name}`, and under `jit` an array has none", fix)


def _by_value(node: ast.AST, arrays: set[str]) -> Iterator[str]:
    """The arrays of which an expression needs more than their form."""
    match node:
        case ast.Attribute(attr=attr) if attr in _FORM:
            return
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ASKS_FOR_FORM:
            return
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name) if name in arrays:
            yield name
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _by_value(child, arrays)
