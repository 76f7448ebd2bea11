"""Shapes in named sizes: an instance of some sizes, and another one of others, tell which dim is which."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from scaffold.spec.synonyms import DTYPES

Shape = tuple[int, ...]
_SHORT = {name: short for short, (_, name) in reversed(DTYPES.items())}
_FACTORS = (2, 3, 4)
FREE = ("n", "m", "k", "l", "p", "q")
"""The names of sizes that nothing names."""


class Held(Struct, frozen=True):
    """An array that was found: its shape, its dtype as the grammar of types has it, and its role."""

    shape: Shape
    dtype: str
    role: str = ""


class Seen(Struct, frozen=True, dict=True):
    """What the search found of one instance."""

    found: Mapping[str, Any]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The ints among the arguments and the static values, by name."""
        pairs = [*self.found.get("inputs", ()), *self.found.get("static", ())]
        texts = {name: text for name, text in pairs if name.isidentifier()}
        return {name: int(text) for name, text in texts.items() if text.isdigit() and int(text) > 1}

    @cached_property
    def leaves(self) -> dict[str, Held]:
        """The arrays by path."""
        calls = [_call(text) for text in self.found.get("leaves", ())]
        return {one[0]: Held(_shape(one), _dtype(_at(one, 3, "dtype", "float")), one[1]) for one in calls}

    @cached_property
    def static(self) -> dict[str, str]:
        """The static values as source, `...` where they have none."""
        return {name: text for name, text in self.found.get("static", ())}

    @cached_property
    def inputs(self) -> dict[str, str]:
        """The arguments of the constructor as source."""
        return {name: text for name, text in self.found.get("inputs", ())}

    @cached_property
    def outputs(self) -> list[Held]:
        """The arrays that the call returns."""
        calls = [_call(text) for text in self.found.get("outputs", ())]
        return [Held(tuple(one[0] or ()), _dtype(_at(one, 1, "dtype", "float"))) for one in calls]

    def arguments(self, method: str) -> dict[str, str]:
        """The arguments of a method as source, where they are found."""
        called = self.found.get("method", "") or "__call__"
        rows = [[called, self.found.get("arguments", ())]] if self.found.get("called") else []
        rows += self.found.get("further", ())
        return {name: text for row, given in rows if row == method for name, text, _ in given}

    def example(self, name: str) -> str:
        """What an argument was found to be, as source."""
        rows = [one for one in (self.inputs, *map(self.arguments, self.methods)) if name in one]
        return rows[0][name] if rows else ""

    @property
    def methods(self) -> list[str]:
        """The call and the methods whose arguments were found."""
        return [*filter(None, [self.called]), *(name for name, _ in self.found.get("further", ()))]

    def imports_for(self, text: str, known: Sequence[str]) -> list[str]:
        """The imports that an example needs, but for those of names that are `known`."""
        pairs = [pair for part in ("", "call_", "further_") for pair in self.found.get(f"{part}imports", ())]
        names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} - {*known}
        return [line for name, line in pairs if name in names]

    @property
    def given(self) -> Iterator[Held]:
        """The arrays that constructor and methods are given."""
        rows = [[("", text, False) for text in self.inputs.values()], self.found.get("arguments", ())]
        rows += [given for _, given in self.found.get("further", ())]
        yield from filter(None, (array_in(text) for row in rows for _, text, _ in row))

    @property
    def called(self) -> str:
        """The method that is the call."""
        return str(self.found.get("method", "") or "__call__") if self.found.get("called") else ""


class _Parts(dict[Any, Any]):
    """The arguments of a call, by place and by name."""


def _call(text: str) -> _Parts:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    placed = {place: _literal(one) for place, one in enumerate(node.args)}
    return _Parts({**placed, **{one.arg: _literal(one.value) for one in node.keywords}})


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _at(parts: _Parts, place: int, name: str, default: Any) -> Any:
    return parts.get(place, parts.get(name, default))


def _shape(parts: _Parts) -> Shape:
    return tuple(_at(parts, 2, "shape", None) or ())


def _dtype(name: str) -> str:
    return {"float": "f", "int": "i32", "complex": "c64"}.get(name) or _SHORT.get(name, "f")


def array_in(text: str) -> Held | None:
    """The array that an example argument is, `sample(seed, (3,))`; None where it is none."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.BinOp):
        return array_in(ast.unparse(node.left))
    if not isinstance(node, ast.Call):
        return None
    maker = ast.unparse(node.func)
    if maker == "jax.random.key":
        return Held((), "key")
    if maker != "sample":
        return None
    parts = _call(text)
    dtype = {"float": "f", "int": "i32", "complex": "c64"}.get(_at(parts, 2, "dtype", "float"), "f")
    return Held(tuple(_at(parts, 1, "shape", None) or ()), dtype)


class Dims(Struct, frozen=True):
    """The names of the dims, from the sizes of one instance, and of a second one that has others."""

    sizes: Mapping[str, int]
    others: Mapping[str, int]

    @classmethod
    def of(cls, seen: Seen, other: Seen | None) -> "Dims":
        """The sizes that have names, and names for those of arrays that are given in any size."""
        sizes, others = dict(seen.sizes), dict(other.sizes) if other is not None else {}
        free = (name for name in FREE if name not in sizes)
        for size in dict.fromkeys(size for held in seen.given for size in held.shape):
            if size > 1 and size not in sizes.values() and (name := next(free, None)):
                sizes[name] = size
        return cls(sizes, others)

    def type(self, held: Held, other: Held | None) -> str:
        """The type of an array: `f[out_size,in_size]`."""
        second = other.shape if other is not None and len(other.shape) == len(held.shape) else None
        dims = (self.dim(size, second[axis] if second else None) for axis, size in enumerate(held.shape))
        return f"{held.dtype}[{','.join(dims)}]"

    def dim(self, size: int, other: int | None) -> str:
        """The first text that gives both sizes; the size itself where none does."""
        for text, value, second in self._texts():
            if value == size and (other is None or second == other):
                return text
        return str(size) if other in (None, size) and size else "size"

    def _texts(self) -> Iterator[tuple[str, int, int | None]]:
        both = [(name, size, self.others.get(name)) for name, size in self.sizes.items()]
        yield from both
        for name, size, other in both:
            yield from ((f"{by}*{name}", by * size, other and by * other) for by in _FACTORS)
            yield from ((f"{name}{by:+}", size + by, other and other + by) for by in (1, -1))
        for place, (name, size, other) in enumerate(both):
            for last, size_of_last, other_of_last in both[place:]:
                yield f"{name}*{last}", size * size_of_last, other and other_of_last and other * other_of_last
                yield f"{name}+{last}", size + size_of_last, other and other_of_last and other + other_of_last


OTHER_SIZES = (5, 7, 11, 13, 17, 19)


def other_sizes(sizes: Sequence[str]) -> dict[str, str]:
    """What is said of the arguments of a second instance, so that no size is the one that it was."""
    return {name: str(size) for name, size in zip(sizes, OTHER_SIZES, strict=False)}
