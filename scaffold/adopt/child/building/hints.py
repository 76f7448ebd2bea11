"""Hints in the errors of a constructor: parameters, words, numbers and shapes."""

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..values.annotations import OPEN
from ..values.context import Context
from ..values.sizes import LARGEST
from .built import Failure

WORDS = re.compile(r"[`'\"]([A-Za-z_][\w,>-]*)[`'\"]")
BETWEEN = re.compile(r"[`'\"]([^\w\s`'\",.:]{1,3})[`'\"]")
"""Quoted separator that an error names, such as `'->'`."""
CHOICES = re.compile(
    r"\b(?:one of|among|allowed(?: are)?|either|options(?: are)?):? [\[({]?([A-Za-z_]\w*(?:(?:,| or|, or| and) ?[A-Za-z_]\w*)+)"
)
"""Unquoted words that an error lists as allowed, such as `one of: relu, tanh`."""
SHAPE = re.compile(r"shape:? [`'\"]?\(((?:\w+, ?)*\w+),?\)")
"""Shape in an error, such as `shape (n, 3)`, with numbers or names for dims."""


ASKED = re.compile(
    r"\b(?:must|should|has to|have to|needs? to) (?:be|have)\b[^\[(\n,;]*[\[(]((?:[\w.]+, ?)+\w+),?[)\]]"
)
"""Dims that an error requires of an array, such as `vertices must be [n_vertices, 3]`."""
RANK = re.compile(
    r"\b(?:must|should|has to) (?:be|have) (?:an? |at least )?([1-4])[- ]?d(?:im\w*)?\b", re.IGNORECASE
)
"""Rank that an error requires of an array, such as `must be a 2D array`."""
POWERS = [16, 32]
"""Numbers tried if an error asks for a power of two, larger than the powers among the usual sizes."""
OF_NUMBERS = re.compile(r"\b(power of|multiple of|divisible|divide|at least|even number|odd number)\b")
"""Words by which an error refuses a number, such as `divisible`."""
MATRIX = re.compile(r"(?<![\w.])(\d{1,2})[x×](\d{1,2})(?![\w.])")
"""Shape of a matrix in an error, such as `3x3`."""
GOT = re.compile(r"\b(got|given|received|found)\b.*")
"""Part of an error from the refused array on, such as `got shape (2,)`."""
TRAILING = re.compile(
    r"(?:trailing|last) (?:length|dim\w*|axis|size)[^\d\n]{0,20}(\d+)|(\d+) (?:\w+ )?channels", re.IGNORECASE
)
"""Length that an error requires of the last axis, such as `last dim of 3` or `3 channels`."""
WANTS_ARRAY = re.compile(r"'(?:int|float)' object has no attribute '(?:shape|dtype|ndim|size|at|astype|T)'")
"""Python's error for a number in place of an array."""


WANTS_PARTS = re.compile(
    r"'int' object is not (?:subscriptable|iterable)|object of type 'int' has no len\(\)"
)
"""Python's error for a number in place of a sequence."""
FACTORY = "<factory>"
"""Default in a dataclass signature of a field with a `default_factory`, such as an empty container."""
OF_ARRAYS = re.compile(r"PyTree|Array")
"""Annotations of containers that hold arrays."""
PATIENCE = 8
"""Number of times that an error repeats before the parameters in its text are tried."""


