"""Dims that the constructor reads off the arrays that it is given."""

from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.model import Field, ModuleSpec, once
from scaffold.spec.source.expressions import assigned_names


@once
def fields_with_shapes(spec: ModuleSpec) -> tuple[Field, ...]:
    """The fields whose argument certainly is an array of the declared shape."""
    retyped = {argument.name for argument in spec.arguments if argument.type is not None} | set(
        assigned_names(spec.setup)
    )
    stored = spec.stored if spec.own_constructor is None else ()
    return tuple(
        field for field in stored if field.given and field.name not in retyped and _keeps_shape(field)
    )


def _keeps_shape(field: Field) -> bool:
    is_turned = field.converter or field.preprocess or field.optional or field.nullable
    return field.array is not None and not is_turned and all(dim[0] != "*" for dim in field.array.dims)


@once
def dims_read_off(spec: ModuleSpec) -> dict[str, str]:
    """Each dim that a given array has, and the first field that has it.

    A dim that is a field or an argument as well is what the caller says.
    """
    taken = {*assigned_names(spec.setup), *(member.name for member in (*spec.fields, *spec.arguments))}
    owners: dict[str, str] = {}
    for field in fields_with_shapes(spec):
        for dim in plain_dims(field.array):
            if dim not in taken:
                owners.setdefault(dim, field.name)
    return owners


def plain_dims(array: ArrayType | None) -> tuple[str, ...]:
    """The dims that are a name alone, each once."""
    return tuple(dict.fromkeys(dim for dim in array.dims if dim.isidentifier())) if array else ()
