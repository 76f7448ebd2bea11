"""What the errors of a call teach: classes, how many parts a tuple has, the rank of arrays, and that these are sequences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..classes.lookalikes import lookalikes
from ..values.plain import Context

MAX_PARTS = 8
_LENGTH = re.compile(r"values to unpack \(expected (\d)")
_RANK = re.compile(
    r"\brank[- ](?:of )?(\d)|\b(\d)[- ]dim|\b(\d)D\b|ndim to be equal, got \d and (\d)|ndim (?:==?|must be|should be) (\d)",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"window_dimensions \(([\d, ]+)\)")
"""How jax says the window of a pooling, which has as many axes as what it is moved over."""
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
    """How many parts were wanted of a tuple, or how many axes of a shape."""
    ranks: Sequence[int] = ()
    """How many axes were wanted of an array."""
    is_sequence: bool = False
    """Whether an array lacks an axis, that of a sequence of what an annotation describes."""

    def __bool__(self) -> bool:
        return bool(self.lookalikes or self.lengths or self.ranks or self.is_sequence)


NO_HINTS = Hints()


def hints_of(cls: type, messages: Sequence[str]) -> Hints:
    """The hints in what was raised where an instance of a class was called."""
    text = "\n".join(dict.fromkeys(messages))
    lengths = sorted({int(count) for count in _LENGTH.findall(text)})
    ranks = {int(digit) for digits in _RANK.findall(text) for digit in digits if digit}
    ranks |= {len(window.strip(", ").split(",")) for window in _WINDOW.findall(text)}
    return Hints(
        lookalikes(cls, messages),
        [length for length in lengths if 0 < length <= MAX_PARTS],
        sorted(ranks - {0}),
        _TOO_LOW.search(text) is not None,
    )


def with_hints(context: Context, hints: Hints) -> Context:
    """The context of a call with what its errors have taught."""
    ranks = (*hints.ranks, *hints.lengths)
    return replace(
        context,
        lookalikes=hints.lookalikes,
        lengths=hints.lengths,
        shapes=sorted(context.shapes, key=lambda shape: len(shape) not in ranks),
        leading=(context.sizes.of("sequence"),) if hints.is_sequence else (),
    )
