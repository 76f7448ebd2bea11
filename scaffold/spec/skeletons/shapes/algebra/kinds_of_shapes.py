"""What the shape of a value may be: dims, a name of which they are not known yet, several arrays, a record, layers, or its first axes."""

from msgspec import Struct

Dims = tuple[str, ...]
STATE: Dims = ("equinox_state",)
"""Stands for an `eqx.nn.State`, which is no array: what is called with one, and gives it, is told so as shapes are."""


class Unknown(Struct, frozen=True):
    """The array that a name stands for, as long as nothing says its shape."""

    name: str


class Parts(Struct, frozen=True):
    """A tuple of arrays."""

    shapes: "tuple[Shape, ...]"


class Record(Struct, frozen=True):
    """An instance of a class of the file, with its fields in order. All instances have fields of the same shapes."""

    name: str
    fields: tuple[str, ...]

    def field(self, name: str) -> Unknown:
        """The array that a field holds."""
        return Unknown(f"{self.name}.{name}")


class Leading(Struct, frozen=True):
    """The first axes of an array that may have more, as those of a layer which keeps the channels first."""

    dims: Dims


class Held(Struct, frozen=True):
    """The layers that a field of this name holds, which have no shape."""

    name: str


NOT_CALLED = Parts(())
"""Stands for what a function gives that is none of the class, and no layer."""
Shape = Dims | Unknown | Parts | Record | Leading | Held | None
"""The dims, the array of which they are not known yet, several arrays, layers, or None of what may be no array at all."""


class Chosen(str):
    """The size of an axis that is chosen here, where the code takes any."""
