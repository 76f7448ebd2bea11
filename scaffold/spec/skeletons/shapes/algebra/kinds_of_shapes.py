"""Kinds of shapes: dims, unknown arrays, tuples, records, layers, and leading axes."""

from typing import TypeGuard

from msgspec import Struct

Dims = tuple[str, ...]
STATE: Dims = ("equinox_state",)
"""Stand-in for an `eqx.nn.State`, which is no array but passes through calls as shapes do."""


class Places(tuple[str, ...]):
    """Dims of an array of indices along an axis with the dim `of`, as `jnp.argmax` returns them."""

    of: str = ""

    @classmethod
    def along(cls, of: str, dims: Dims) -> "Places":
        """Return the dims of indices along an axis."""
        places = cls(dims)
        places.of = of
        return places


class Unknown(Struct, frozen=True):
    """An array by its name, as long as nothing says its shape."""

    name: str


class Parts(Struct, frozen=True):
    """A tuple of arrays."""

    shapes: "tuple[Shape, ...]"


class Record(Struct, frozen=True):
    """An instance of a class of the file, with its fields in order. All instances share field shapes."""

    name: str
    fields: tuple[str, ...]

    def field(self, name: str) -> Unknown:
        """Return the array in a field, under the name `Moments.mean`."""
        return Unknown(f"{self.name}.{name}")


class Leading(Struct, frozen=True):
    """The first axes of an array that may have more axes, as in a layer with channels first."""

    dims: Dims


class Held(Struct, frozen=True):
    """The layers in the field `name`, which have no shape."""

    name: str


NOT_CALLED = Parts(())
"""Result of a call to anything but a layer or a function of the file."""
Shape = Dims | Unknown | Parts | Record | Leading | Held | None
"""Dims, an unknown array, several arrays, layers, or None for a value that may be no array."""


def is_dims(shape: Shape) -> TypeGuard[Dims]:
    """Whether a shape consists of dims."""
    return isinstance(shape, tuple)


class Chosen(str):
    """The size of an axis that the tool chooses, because the code takes any size."""
