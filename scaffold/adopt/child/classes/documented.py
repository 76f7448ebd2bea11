"""Facts about arguments from docstrings and comments, such as dims, dtypes and types."""

import dataclasses
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..values import names
from ..values.annotations import EMPTY
from ..values.context import Documented
from .class_sources import field_docstrings, source_text
from .methods import is_base, passed_on_to
from .uses.uses import LETTER, WORDS, flags_in, matrices_in, weights_in

_WORD = r"(?:\.{3}|\*(?=,)|\*?\w+(?:\s*[-+*/]+\s*\w+)?)"
_WORDS = rf"{_WORD}(?:,\s*{_WORD})*,?"
_BEING = r"(?:of|is|(?:should|must|has to)\s+be)"
_SEVERAL = rf"{_WORD}(?:,\s*{_WORD})+,?|\w+,"
_BY = r"\w+ [x×] \w+|\w[x×]\w"
"""Matches rows and columns, such as `k x k`."""
SHAPES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:shaped?|dimensions?|dims)(?:\s*=|:?\s+(?:{_BEING}\s+)?)\s*[`'\"]*[(\[]({_WORDS})[)\]]",
        rf"(?<![\w.])\(({_SEVERAL})\)[`'\"]*[\s-]*(?:array|tensor|matrix|vector|shape|float|int|bool)",
        rf"(?<![\w.])`*({_BY})`*[ -](?:\w+ )?matri(?:x|ces)\b",
        rf"(?:array|tensor|matrix|vector|features?|inputs?|states?|indices|weights)s?:?\s+[`'\"]*[(\[]({_SEVERAL})[)\]]",
    )
)
"""Match the shape of an array in a text: names, numbers, and sums of them."""
BRACKETS = re.compile(
    rf"(?<![\w.])(?<!in )(?<!range )(?<!interval )(?<!between )(?!\[?\(?(?!\.{{3}})[\d., ]+[)\]])[(\[]({_SEVERAL})[)\]]"
)
DIM = re.compile(
    r"\d+|\.{3}|\w{1,2}|[nN]_\w+|\w*(batch|num|seq|len|dim|feat|chan|height|width|time|size|samples?|nodes?|edges?|heads?|hidden|"
    r"embed|vocab|classes|steps?|tokens?|points?|atoms?|units?|rows?|cols?)\w*"
)
"""Matches words that are dims even if a text says no more than brackets."""
SINGLE = re.compile(r"(?<![\w.])\[(\w{3,})\]")
"""Matches a single word in brackets.

A word that counts something or names another argument is a dim. Any other word is a unit.
"""
COUNTS = re.compile(r"n(um)?_\w+")
AXES = 2
"""Default number of axes of `*name`, as of a picture."""
NO_DEFAULTS: Mapping[str, Any] = MappingProxyType({})
COMMENT = re.compile(
    rf"^\s+(\w+)\s*:[^#\n]*#\s*[`'\"]*(?:shape\s*:?\s*)?[(\[]({_SEVERAL})[)\]]", re.MULTILINE
)
"""Matches a comment beside a field that gives its shape."""
COMMENT_OF_NAME = re.compile(rf"#\s*`?(\w+)`?(?:\s*[:=]|\.shape\s*[:=]+|\s+is)\s*[(\[]({_SEVERAL})[)\]]")
COMMENT_OF_HEAD = re.compile(rf"def \w+\([^#\n]*:\s*#\s*[(\[]({_SEVERAL})[)\]]")
"""Matches a comment beside the head of a method, with the shape of the first argument."""
TYPES = re.compile(r"\b(Array|ndarray|int|float|bool|str|None|Any|optional|default|tuple|list|Callable)\b")
"""Matches words in brackets that belong to a type, and not to a shape."""
TYPED = re.compile(r"\w`*[ \t]*(?:\(([^()\n]*)\)[ \t]*:|:[ \t]*([^\n.]*)$)", re.MULTILINE)
"""Matches the type in the first line of an entry, such as `size (int, optional): ...` or `size : int`."""
KINDS: dict[str, Any] = {
    **{"int": int, "integer": int, "float": float, "bool": bool, "boolean": bool, "str": str, "string": str},
    **{"dict": dict, "tuple": tuple, "list": list, "callable": Callable, "function": Callable},
}


