"""Comparison of two trees, part by part."""

from collections.abc import Iterator

from msgspec import Struct

from scaffold.show.table import total, type_of
from scaffold.show.tree import Part, Tree, walk


class Pair(Struct, frozen=True):
    """Path with the part of either class there."""

    mark: str
    """Mark of the difference: `+` only right, `-` only left, `~` different, empty if equal."""
    path: str
    left: str
    right: str


class Difference(Struct, frozen=True):
    """Difference of two classes, or of two versions of a class."""

    left: str
    right: str
    rows: tuple[Pair, ...]
    sentences: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the difference as plain JSON."""
        return {
            "left": self.left,
            "right": self.right,
            "parts": [
                {"mark": pair.mark, "path": pair.path, "left": pair.left, "right": pair.right}
                for pair in self.rows
            ],
        }


def compare(left: Tree, right: Tree) -> Difference:
    """Compare the parts of both trees in the left order. Parts only on the right come last."""
    pairs = tuple(_pairs(_cells(left), _cells(right)))
    totals = f"{left.name}: {total(left)}", f"{right.name}: {total(right)}"
    same = () if any(pair.mark for pair in pairs) else ("They have the same parts.",)
    names = (
        (left.name, right.name)
        if left.name != right.name
        else (f"{left.name}, first", f"{right.name}, second")
    )
    return Difference(*names, pairs, (*totals, *same))


def _cells(tree: Tree) -> dict[str, str]:
    return {part.path: _cell(part) for _, part in walk(tree.parts)}


def _cell(part: Part) -> str:
    return f"{type_of(part)} {'' if part.role in ('module', 'items') else part.role}".strip()


def _pairs(left: dict[str, str], right: dict[str, str]) -> Iterator[Pair]:
    for path, cell in left.items():
        other = right.get(path, "")
        yield Pair("" if cell == other else "~" if path in right else "-", path, cell, other)
    yield from (Pair("+", path, "", cell) for path, cell in right.items() if path not in left)
