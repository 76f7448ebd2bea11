"""Model of a picture: a class as a tree of parts, made from a spec or an instance."""

import re
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from scaffold.show.roles import MEANINGS

BYTES = {"bool": 1, "bfloat16": 2, "float": 4, "complex": 8, "int": 4, "key": 8}
"""Bytes of an element, unless the digits of the dtype give them. `float` is jax's default dtype."""


class Dim(Struct, frozen=True):
    """Axis of an array: its size, its name in the class, and its mesh axes."""

    size: int
    name: str = ""
    axes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name or str(self.size)


class Part(Struct, frozen=True):
    """Leaf, static value, or node with parts of its own."""

    name: str
    role: str
    path: str = ""
    dtype: str = ""
    """Dtype, or empty for a non-array."""
    dims: tuple[Dim, ...] = ()
    value: str = ""
    """Value or type of a static part, or the path of the array behind a shared part."""
    class_name: str = ""
    optional: bool = False
    """Whether the part may be None."""
    parts: "tuple[Part, ...]" = ()

    @property
    def is_array(self) -> bool:
        return bool(self.dtype)

    @property
    def owns_array(self) -> bool:
        """Whether the part takes memory of its own."""
        return self.is_array and self.role not in ("shared", "derived")

    @property
    def type_text(self) -> str:
        """Type as `float32[out_size, in_size]`, the class of a node, or the value of a static part."""
        if self.is_array:
            return f"{self.dtype}[{', '.join(map(str, self.dims))}]" + " or None" * self.optional
        return self.class_name or self.value

    @property
    def count(self) -> int:
        """Number of array elements in the part."""
        own_count = prod(dim.size for dim in self.dims) if self.owns_array else 0
        return own_count + sum(part.count for part in self.parts)

    @property
    def nbytes(self) -> int:
        """Number of bytes of the part's arrays."""
        own_bytes = self.count * element_bytes(self.dtype) if self.owns_array else 0
        return own_bytes + sum(part.nbytes for part in self.parts)

    @property
    def sharded_on(self) -> tuple[str, ...]:
        """Text such as `out_size on model` for each axis that has mesh axes."""
        return tuple(f"{dim} on {' and '.join(dim.axes)}" for dim in self.dims if dim.axes)

    def to_json(self) -> dict[str, Any]:
        """Return the part as plain JSON."""
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
    """Class with its parts, the sizes behind the counts, and notes."""

    name: str
    kind: str
    parts: tuple[Part, ...]
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()
    """Remarks on what the picture does not show."""
    calls: bool = False
    """Whether the class is called with arguments."""
    compares: bool = False
    """Whether the class's `save` compares the configuration, unlike `eqx.tree_serialise_leaves`."""

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of the parts, in the order of the table."""
        present = {part.role for _, part in walk(self.parts)}
        return tuple(role for role in MEANINGS if role in present)

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain JSON."""
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
    """Yield all parts with their depth, parents first."""
    for part in parts:
        yield depth, part
        yield from walk(part.parts, depth + 1)


def element_bytes(dtype: str) -> int:
    """Return the bytes of an element of this dtype."""
    digits = "".join(letter for letter in dtype if letter.isdigit())
    return BYTES.get(dtype) or (max(1, int(digits) // 8) if digits else 4)


def triggers(tree: Tree) -> Iterator[str]:
    """Yield the causes of recompilation under jit, the most usual first."""
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
    """Join at most four names, and count the others."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
