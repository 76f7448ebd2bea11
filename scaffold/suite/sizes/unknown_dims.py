"""Dims whose sizes only the constructor knows."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from scaffold.source.expressions import dedented
from scaffold.source.instance import made_attributes
from scaffold.spec.construction.constructor import dims_of, parameters, reads, sources_of, variadic_dims
from scaffold.spec.construction.given_shapes import dims_read_off
from scaffold.spec.construction.made_dims import dims_of_arguments
from scaffold.spec.grammar.types import (
    ArrayType,
    ClassType,
    DictType,
    OpaqueType,
    Type,
    arrays,
    dim_names,
    walk,
    with_sizes,
)
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.once import once


@once
def unknown_dims(spec: ModuleSpec) -> frozenset[str]:
    """Return the dims of made arrays whose size no argument, no given array and no arithmetic tells."""
    factory = spec.test.factory
    given = (method.call.args for method in spec.methods if method.name == factory)
    taken = next(given, ()) if factory else parameters(spec)
    called = dims_in(argument.type for _, function in spec.functions for argument in function.call.args)
    if factory:  # an instance decides the dims of all that it holds
        called = (
            called - dims_in(field.type for field in spec.dynamic) if _states_shapes(spec) else set[str]()
        )
    # What is made of an instance or a dict has the sizes of that, whatever a call is given.
    kinds = ((each.name, walk(each.type)) for each in taken if each.type is not None)
    instances = {
        name for name, parts in kinds if any(isinstance(part, ClassType | DictType) for part in parts)
    }
    read = ((field.type, name) for field, text in _made(spec) for name in reads(text))
    computed = dims_in(kind for kind, name in read if name in instances)
    shown = (called - computed) | dims_in(parameter.type for parameter in taken)
    known = {parameter.name for parameter in taken} | dict(spec.test.sizes).keys() | variadic_dims(spec)
    known |= set[str]() if factory else dims_read_off(spec).keys() | dims_of_arguments(spec).keys()
    return frozenset(set(dims_of(spec)) - shown - known)


def _states_shapes(spec: ModuleSpec) -> bool:
    """Whether the class says the shapes of all arrays that it holds."""
    return not (spec.source or any(isinstance(field.type, OpaqueType) for field in spec.dynamic))


def _made(spec: ModuleSpec) -> Iterator[tuple[Field, str]]:
    """Yield the fields that the constructor makes, each with a source of its value."""
    yield from ((field, text) for field in spec.stored for text in sources_of(field))
    values = dict(made_attributes(dedented(spec.making))) if spec.own_constructor is not None else {}
    yield from ((field, ast.unparse(values[field.name])) for field in spec.stored if field.name in values)


@once
def sizes_of_build(spec: ModuleSpec) -> dict[str, str]:
    """Return the unknown dims that a built instance shows, each as source: `Net.small().order.shape[1]`."""
    unknown, build = unknown_dims(spec), spec.test.build
    arrays_held = (
        (field.name, field.type) for field in spec.dynamic if not (field.nullable or field.optional)
    )
    return {
        dim: f"{build}.{name}.shape[{axis}]"
        for name, kind in arrays_held
        if build and isinstance(kind, ArrayType) and all(dim[0] != "*" for dim in kind.dims)
        for axis, dim in enumerate(kind.dims)
        if dim in unknown
    }


def shape_source(spec: ModuleSpec, kind: ArrayType) -> str:
    """Return the shape of an array as source if a built instance shows all its dims, or an empty text."""
    sizes, names = sizes_of_build(spec), dims_in([kind])
    if not names or not names <= sizes.keys():
        return ""
    return f"({', '.join(with_sizes(dim, sizes) for dim in kind.dims)},)"


def dims_in(kinds: Iterable[Type | None]) -> set[str]:
    """Return the names of the dims in some types."""
    dims = (dim for kind in kinds if kind is not None for array in arrays(kind) for dim in array.dims)
    return {name for dim in dims for name in dim_names(dim)}


def dims_of_records(kind: Type | None, known: Mapping[str, ModuleSpec]) -> set[str]:
    """Return the dims of what the constructors of records in a type take."""
    return dims_in(argument.type for record in records_in(kind, known) for argument in parameters(record))


def records_in(kind: Type | None, known: Mapping[str, ModuleSpec]) -> list[ModuleSpec]:
    """Return the known classes in a type."""
    parts = [part for part in walk(kind) if isinstance(part, ClassType)] if kind is not None else []
    return [known[part.name] for part in parts if part.name in known]
