"""Names that change with the name of a class: its own, the name of its test class, and derived names."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

_WORD = r"[^\W\d]\w*"


class CarriedNames(Struct, frozen=True):
    """New name for each former name."""

    names: Mapping[str, str]

    def applied(self, text: str) -> str:
        """Replace the former names in the text."""
        return re.sub(_WORD, lambda word: self.names.get(word[0], word[0]), text) if self.names else text


def carried_names(before: str, now: str, *pairs: tuple[str, str]) -> CarriedNames:
    """Return the renames that follow from `pairs`, of which the first always applies.

    A word that only `before` has is renamed if `now` has it with the new name inside.
    """
    there, new = set(re.findall(_WORD, before)), set(re.findall(_WORD, now))
    return CarriedNames({**dict(_carried(there - new, new, pairs)), pairs[0][0]: pairs[0][1]})


def _carried(gone: set[str], new: set[str], pairs: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for word in sorted(gone):
        for old, now in pairs:
            if old in word and word.replace(old, now) in new:
                yield word, word.replace(old, now)
                break
