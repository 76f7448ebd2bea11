"""What errors of a constructor name: parameters, words, numbers and shapes."""

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
"""What stands between the parts of a text, as an error names it."""
CHOICES = re.compile(
    r"\b(?:one of|among|allowed(?: are)?|either|options(?: are)?):? [\[({]?([A-Za-z_]\w*(?:(?:,| or|, or| and) ?[A-Za-z_]\w*)+)"
)
"""The words that an error says are allowed, where they stand without quotes."""
SHAPE = re.compile(r"shape:? [`'\"]?\(((?:\w+, ?)*\w+),?\)")
"""How an error says which shape an array must have: of numbers, and of names that stand for any."""


ASKED = re.compile(
    r"\b(?:must|should|has to|have to|needs? to) (?:be|have)\b[^\[(\n,;]*[\[(]((?:[\w.]+, ?)+\w+),?[)\]]"
)
"""How an error says the dims that an array must have: `vertices must be [n_vertices, 3]`."""
RANK = re.compile(
    r"\b(?:must|should|has to) (?:be|have) (?:an? |at least )?([1-4])[- ]?d(?:im\w*)?\b", re.IGNORECASE
)
"""How an error says how many axes an array must have: `must be a 2D array`."""
POWERS = [16, 32]
"""What is tried where an error asks for a power of two: those that a size has on its own are smaller."""
OF_NUMBERS = re.compile(r"\b(power of|multiple of|divisible|divide|at least|even number|odd number)\b")
"""How an error says that a number is none of those that are taken."""
MATRIX = re.compile(r"(?<![\w.])(\d{1,2})[x×](\d{1,2})(?![\w.])")
"""How an error says the shape of a matrix: `3x3`."""
GOT = re.compile(r"\b(got|given|received|found)\b.*")
"""What an error says of the array that it was given."""
TRAILING = re.compile(
    r"(?:trailing|last) (?:length|dim\w*|axis|size)[^\d\n]{0,20}(\d+)|(\d+) (?:\w+ )?channels", re.IGNORECASE
)
"""How an error says how long the last axis of an array must be."""
WANTS_ARRAY = re.compile(r"'(?:int|float)' object has no attribute '(?:shape|dtype|ndim|size|at|astype|T)'")
"""How Python says that an array belongs in the place of a number."""


WANTS_PARTS = re.compile(
    r"'int' object is not (?:subscriptable|iterable)|object of type 'int' has no len\(\)"
)
"""How Python says that several numbers belong in the place of one."""
FACTORY = "<factory>"
"""How signatures of dataclasses write the default of a field that a function makes: an empty container."""
OF_ARRAYS = re.compile(r"PyTree|Array")
"""How annotations say that such a container holds arrays."""
PATIENCE = 8
"""How often one error that names other parameters is seen before these are tried."""


def names_others(others: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether nothing but one error was raised, which names parameters of another choice: no other values help."""
    if len(messages) < PATIENCE or len({*messages}) > 1:
        return False
    return not {*others}.isdisjoint(re.findall(r"\w+", messages[0]))


def is_of_others(others: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether, but for sizes that are no multiples, one error alone was raised: what may be left out is perhaps needed."""
    rest = {text for text in messages if not OF_NUMBERS.search(text)}
    return bool(others) and len(messages) >= 2 * PATIENCE and len(rest) == 1 < len({*messages})


def named_by(failure: Failure, parameters: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
    """The parameters that errors name."""
    words = words_of(failure.messages)
    return [parameter for parameter in parameters if parameter.name in words]


def words_of(messages: Iterable[str]) -> set[str]:
    """The words of errors that may be names: of one letter those in quotes alone."""
    return {word for text in messages for word in re.findall(r"\w{2,}|(?<=['\"`])\w(?=['\"`])", text)}


def missing(
    parameters: Iterable[inspect.Parameter], wanted: Sequence[inspect.Parameter]
) -> list[inspect.Parameter]:
    """The parameters that are not wanted yet."""
    return [parameter for parameter in parameters if parameter not in wanted]


def may_be_filled(parameter: inspect.Parameter, context: Context) -> bool:
    """Whether a part may be given that is None or empty by default: not where a docstring asks for an object of which nothing is known."""
    is_unknown = parameter.annotation in OPEN and parameter.name in context.documented.objects
    is_made_empty = repr(parameter.default) == FACTORY and OF_ARRAYS.search(str(parameter.annotation))
    return (parameter.default is None or bool(is_made_empty)) and not is_unknown


def taught(context: Context, failure: Failure, parameters: Sequence[inspect.Parameter]) -> Context:
    """The context with the words, numbers and shapes that errors name."""
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
    """The shapes that errors say an array must have."""
    text = GOT.sub("", text)
    shapes = [shape_named(dims) for dims in SHAPE.findall(text)]
    shapes += [shape_named(dims) for dims in ASKED.findall(text)]
    shapes += [(3,) * int(axes) for axes in RANK.findall(text)]
    shapes += [(int(rows), int(columns)) for rows, columns in MATRIX.findall(text)]
    lengths = [int(first or second) for first, second in TRAILING.findall(text)]
    return shapes + [shape for length in lengths if length <= LARGEST for shape in ((length,), (3, length))]


def dims_asked(messages: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """By argument, the dims that errors say of it by its name."""
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
    """Whether all errors ask for shapes, which are not the first ones that are tried."""
    asked = [(shapes_named(text), dims_asked([text], names)) for text in {*messages}]
    every = {shape for shapes, _ in asked for shape in shapes}
    is_new = any(
        context.documented.dims.get(name) != said for _, dims in asked for name, said in dims.items()
    )
    is_new = is_new or not every <= {*context.shapes[: len(every)]}
    return bool(asked) and all(shapes or dims for shapes, dims in asked) and is_new


def asks_for_numbers(messages: Sequence[str], context: Context) -> bool:
    """Whether many errors, and nothing else, ask for numbers that are not known yet."""
    is_asked = len(messages) >= 2 * PATIENCE and all(map(OF_NUMBERS.search, {*messages}))
    return is_asked and bool({*numbers_named("\n".join(messages))} - {*context.numbers})


def numbers_named(text: str) -> list[int]:
    """The sizes that errors name, and powers of two where they ask for one."""
    counts = [int(word) for word in sorted({*re.findall(r"\w+", text)}) if word.isdigit()]
    asked = POWERS if "power of two" in text or "power of 2" in text else []
    return [*asked, *(count for count in counts if 1 < count <= LARGEST)]


def shape_named(dims: str) -> tuple[int, ...]:
    """The shape that an error names, with 3 for a dim that has a name."""
    return tuple(int(dim) if dim.isdigit() else 3 for dim in re.findall(r"\w+", dims))


def alternatives(
    wanted: Sequence[inspect.Parameter], further: Sequence[inspect.Parameter], *, has_numbers: bool = False
) -> list[list[inspect.Parameter]]:
    """The parameters with all that errors name, and with each of these alone: some exclude each other.

    Numbers that an error names are tried first for what is needed.
    """
    again = [[*wanted]] if further and has_numbers else []
    singly = ([*wanted, parameter] for parameter in further if len(further) > 1)
    return [*again, [*wanted, *further], *singly]