def documented(cls: type, arguments: Iterable[str], method: str = "__init__") -> Documented:
    """Collect facts about arguments from docstrings of the class and a method, and from comments."""
    texts, dims = [*docstrings_of(cls, method)], dict[str, str]()
    is_call = method != "__init__"
    arguments = [*arguments]
    comments = comments_in(cls, method, arguments) if is_call else comments_of(cls)
    below = {} if is_call else field_docstrings(cls)
    said = {
        name: [entry for text in texts for entry in entries(text, name)]
        + ([below[name]] if name in below else [])
        for name in arguments
    }
    types = {name: kind for name, found in said.items() if (kind := type_in(found)) is not None}
    types |= streams_in(cls, said)
    arguments_of_class = defaults_of_constructor(cls)
    for name, found in said.items():
        texts_with_shapes = (shape_in(text, arguments_of_class) for text in found)
        shapes = [*filter(None, texts_with_shapes), *([comments[name]] if name in comments else [])]
        if shapes:
            dims[name] = shapes[0]
        elif any(map(names.DOCUMENTED_SCALAR.search, found)) or (is_call and types.get(name) is float):
            dims[name], types[name] = "", EMPTY
    dtypes = dict.fromkeys(flags_in(cls) & said.keys(), "bool")
    dtypes |= {name: dtype for name, found in said.items() if (dtype := dtype_in(found))}
    ascending = (name for name, found in said.items() if any(map(names.DOCUMENTED_ORDER.search, found)))
    domains = {name: domain for name, found in said.items() if (domain := domain_in(found))}
    letters = [name for name in said if LETTER.search(name)]
    used = matrices_in(cls) if letters else frozenset[str]()
    matrices = {name for name in letters if name in used or any(map(WORDS.search, said[name]))}
    matrices |= {name for name, found in said.items() if any(map(names.DOCUMENTED_DEFINITE.search, found))}
    marked = (names.DOCUMENTED_UPPER, names.DOCUMENTED_OBJECT)
    upper, objects = (
        frozenset(name for name, found in said.items() if any(map(words.search, found))) for words in marked
    )
    limits = limits_of(cls)
    parts = dims, dtypes, tuple(ascending), domains, types, limits, frozenset(matrices), upper, objects
    return Documented(*parts, static_fields(cls), weights_in(cls))


def streams_in(cls: type, arguments: Iterable[str]) -> dict[str, Any]:
    """Map arguments to `nnx.Rngs` if an NNX module draws keys from them, as in `self.rng()`."""
    nnx: Any = sys.modules.get("flax.nnx")
    if nnx is None or not issubclass(cls, nnx.Module):
        return {}
    text = "\n".join(source_text(owner) for owner in cls.__mro__ if not is_base(owner))
    drawn = (name for name in arguments if re.search(rf"\b{re.escape(name)}(\.\w+)?\(\)", text))
    return {name: nnx.Rngs for name in drawn if names.KEY.search(name)}


def static_fields(cls: type) -> frozenset[str]:
    """Return the fields that a dataclass marks as static."""
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return frozenset(field.name for field in fields if field.metadata.get("static"))


def limits_of(cls: type) -> dict[str, tuple[float, float]]:
    """Return the limits of parameters from two dicts of a class, `lower_limits` and `upper_limits`."""
    lower, upper = (
        {name: number for each in dir(cls) if words.search(each) for name, number in numbers_in(cls, each)}
        for words in names.LIMITS
    )
    return {name: (low, upper[name]) for name, low in lower.items() if low < upper.get(name, low)}


def numbers_in(cls: type, attribute: str) -> list[tuple[str, float]]:
    """Return the entries of an attribute that is a dict of numbers by name."""
    held = inspect.getattr_static(cls, attribute, None)
    entries = held.items() if isinstance(held, dict) else ()
    return [(key, value) for key, value in entries if isinstance(key, str) and type(value) in (int, float)]


def type_in(texts: Iterable[str]) -> Any:
    """Return the type in the first line of an entry, or None unless the line names a single known type."""
    found = (match[1] or match[2] for text in texts if (match := TYPED.search(text.partition("\n")[0])))
    words = (
        re.sub(r",? *\b(optional|default.*|defaults.*)$", "", text).strip("` ").lower() for text in found
    )
    return next((KINDS[word] for word in words if word in KINDS), None)


def domain_in(texts: Iterable[str]) -> str:
    """Return the function that maps to the domain of a text, such as `jnp.exp`, or an empty text."""
    text = "\n".join(texts)
    return next((domain for domain, words in names.DOCUMENTED_DOMAINS.items() if words.search(text)), "")


def is_promised(cls: type, name: str) -> bool:
    """Whether a class exists for a method: a base leaves the method open, or a docstring calls it."""
    return any(leaves_open(owner, name) for owner in cls.__mro__[1:]) or any(
        re.search(rf"\.{re.escape(name)}\(", text) for text in docstrings_of(cls)
    )


def leaves_open(owner: type, name: str) -> bool:
    """Whether a class leaves a method to subclasses: abstract, or raising `NotImplementedError`."""
    method: Any = vars(owner).get(name)
    names = getattr(getattr(inspect.unwrap(method), "__code__", None), "co_names", ())
    return name in getattr(owner, "__abstractmethods__", ()) or "NotImplementedError" in names


def defaults_of_constructor(cls: type) -> dict[str, Any]:
    """Return the defaults of the constructor's arguments by name."""
    try:
        parameters = inspect.signature(
            cls.__new__ if issubclass(cls, tuple) else cls.__init__
        ).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {parameter.name: parameter.default for parameter in parameters}


