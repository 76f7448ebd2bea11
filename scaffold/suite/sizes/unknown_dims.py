"""Dims whose sizes only the constructor knows."""

from collections.abc import Iterable, Mapping

from scaffold.spec.construction.constructor import dims_of, parameters, reads, sources_of, variadic_dims
from scaffold.spec.construction.given_shapes import dims_read_off
from scaffold.spec.construction.made_dims import dims_of_arguments
from scaffold.spec.grammar.types import ClassType, Type, arrays, dim_names, walk
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once


@once
def unknown_dims(spec: ModuleSpec) -> frozenset[str]:
    """Return the dims of made arrays whose size no argument, no given array and no arithmetic tells."""
    called = dims_in(argument.type for _, function in spec.functions for argument in function.call.args)
    taken = parameters(spec)
    # What is made of an instance has the sizes of that, whatever a call is given.
    kinds = ((each.name, walk(each.type)) for each in taken if each.type is not None)
    instances = {name for name, parts in kinds if any(isinstance(part, ClassType) for part in parts)}
    read = ((field.type, name) for field in spec.stored for text in sources_of(field) for name in reads(text))
    computed = dims_in(kind for kind, name in read if name in instances)
    shown = (called - computed) | dims_in(parameter.type for parameter in taken)
    known = (
        {parameter.name for parameter in parameters(spec)}
        | dict(spec.test.sizes).keys()
        | variadic_dims(spec)
    )
    known |= dims_read_off(spec).keys() | dims_of_arguments(spec).keys()
    return frozenset(set(dims_of(spec)) - shown - known)


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
