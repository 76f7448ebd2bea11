"""Buffers that gradients must not reach: those of a class, and those of the parts that it holds."""

from collections.abc import Iterator, Mapping

from scaffold.kind import kind_of
from scaffold.spec.grammar.types import ClassType, OpaqueType, arrays, is_tree
from scaffold.spec.model import ModuleSpec


def guarded_buffers(spec: ModuleSpec) -> tuple[str, ...]:
    """The buffers that must be kept out of the gradient where they are used."""
    buffers = (field for field in spec.fields if field.role == "buffer")
    return tuple(
        buffer.name
        for buffer in buffers
        if is_tree(buffer.type)
        or any(array.inexact for array in arrays(buffer.type))
        or (isinstance(buffer.type, OpaqueType) and buffer.type.is_array)
    )


def buffers_of_parts(
    spec: ModuleSpec, known: Mapping[str, ModuleSpec], above: tuple[str, ...] = ()
) -> Iterator[str]:
    """The paths of such buffers in the classes that its fields hold: `table.values`. Variables of NNX see to themselves."""
    for field in spec.fields:
        kind = field.type
        part = known.get(kind.name) if isinstance(kind, ClassType) and kind.module is None else None
        if part is not None and part.name not in above and not kind_of(part.kind).variables:
            inner = (*guarded_buffers(part), *buffers_of_parts(part, known, (*above, spec.name)))
            yield from (f"{field.name}.{path}" for path in inner)
