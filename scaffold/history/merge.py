"""Merge of three texts by lines, which takes changes of either side and shows both where they collide.

`difflib` compares two texts at a time, and diff3's algorithm combines the two comparisons.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from scaffold.files.texts import Merged, lines_of

MINE, NEW = "yours", "generated"


class _Piece(Struct, frozen=True):
    """Part of the three texts, either equal in all or between two equal parts."""

    base: Sequence[str]
    mine: Sequence[str]
    new: Sequence[str]

    @property
    def settled(self) -> Sequence[str] | None:
        """Lines to take, or None if both sides changed them in different ways."""
        if self.mine == self.new or self.new == self.base:
            return self.mine
        return self.new if self.mine == self.base else None


def merge(base: str, mine: str, new: str) -> Merged:
    """Apply the changes between `base` and `new` to `mine`."""
    parts: list[str] = []
    collisions = 0
    for piece in _pieces(lines_of(base), lines_of(mine), lines_of(new)):
        settled = piece.settled
        if settled is None:
            collisions += 1
            settled = _collision(piece)
        parts += settled
    return Merged("".join(parts), collisions)


def _collision(piece: _Piece) -> list[str]:
    """Return both sides between markers. Lines at either end that agree stay outside."""
    mine, new = piece.mine, piece.new
    first = _common(mine, new)
    last = _common(mine[first:][::-1], new[first:][::-1])
    mine_end, new_end = len(mine) - last, len(new) - last
    ours, theirs = _ended(mine[first:mine_end]), _ended(new[first:new_end])
    marked = [f"<<<<<<< {MINE}\n", *ours, "=======\n", *theirs, f">>>>>>> {NEW}\n"]
    return [*mine[:first], *marked, *mine[mine_end:]]


def _common(lines: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(lines, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(lines), len(other)))


def _ended(lines: Sequence[str]) -> list[str]:
    """Give the last line an end, so that a marker begins its own line."""
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def _pieces(base: Sequence[str], mine: Sequence[str], new: Sequence[str]) -> Iterator[_Piece]:
    at_base = at_mine = at_new = 0
    for start, size, in_mine, in_new in _same(base, mine, new):
        before = _Piece(base[at_base:start], mine[at_mine:in_mine], new[at_new:in_new])
        if before.base or before.mine or before.new:
            yield before
        at_base, at_mine, at_new = start + size, in_mine + size, in_new + size
        yield _Piece(base[start:at_base], mine[in_mine:at_mine], new[in_new:at_new])
    if base[at_base:] or mine[at_mine:] or new[at_new:]:
        yield _Piece(base[at_base:], mine[at_mine:], new[at_new:])


def _same(
    base: Sequence[str], mine: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the stretches of `base` that both sides kept: start, size, and the starts on either side."""
    to_mine, to_new = _matches(base, mine), _matches(base, new)
    i = j = 0
    while i < len(to_mine) and j < len(to_new):
        (b, m, size_m), (c, n, size_n) = to_mine[i], to_new[j]
        start, end = max(b, c), min(b + size_m, c + size_n)
        if start < end:
            yield start, end - start, m + start - b, n + start - c
        i, j = (i + 1, j) if b + size_m <= c + size_n else (i, j + 1)


def _matches(base: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the stretches that two texts share, in order. Common ends are found without `difflib`."""
    first = _common(base, other)
    last = _common(base[first:][::-1], other[first:][::-1])
    inner = SequenceMatcher(
        None, base[first : len(base) - last], other[first : len(other) - last], autojunk=False
    )
    stretches = [(first + b, first + o, size) for b, o, size in inner.get_matching_blocks()]
    ends = [(0, 0, first), *stretches, (len(base) - last, len(other) - last, last)]
    return [stretch for stretch in ends if stretch[2]]
