"""Order in which combinations are tried: bounded, and the same on every machine."""

import heapq
from collections.abc import Iterator, Sequence
from typing import Any


def combinations(lists: Sequence[Sequence[Any]], most: int) -> Iterator[tuple[int, ...]]:
    """Yield at most `most` tuples of positions, alternately from `nearest` and `alike`."""
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
    """Yield the same position for every list that equals another list, and 0 for the rest."""
    paired = [sum(choices == other for other in lists) > 1 for choices in lists]
    length = min(
        (len(choices) for choices, is_paired in zip(lists, paired, strict=True) if is_paired), default=0
    )
    for place in range(length):
        yield tuple(place if is_paired else 0 for is_paired in paired)


def nearest(lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield positions in order of their sum, from all zeros on."""
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
    """Number of tries left to a search, since a time limit would differ between machines."""

    def __init__(self, tries: int) -> None:
        self.tries = tries

    def half(self) -> "Budget":
        """Move half of the remaining tries to a new budget."""
        part = Budget(self.tries // 2)
        self.tries -= part.tries
        return part

    def take(self) -> bool:
        """Spend a try. Return False if none was left."""
        if self.tries <= 0:
            return False
        self.tries -= 1
        return True
