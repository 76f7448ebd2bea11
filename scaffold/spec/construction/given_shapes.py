"""Dims that the constructor reads off the arrays that it is given."""

from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.model import Field, ModuleSpec, once
from scaffold.spec.source.expressions import assigned_names


@once
def fields_with_shapes(spec: ModuleSpec) -> tuple[Field, ...]:
    """The fields whose argument certainly is an array of the declared shape."""
    retyped = {one.name for one in spec.arguments if one.type is not None} | set(assigned_names(spec.setup))
    stored = spec.stored if spec.own_constructor is None else ()
    return tuple(one for one in stored if one.given and one.name not in retyped and _keeps_shape(one))


def _keeps_shape(field: Field) -> bool:
    is_turned = field.converter or field.preprocess or field.optional or field.nullable
    return field.array is not None and not is_turned and all(dim[0] != "*" for dim in field.array.dims)


@once
def dims_read_off(spec: ModuleSpec) -> dict[str, str]:
    """Each dim that a given array has, and the first field that has it.

    A dim that is a field or an argument as well is what the caller says.
    """
    taken = {*assigned_names(spec.setup), *(one.name for one in (*spec.fields, *spec.arguments))}
    owners: dict[str, str] = {}
    for field in fields_with_shapes(spec):
        for dim in plain_dims(field.array):
            if dim not in taken:
                owners.setdefault(dim, field.name)
    return owners


def plain_dims(array: ArrayType | None) -> tuple[str, ...]:
    """The dims that are a name alone, each once."""
    return tuple(dict.fromkeys(dim for dim in array.dims if dim.isidentifier())) if array else ()
