"""Rows of a tree, the layout that the text, SVG and HTML formats share."""

from collections.abc import Iterator

from msgspec import Struct

from scaffold.show.roles import HEADS, MEANINGS
from scaffold.show.tree import Part, Tree, triggers

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
COLUMNS = ("part", "type", "role", "count", "bytes")


class Guides(Struct, frozen=True):
    """Characters that connect a part to its parent."""

    item: str = "├─ "
    last: str = "└─ "
    through: str = "│  "
    blank: str = "   "


ASCII = Guides("|- ", "`- ", "|  ")


class Row(Struct, frozen=True):
    """Cells of a part, the guide before it, and the guide past it to the parts below."""

    guide: str
    below: str
    name: str
    type: str
    role: str
    count: str
    nbytes: str
    path: str = ""


def rows(parts: tuple[Part, ...], guides: Guides, above: str = "") -> Iterator[Row]:
    """Yield a row for each part."""
    for index, part in enumerate(parts):
        is_last = index + 1 == len(parts)
        role = "" if part.role in ("module", "items") else part.role
        count, size = (f"{part.count:,}", nbytes(part.nbytes)) if part.count else ("", "")
        guide = above + (guides.last if is_last else guides.item)
        inner = above + (guides.blank if is_last else guides.through)
        below = inner + guides.through * bool(part.parts)
        yield Row(guide, below, part.name, type_of(part), role, count, size, part.path)
        yield from rows(part.parts, guides, inner)


def type_of(part: Part) -> str:
    """Return the type of a part, and the mesh axes of its dims."""
    sharded = f" ({', '.join(part.sharded_on)})" if part.sharded_on else ""
    shared = f" = {part.value}" if part.is_array and part.value else ""
    return part.type_text + shared + sharded


def nbytes(count: int) -> str:
    """Format a number of bytes in a readable unit."""
    size, unit = float(count), 0
    while size >= 1024 and unit + 1 < len(UNITS):
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit else f"{count} B"


def title(tree: Tree) -> str:
    """Return the class, its kind, and the sizes behind the counts."""
    sizes = ", ".join(f"{name}={size}" for name, size in tree.sizes.items())
    return f"{tree.name} ({tree.kind})" + (f" with {sizes}" if sizes else "")


def total(tree: Tree) -> str:
    """Return the number of array elements, and their bytes."""
    return f"{tree.count:,} numbers, {nbytes(tree.nbytes)}"


def meanings(tree: Tree) -> Iterator[tuple[str, ...]]:
    """Yield the heads, then the meanings of each role in the tree."""
    yield HEADS
    for role in tree.roles:
        meaning = MEANINGS[role]
        saved = "left out" if meaning.saved == "compared" and not tree.compares else meaning.saved
        yield role, meaning.in_jit, meaning.gradient, meaning.decay, saved, meaning.vmap


def sentences(tree: Tree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield heads with their lines: causes of recompilation, and notes."""
    causes = tuple(triggers(tree))
    never = " (new values in traced arrays do not)" if tree.count else ""
    if causes:
        yield f"compiles anew for{never}", causes
    if tree.notes:
        yield "notes", tree.notes
