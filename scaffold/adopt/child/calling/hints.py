"""What the errors of a call teach: classes, how many parts a tuple has, and that arrays are sequences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..classes.lookalikes import lookalikes

_LENGTH = re.compile(r"values to unpack \(expected (\d+)")
_TOO_LOW = re.compile(
    r"tuple index out of range|too many indices|(ndim|rank).{0,40}at least 1", re.IGNORECASE
)
"""How Python and jax say that an array lacks an axis."""


@dataclass(frozen=True)
class Hints:
    """What the errors of the first tries say of the arguments."""

    lookalikes: Sequence[type] = ()
    """Classes that have the attributes for which an error has asked."""
    lengths: Sequence[int] = ()
    """How many parts were wanted of a tuple."""
    is_sequence: bool = False
    """Whether an array lacks an axis, that of a sequence of what an annotation describes."""

    def __bool__(self) -> bool:
        return bool(self.lookalikes or self.lengths or self.is_sequence)


def hints_of(cls: type, messages: Sequence[str]) -> Hints:
    """The hints in what was raised where an instance of a class was called."""
    lengths = sorted({int(count) for text in messages for count in _LENGTH.findall(text)})
    is_sequence = any(map(_TOO_LOW.search, messages))
    return Hints(lookalikes(cls, messages), [length for length in lengths if 0 < length < 9], is_sequence)


def with_hints(context: Any, hints: Hints) -> Any:
    """The context of a call with what its errors have taught."""
    context.lookalikes, context.lengths = hints.lookalikes, hints.lengths
    context.leading = (context.sizes.of("sequence"),) if hints.is_sequence else ()
    return context
