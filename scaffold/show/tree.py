"""The model of a picture: a class as the tree of its parts. Both a spec and an instance give one, and every format draws it."""

import re
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from scaffold.show.roles import MEANINGS

BYTES = {"bool": 1, "bfloat16": 2, "float": 4, "complex": 8, "int": 4, "key": 8}
"""Bytes of an element, where the digits of the dtype do not say it; `float` is the default dtype of jax."""


class Dim(Struct, frozen=True):
    """One axis of an array: its size, how the class names it, and the mesh axes that it is sharded on."""

    size: int
    name: str = ""
    axes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name or str(self.size)


class Part(Struct, frozen=True):
    """A leaf, a static value, or a node with parts of its own."""

    name: str
    role: str
    path: str = ""
    dtype: str = ""
    """Empty for what is no array."""
    dims: tuple[Dim, ...] = ()
    value: str = ""
    """What a static part holds, the type of it, or the path of the array that a shared part is."""
    class_name: str = ""
    optional: bool = False
    """Whether it may be None."""
    parts: "tuple[Part, ...]" = ()

    @property
    def is_array(self) -> bool:
        return bool(self.dtype)

    @property
    def owns_array(self) -> bool:
        """Whether it takes memory of its own."""
        return self.is_array and self.role not in ("shared", "derived")

    @property
    def type_text(self) -> str:
        """`float32[out_size, in_size]`, the class of a node, or the value of what is static."""
        if self.is_array:
            return f"{self.dtype}[{', '.join(map(str, self.dims))}]" + " or None" * self.optional
        return self.class_name or self.value

    @property
    def count(self) -> int:
        """How many numbers its arrays hold."""
        own_count = prod(dim.size for dim in self.dims) if self.owns_array else 0
        return own_count + sum(part.count for part in self.parts)

    @property
    def nbytes(self) -> int:
        """How many bytes its arrays take."""
        own_bytes = self.count * element_bytes(self.dtype) if self.owns_array else 0
        return own_bytes + sum(part.nbytes for part in self.parts)

    @property
    def sharded_on(self) -> tuple[str, ...]:
        """`out_size on model`, for each axis that has a mesh axis."""
        return tuple(f"{dim} on {' and '.join(dim.axes)}" for dim in self.dims if dim.axes)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        meaning = MEANINGS.get(self.role)
        array = {"dtype": self.dtype, "dims": [asdict(dim) for dim in self.dims]} if self.is_array else {}
        return {
            "path": self.path,
            "role": self.role,
            **array,
            "value": self.value,
            "class": self.class_name,
            "count": self.count,
            "bytes": self.nbytes,
            "means": asdict(meaning) if meaning else None,
            "parts": [part.to_json() for part in self.parts],
        }


class Tree(Struct, frozen=True):
    """A class, the sizes for which its arrays are counted, and what is known of it beside."""

    name: str
    kind: str
    parts: tuple[Part, ...]
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()
    """What the picture leaves open."""
    calls: bool = False
    """Whether the class is called with arguments."""
    compares: bool = False
    """Whether what saves it compares the configuration; `eqx.tree_serialise_leaves` does not."""

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that its parts have, in the order of the table."""
        present = {part.role for _, part in walk(self.parts)}
        return tuple(role for role in MEANINGS if role in present)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "class": self.name,
            "kind": self.kind,
            "sizes": dict(self.sizes),
            "count": self.count,
            "bytes": self.nbytes,
            "parts": [part.to_json() for part in self.parts],
            "compiles_anew": list(triggers(self)),
            "notes": list(self.notes),
        }


def walk(parts: tuple[Part, ...], depth: int = 0) -> Iterator[tuple[int, Part]]:
    """All parts with their depth, each before the parts below it."""
    for part in parts:
        yield depth, part
        yield from walk(part.parts, depth + 1)


def element_bytes(dtype: str) -> int:
    """How many bytes an element of this dtype takes."""
    digits = "".join(letter for letter in dtype if letter.isdigit())
    return BYTES.get(dtype) or (max(1, int(digits) // 8) if digits else 4)


def triggers(tree: Tree) -> Iterator[str]:
    """What compiles the program of a jitted function anew, most usual first."""
    every = [part for _, part in walk(tree.parts)]
    near = sorted(every, key=lambda part: part.path.count("."))
    paths = {role: [part.path for part in near if part.role == role] for role in MEANINGS}
    nullable = [part.path for part in near if part.optional or part.role == "none"]
    if any(part.is_array for part in every):
        yield "the shape or dtype of an array" + _sized(tree)
    if tree.calls:
        yield "the shape, dtype or weak type of an argument of the call"
    if paths["static"]:
        yield f"another value of {listed(paths['static'])}"
    if paths["hidden"]:
        yield f"{listed(paths['hidden'])}: an array that jax does not see, which is part of the program"
    if paths["python"]:
        yield f"another value of {listed(paths['python'])}, which `eqx.filter_jit` holds fixed"
    if paths["callable"]:
        yield f"another function in {listed(paths['callable'])}; a new lambda is another one each time"
    if nullable:
        yield f"None in the place of an array, or the reverse, in {listed(nullable)}"
    if any(part.parts and part.role == "items" for part in every):
        yield "another number of items in " + listed([part.path for part in every if part.role == "items"])


def _sized(tree: Tree) -> str:
    dims = [dim for _, part in walk(tree.parts) for dim in part.dims]
    names = dict.fromkeys(name for dim in dims for name in re.findall(r"[A-Za-z_]\w*", dim.name))
    return f": {listed([*names])}" if names else ""


def listed(names: list[str]) -> str:
    """At most four names, and how many there are beyond."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