def shape_in(text: str, defaults: Mapping[str, Any] = NO_DEFAULTS) -> str:
    """Return the dims of the first shape in a text, or an empty text.

    The keys of `defaults` are arguments of the constructor, which count as dims. The value of `name` is the
    number of axes of `*name`.
    """
    matches = sorted((match.start(1), match[1]) for shape in SHAPES for match in shape.finditer(text))
    groups = [dims for _, dims in matches if not TYPES.search(dims)]
    groups += [
        dims
        for dims in BRACKETS.findall(text)
        if all(DIM.fullmatch(word) or word[0] == "*" or word in defaults for word in words_of(dims))
    ]
    groups += [word for word in SINGLE.findall(text) if COUNTS.fullmatch(word) or word in defaults]
    words = words_of(groups[0]) if groups else []
    counts = {word: axes_of(word[1:], defaults) for word in words if word.startswith("*")}
    if None in counts.values():
        return ""
    return " ".join(axis for word in words for axis in counts.get(word) or [word])


def axes_of(name: str, defaults: Mapping[str, Any]) -> list[str] | None:
    """Name the dims of `*name`, as many as the default of the argument `name`.

    Return None if the default is not an int from 1 to 4.
    """
    count = defaults.get(name, AXES)
    return [f"{name}_{axis}" for axis in range(count)] if type(count) is int and 0 < count < 5 else None


def words_of(dims: str) -> list[str]:
    """Split dims at commas, or at the `x` of `k x k`. A star alone becomes `...`, any number of dims."""
    words = (re.sub(r"\s", "", part) for part in re.split(r",|(?<=\w) [x×] |(?<=\b\w)[x×](?=\w\b)", dims))
    return ["..." if word == "*" else word for word in words if word]


def dtype_in(texts: Iterable[str]) -> str:
    """Return `int` or `bool` if a text says so of an array, or an empty text for floats."""
    text = "\n".join(texts)
    if names.DOCUMENTED_FLOAT.search(text):
        return ""
    if names.DOCUMENTED_WHOLE.search(text):
        return "int"
    return "bool" if names.DOCUMENTED_FLAGS.search(text) else ""


def comments_of(cls: type) -> dict[str, str]:
    """Return the dims in comments beside fields, such as `codes: Array  # (size, width)`."""
    found = dict[str, str]()
    for owner in reversed(cls.__mro__):
        if not is_base(owner):
            matches = COMMENT.finditer(source_text(owner))
            found |= {match[1]: shape_in(f"shape ({match[2]})") for match in matches}
    return {name: dims for name, dims in found.items() if dims}


def comments_in(cls: type, method: str, arguments: Sequence[str]) -> dict[str, str]:
    """Return the dims in comments of a method, such as `# x: (batch, length, dim)`.

    A comment beside the head of the method is about the first argument.
    """
    source = source_text(getattr(cls, method, None))
    found = {match[1]: match[2] for match in COMMENT_OF_NAME.finditer(source)}
    head = COMMENT_OF_HEAD.search(source)
    found |= {arguments[0]: head[1]} if head and arguments else {}
    shapes = {name: shape_in(f"shape ({found[name]})") for name in arguments if name in found}
    return {name: dims for name, dims in shapes.items() if dims}


def entries(text: str, name: str) -> Iterator[str]:
    """Yield the entries of an argument in a docstring, each from its name to the next entry.

    An item of a list is an entry as well, such as "* `df >= k` denotes the degrees of freedom".
    """
    mark = r"^[ \t]*(?:[-*][ \t]+)?`*"
    following = mark.replace("^", "(?!", 1) + r"[\w, ]+`*(?: \([^)\n]*\))?[ ]?:)"
    beside = r"(?:\w+`*,[ ]`*)*"  # `origins, directions : (n, 3)`
    pattern = rf"{mark}{beside}{re.escape(name)}\b[^\n:]*:.*(?:\n{following}.+)*"
    item = rf"^[ \t]*[-*][ \t]+`+{re.escape(name)}\b[^`\n]*`+[ \t]+(?:is|are|denotes?)\b.*(?:\n(?![ \t]*(?:[-*][ \t]|\n)).+)*"
    for match in re.finditer(f"{pattern}|{item}", text, re.MULTILINE):
        yield match[0]


def docstrings_of(cls: type, method: str = "__init__") -> Iterator[str]:
    """Yield docstrings of a method, and of one that it passes its arguments on to.

    They are those of a class and its own bases. For `__init__` and `__call__`, yield the docstrings of the
    classes too.
    """
    owners = [owner for owner in cls.__mro__ if not is_base(owner)]
    for owner, name in itertools.product(owners, filter(None, (method, passed_on_to(cls, method)))):
        yield getattr(vars(owner).get(name), "__doc__", None) or ""
    for owner in owners if method in ("__init__", "__call__") else ():
        yield owner.__doc__ or ""
