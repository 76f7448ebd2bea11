"""Reading the type parameters of a class: `generic = ["T", "S: AbstractKernel"]`."""

from typing import TYPE_CHECKING, Any

from scaffold.spec.model import TypeParameter
from scaffold.spec.tables.raw import as_list

if TYPE_CHECKING:
    from scaffold.spec.reading.read import Reader  # it reads with this module


def read_generic(reader: "Reader", value: Any) -> tuple[TypeParameter, ...]:
    """The type parameters that `generic` lists."""
    place = reader.place("generic")
    listed = [text.partition(":") for text in as_list(value) if isinstance(text, str)]
    found = [(name.strip(), bound.strip()) for name, _, bound in listed]
    return tuple(TypeParameter(name, reader.type(bound, place) if bound else None) for name, bound in found)