def names_others(others: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether a single error recurs and names parameters not given, so that no other value helps."""
    if len(messages) < PATIENCE or len({*messages}) > 1:
        return False
    return not {*others}.isdisjoint(re.findall(r"\w+", messages[0]))


def is_of_others(others: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether only one error recurs besides refused numbers, so that an optional argument may be needed."""
    rest = {text for text in messages if not OF_NUMBERS.search(text)}
    return bool(others) and len(messages) >= 2 * PATIENCE and len(rest) == 1 < len({*messages})


def named_by(failure: Failure, parameters: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the parameters that errors name."""
    words = words_of(failure.messages)
    return [parameter for parameter in parameters if parameter.name in words]


def words_of(messages: Iterable[str]) -> set[str]:
    """Return the words of errors that may be names. A single letter counts only in quotes."""
    return {word for text in messages for word in re.findall(r"\w{2,}|(?<=['\"`])\w(?=['\"`])", text)}


def missing(
    parameters: Iterable[inspect.Parameter], wanted: Sequence[inspect.Parameter]
) -> list[inspect.Parameter]:
    """Return the parameters that are not yet wanted."""
    return [parameter for parameter in parameters if parameter not in wanted]


def may_be_filled(parameter: inspect.Parameter, context: Context) -> bool:
    """Whether an argument that defaults to None or an empty container may be given.

    An object that only a docstring mentions is excluded, since nothing is known about its type.
    """
    is_unknown = parameter.annotation in OPEN and parameter.name in context.documented.objects
    is_made_empty = repr(parameter.default) == FACTORY and OF_ARRAYS.search(str(parameter.annotation))
    return (parameter.default is None or bool(is_made_empty)) and not is_unknown


def taught(context: Context, failure: Failure, parameters: Sequence[inspect.Parameter]) -> Context:
    """Return the context extended by the words, numbers and shapes that errors name."""
    names = {parameter.name for parameter in parameters}
    text = "\n".join(failure.messages)
    joined = [f"A {sign} B" for sign in BETWEEN.findall(text)]
    listed = [word for choices in CHOICES.findall(text) for word in re.findall(r"\w+", choices)]
    words = [*dict.fromkeys([*joined, *WORDS.findall(text), *listed])]
    words = [word for word in words if word not in (*context.words, *names)]
    numbers = [count for count in numbers_named(text) if count not in context.numbers]
    dims = dims_asked(failure.messages, names)
    documented = replace(context.documented, dims={**context.documented.dims, **dims})
    return replace(
        context,
        documented=documented,
        words=(*context.words, *words[:8]),
        numbers=(*context.numbers, *numbers[:4]),
        shapes=(*dict.fromkeys([*shapes_named(text), *context.shapes]),),
        wants_parts=context.wants_parts or WANTS_PARTS.search(text) is not None,
        wants_arrays=context.wants_arrays or WANTS_ARRAY.search(text) is not None,
    )


def shapes_named(text: str) -> list[tuple[int, ...]]:
    """Return the shapes that errors require of an array."""
    text = GOT.sub("", text)
    shapes = [shape_named(dims) for dims in SHAPE.findall(text)]
    shapes += [shape_named(dims) for dims in ASKED.findall(text)]
    shapes += [(3,) * int(axes) for axes in RANK.findall(text)]
    shapes += [(int(rows), int(columns)) for rows, columns in MATRIX.findall(text)]
    lengths = [int(first or second) for first, second in TRAILING.findall(text)]
    return shapes + [shape for length in lengths if length <= LARGEST for shape in ((length,), (3, length))]


def dims_asked(messages: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Map argument names to the dims that errors require, such as `{"vertices": "n_vertices 3"}`."""
    asked: dict[str, str] = {}
    for text in dict.fromkeys(messages):
        said = GOT.sub("", text)
        dims = [(match.start(), match[1].replace(",", " ")) for match in ASKED.finditer(said)]
        ranks = ((match.start(), int(match[1])) for match in RANK.finditer(said))
        dims = dims or [(start, " ".join(f"axis_{i}" for i in range(rank))) for start, rank in ranks]
        for start, each in dims:
            before = {*re.findall(r"\w+", said[:start])}
            asked |= {name: each for name in names if name in before}
    return asked


def asks_for_shape(messages: Sequence[str], context: Context, names: Iterable[str]) -> bool:
    """Whether every error asks for a shape or dims, and the context does not yet try all of them first."""
    asked = [(shapes_named(text), dims_asked([text], names)) for text in {*messages}]
    every = {shape for shapes, _ in asked for shape in shapes}
    is_new = any(
        context.documented.dims.get(name) != said for _, dims in asked for name, said in dims.items()
    )
    is_new = is_new or not every <= {*context.shapes[: len(every)]}
    return bool(asked) and all(shapes or dims for shapes, dims in asked) and is_new


def asks_for_numbers(messages: Sequence[str], context: Context) -> bool:
    """Whether many errors, without exception, refuse a number, and name a number that is new."""
    is_asked = len(messages) >= 2 * PATIENCE and all(map(OF_NUMBERS.search, {*messages}))
    return is_asked and bool({*numbers_named("\n".join(messages))} - {*context.numbers})


def numbers_named(text: str) -> list[int]:
    """Return the sizes that errors name, after `POWERS` if an error asks for a power of two."""
    counts = [int(word) for word in sorted({*re.findall(r"\w+", text)}) if word.isdigit()]
    asked = POWERS if "power of two" in text or "power of 2" in text else []
    return [*asked, *(count for count in counts if 1 < count <= LARGEST)]


def shape_named(dims: str) -> tuple[int, ...]:
    """Return the shape that an error names, with 3 for each named dim."""
    return tuple(int(dim) if dim.isdigit() else 3 for dim in re.findall(r"\w+", dims))


def alternatives(
    wanted: Sequence[inspect.Parameter], further: Sequence[inspect.Parameter], *, has_numbers: bool = False
) -> list[list[inspect.Parameter]]:
    """List sets of parameters to try: with all that errors name, then with each alone.

    Some parameters exclude each other. If errors also name numbers, the wanted parameters come first alone.
    """
    again = [[*wanted]] if further and has_numbers else []
    singly = ([*wanted, parameter] for parameter in further if len(further) > 1)
    return [*again, [*wanted, *further], *singly]
