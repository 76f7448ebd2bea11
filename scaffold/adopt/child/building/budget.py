"""The order in which combinations are tried: bounded, and the same on every machine."""

import heapq
from collections.abc import Iterator, Sequence
from typing import Any


def combinations(lists: Sequence[Sequence[Any]], most: int) -> Iterator[tuple[int, ...]]:
    """Positions in lists: by turns those that differ least from the first, and the same one in all lists that are equal."""
    turns = [nearest([len(choices) for choices in lists]), alike(lists)]
    seen: set[tuple[int, ...]] = set()
    while turns and all(lists) and len(seen) < most:
        for turn in [*turns]:
            places = next(turn, None)
            if places is None:
                turns.remove(turn)
            elif places not in seen:
                seen.add(places)
                yield places


def alike(lists: Sequence[Sequence[Any]]) -> Iterator[tuple[int, ...]]:
    """The same position in all lists that are equal to another one; the first in the others."""
    paired = [sum(choices == other for other in lists) > 1 for choices in lists]
    length = min(
        (len(choices) for choices, is_paired in zip(lists, paired, strict=True) if is_paired), default=0
    )
    for place in range(length):
        yield tuple(place if is_paired else 0 for is_paired in paired)


def nearest(lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Positions by their sum, the least first."""
    start = tuple(0 for _ in lengths)
    heap, seen = [(0, start)], {start}
    while heap:
        total, places = heapq.heappop(heap)
        yield places
        for place, length in enumerate(lengths):
            if places[place] + 1 < length:
                after = (*places[:place], places[place] + 1, *places[place + 1 :])
                if after not in seen:
                    seen.add(after)
                    heapq.heappush(heap, (total + 1, after))


class Budget:
    """How many times a search may try: a limit of time would give another answer on another machine."""

    def __init__(self, tries: int) -> None:
        self.tries = tries

    def half(self) -> "Budget":
        """Half of what is left, for what is tried before something else."""
        part = Budget(self.tries // 2)
        self.tries -= part.tries
        return part

    def take(self) -> bool:
        """Whether another try is left."""
        self.tries -= 1
        return self.tries >= 0
