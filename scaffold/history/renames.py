"""Names that a class brings along when it gets another: its own, that of its tests, and whatever is called after it."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

_WORD = r"[^\W\d]\w*"


class CarriedNames(Struct, frozen=True):
    """What each former name is called now."""

    names: Mapping[str, str]

    def applied(self, text: str) -> str:
        """The text with the new names."""
        return re.sub(_WORD, lambda word: self.names.get(word[0], word[0]), text) if self.names else text


def carried_names(before: str, now: str, *pairs: tuple[str, str]) -> CarriedNames:
    """The first former name, and those in `before` that hold one and stand in `now` with the new one in its place."""
    there, new = set(re.findall(_WORD, before)), set(re.findall(_WORD, now))
    return CarriedNames({**dict(_carried(there - new, new, pairs)), pairs[0][0]: pairs[0][1]})


def _carried(gone: set[str], new: set[str], pairs: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for word in sorted(gone):
        for old, now in pairs:
            if old in word and word.replace(old, now) in new:
                yield word, word.replace(old, now)
                break
