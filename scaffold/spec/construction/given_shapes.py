"""Dims that the constructor reads off the arrays that it is given."""

from collections.abc import Iterator

from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.source.expressions import assigned_names


def fields_with_shapes(spec: ModuleSpec) -> tuple[Field, ...]:
    """The fields whose argument certainly is an array of the declared shape; worked out once for a spec."""
    if "fields with shapes" not in spec.worked_out:
        spec.worked_out["fields with shapes"] = tuple(_fields_with_shapes(spec))
    return spec.worked_out["fields with shapes"]


def _fields_with_shapes(spec: ModuleSpec) -> Iterator[Field]:
    retyped = {one.name for one in spec.arguments if one.type is not None} | set(assigned_names(spec.setup))
    for field in spec.stored if spec.own_constructor is None else ():
        turned = field.converter or field.preprocess or field.optional or field.nullable
        dims = field.array.dims if field.array is not None else ("*",)
        if field.given and not (turned or field.name in retyped or any(one[0] == "*" for one in dims)):
            yield field


def dims_read_off(spec: ModuleSpec) -> dict[str, str]:
    """Each dim that a given array has, and the first field that has it; worked out once for a spec.

    A dim that is a field or an argument as well is what the caller says.
    """
    if "dims read off" not in spec.worked_out:
        spec.worked_out["dims read off"] = dict(_dims_read_off(spec))
    return spec.worked_out["dims read off"]


def _dims_read_off(spec: ModuleSpec) -> Iterator[tuple[str, str]]:
    taken = {*assigned_names(spec.setup), *(one.name for one in (*spec.fields, *spec.arguments))}
    for field in fields_with_shapes(spec):
        for dim in plain_dims(field.array):
            if dim not in taken:
                taken.add(dim)
                yield dim, field.name


def plain_dims(array: ArrayType | None) -> tuple[str, ...]:
    """The dims that are a name alone, each once."""
    return tuple(dict.fromkeys(dim for dim in array.dims if dim.isidentifier())) if array else ()
