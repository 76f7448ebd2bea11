"""The order in which combinations are tried: bounded, and the same on every machine."""

import heapq
from collections.abc import Iterator, Sequence
from typing import Any


def combinations(lists: Sequence[Sequence[Any]], most: int) -> Iterator[tuple[int, ...]]:
    """Positions in lists: by turns those that differ least from the first, and the same one in all lists that are equal."""
    turns = [nearest([len(one) for one in lists]), alike(lists)]
    seen: set[tuple[int, ...]] = set()
    while turns and all(lists) and len(seen) < most:
        for turn in [*turns]:
            one = next(turn, None)
            if one is None:
                turns.remove(turn)
            elif one not in seen:
                seen.add(one)
                yield one


def alike(lists: Sequence[Sequence[Any]]) -> Iterator[tuple[int, ...]]:
    """The same position in all lists that are equal to another one; the first in the others."""
    paired = [sum(one == other for other in lists) > 1 for one in lists]
    length = min((len(one) for one, found in zip(lists, paired, strict=True) if found), default=0)
    for place in range(length):
        yield tuple(place if found else 0 for found in paired)


def nearest(lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Positions by their sum, the least first."""
    start = tuple(0 for _ in lengths)
    heap, seen = [(0, start)], {start}
    while heap:
        total, one = heapq.heappop(heap)
        yield one
        for place, length in enumerate(lengths):
            if one[place] + 1 < length:
                after = (*one[:place], one[place] + 1, *one[place + 1 :])
                if after not in seen:
                    seen.add(after)
                    heapq.heappush(heap, (total + 1, after))


class Budget:
    """How many times a search may try: a limit of time would give another answer on another machine."""

    def __init__(self, tries: int) -> None:
        self.tries = tries

    def take(self) -> bool:
        """Whether another try is left."""
        self.tries -= 1
        return self.tries >= 0
