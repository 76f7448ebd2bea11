"""Hints from the errors of a call, such as the rank of an array or the length of a tuple."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from ..classes.uses.lookalikes import lookalikes
from ..values.context import Context
from ..values.sizes import HUGE, PRIMES, SMALL, foreign_sizes

MAX_PARTS = 8
_LENGTH = re.compile(r"values to unpack \(expected (?:at least )?(\d)")
_RANK = re.compile(
    r"\brank[- ](?:of )?(\d)|\b(\d)[- ]dim(?!\w*, but)|but (\d) were indexed|\b(\d)D\b|ndim to be equal, got \d and (\d)|ndim (?:==?|must be|should be) (\d)",
    re.IGNORECASE,
)
_SCALAR = re.compile(r"\b(must|should|has to) be (a )?scalar|\bscalar (predicate|index)", re.IGNORECASE)
"""Matches errors that a predicate or an index has to be a scalar."""
_WINDOW = re.compile(r"window_dimensions \(([\d, ]+)\)")
"""Matches the window of a pooling in an error of jax, which has as many axes as the input."""
_TOO_LOW = re.compile(
    r"tuple index out of range|too many indices|(ndim|rank).{0,40}at least 1", re.IGNORECASE
)
"""Matches errors of Python and jax that an array lacks an axis."""
_SHAPE = re.compile(
    r"(?:expect|must|should|requir|need|want)\w*[^()\[\]\n]{0,80}[(\[]([\w.*=]+(?:, ?[\w.*=]+)*),?[)\]]",
    re.IGNORECASE,
)
"""Matches a shape that an error asks for, such as `(batch, 3)` or `[T, B, size=3]`."""
_DTYPE = re.compile(
    r"(?:expect|must|should|requir|need|want)\w*[^.\n]{0,40}\b(complex|int)(?:eger|32|64)?s?\b", re.IGNORECASE
)
"""Matches a dtype that an error asks for."""
_INTO = re.compile(r"cannot reshape array of shape \([\d, ]*\) \(size \d+\) into shape [(\[]([\d, -]+)[)\]]")
"""Matches the error of a reshape to a shape with another number of elements."""
_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.])")
_ENTRY = re.compile(r"^KeyError|\bkeys?\b|\bmissing (?!\d)|\brequired? (?!positional|keyword)", re.IGNORECASE)
_QUOTED = re.compile(r"['\"`]([A-Za-z_]\w*)['\"`]")
"""Matches quoted names, such as the entries of a dict."""
MAX_ENTRIES = 8
_TOO_SHORT = re.compile(
    r"too (short|small|few)|at least|not enough|negative|smaller than|less than|shorter", re.IGNORECASE
)
_CONTRACTS = re.compile(r"contracting dimensions|not divisible|incompatible shapes", re.IGNORECASE)
MAX_SIZES = 4
"""Maximum number of sizes from errors to try."""
LENGTHS = (64, 256, 2048)
"""Lengths of signals, for errors that an axis is too short."""
PICTURES = (
    (28, 28),
    (28, 28, 1),
    (1, 28, 28),
    (32, 32, 3),
    (3, 32, 32),
    (5, 28, 28, 1),
    (5, 32, 32, 3),
    (5, 3, 32, 32),
)
"""Shapes of pictures in data sets, for errors about a size in the middle of a call."""


@dataclass(frozen=True)
class Hints:
    """Knowledge of the arguments from the errors of earlier tries."""

    lookalikes: Sequence[type] = ()
    """Classes with the attributes that an error asked for."""
    lengths: Sequence[int] = ()
    """Number of parts that a tuple should have, or of axes that a shape should have."""
    ranks: Sequence[int] = ()
    """Number of axes that an array should have."""
    shapes: Sequence[tuple[int, ...]] = ()
    """Shapes that an error names."""
    dtypes: Sequence[str] = ()
    """Dtypes that an error names."""
    sizes: Sequence[int] = ()
    """Sizes that an error names, and larger sizes if an axis is too short."""
    words: Sequence[str] = ()
    """Entries of a dict that an error names."""
    is_sequence: bool = False
    """True if an array lacks an axis, so that a sequence of such arrays may be meant."""

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def in_turn(self) -> "Iterator[Hints]":
        """Yield the hints without named sizes and shapes, then with them."""
        yield replace(self, shapes=(), sizes=())
        if (self.shapes or self.sizes) and not self.lookalikes:  # if a part lacks attributes, no size helps
            yield self


NO_HINTS = Hints()


def hints_of(cls: type, messages: Sequence[str], held: Sequence[int] = ()) -> Hints:
    """Read hints from the errors of calls. The instance holds the sizes `held`."""
    text = "\n".join(dict.fromkeys(messages))
    lengths = sorted({int(count) for count in _LENGTH.findall(text)})
    ranks = {int(digit) for digits in _RANK.findall(text) for digit in digits if digit}
    ranks |= {len(window.strip(", ").split(",")) for window in _WINDOW.findall(text)}
    return Hints(
        lookalikes(cls, messages),
        [length for length in lengths if 0 < length <= MAX_PARTS],
        [*([0] if _SCALAR.search(text) else []), *sorted(ranks - {0})],
        [*dict.fromkeys(shapes_named(text))],
        [*dict.fromkeys(dtype.lower() for dtype in _DTYPE.findall(text))],
        sizes_named(text, held),
        entries_named(messages),
        _TOO_LOW.search(text) is not None,
    )


def entries_named(messages: Sequence[str]) -> list[str]:
    """Return the entries of a dict that errors name, whether missing or present."""
    return [
        *dict.fromkeys(word for text in messages if _ENTRY.search(text) for word in _QUOTED.findall(text))
    ][:MAX_ENTRIES]


def shapes_named(text: str) -> Iterator[tuple[int, ...]]:
    """Yield the shapes that errors ask for, with a prime for each dim that has no number."""
    for words in _SHAPE.findall(text):
        parts = (part.rpartition("=")[2].strip() for part in words.split(","))
        dims = [word for word in parts if word not in ("...", "")]
        foreign = iter(PRIMES[2:])
        shape = tuple(int(dim) if dim.isdigit() else next(foreign) for dim in dims)
        if 0 < len(shape) <= MAX_PARTS and any(dim.isdigit() for dim in dims) and prod(shape) <= HUGE * HUGE:
            yield shape


def wants_pictures(messages: Sequence[str]) -> bool:
    """Whether large sizes clash inside a call, as after flattening a picture."""
    large = (text for text in messages if any(int(number) >= LENGTHS[0] for number in _NUMBER.findall(text)))
    return any(map(_CONTRACTS.search, large))


def sizes_named(text: str, held: Sequence[int]) -> list[int]:
    """Return untried sizes from errors, with larger sizes if an error says that an axis is too short."""
    products = [
        prod(int(dim) for dim in re.findall(r"-?\d+", dims) if int(dim) > 0) for dims in _INTO.findall(text)
    ]
    named = products or [int(number) for number in _NUMBER.findall(text)]
    tried = (*held, *SMALL, *foreign_sizes(held)[:4])
    is_too_short = _TOO_SHORT.search(text) is not None
    longer = [2 * size for size in named if size not in tried] if is_too_short else []
    sizes = dict.fromkeys([*named, *longer, *(LENGTHS if is_too_short else ())])
    return [size for size in sizes if 3 < size <= HUGE and size not in tried][:MAX_SIZES]


def with_hints(context: Context, hints: Hints) -> Context:
    """Add hints to the context of a call."""
    ranks = (*hints.ranks, *hints.lengths)
    return replace(
        context,
        lookalikes=[*hints.lookalikes, *context.lookalikes],
        lengths=hints.lengths,
        words=(*context.words, *hints.words),
        dtypes=hints.dtypes,
        wanted_shapes=hints.shapes,
        shapes=sorted(
            dict.fromkeys([*hints.shapes, *context.shapes]), key=lambda shape: len(shape) not in ranks
        ),
        leading=(context.sizes.of("sequence"),) if hints.is_sequence else (),
    )
