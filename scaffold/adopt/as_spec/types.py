"""The type of what a class holds and takes: its annotation where that is of the grammar, or else what was found of it."""

import ast
import re
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct, field

from scaffold.adopt.as_spec.shapes import Dims, Held, Seen, array_in
from scaffold.adopt.as_spec.source import ClassSource
from scaffold.spec.entries import without_none
from scaffold.spec.signature import parse_returns
from scaffold.spec.skeletons.annotations import type_of
from scaffold.spec.synonyms import TypeSyntaxError
from scaffold.spec.type_parser import parse_type
from scaffold.spec.types import ArrayType, CallableType, ClassType, TreeType, arrays, walk

_ARRAYS = re.compile(r"(?:\b[\w.]+[.:])?\b(?:Array|ArrayLike|ndarray)\b(?!\s*,)")
_NUMBER = re.compile(r"-?\d+")


class Types(Struct):
    """Finds types, and remembers which of them no annotation says."""

    source: ClassSource
    seen: Seen
    other: Seen | None
    dims: Dims
    guessed: dict[str, str] = field(default_factory=dict[str, str])
    """What is typed by what was found, with the word where that is from."""
    foreign: list[str] = field(default_factory=list[str])

    def written(self, annotation: ast.expr | None) -> str:
        """The annotation in the grammar of types; empty where it says too little."""
        if annotation is None:
            return ""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                ast.parse(annotation.value, mode="eval")
            except SyntaxError:
                return ""
        text, foreign = type_of(annotation, self.source.names, self.source.notes)
        return self._sound(plain_type(text), foreign)

    def _sound(self, text: str, foreign: tuple[str, ...] = ()) -> str:
        try:
            kind = parse_type(text)
        except TypeSyntaxError:
            return ""
        classes = [one for one in walk(kind) if isinstance(one, ClassType) and one.module is None]
        if any(one.name != self.source.node.name and one.name not in self._variables() for one in classes):
            return ""
        self.foreign += foreign
        return text

    def _variables(self) -> set[str]:
        return set(self.source.names.variables)

    def filled(self, annotation: ast.expr | None, held: Held | None, other: Held | None) -> str:
        """The annotation with an array of the shape that was found in the place of each that has none."""
        if annotation is None or held is None:
            return ""
        text, foreign = type_of(annotation, self.source.names, self.source.notes)
        text = plain_type(text)
        shaped = self.dims.type(held, other)
        return self._sound(_ARRAYS.sub(shaped, text.replace(shaped, "Array")), foreign)

    # -- fields --------------------------------------------------------------------------------------------------------

    def of_field(self, name: str, annotation: ast.expr) -> str:
        """The type of a field; `tree` where only its leaves are known, and nothing where not even these are."""
        said = self.written(annotation)
        if said and not (hides_array(said) and name in self.seen.leaves):
            return said
        path = str(self.source.children.index(name)) if name in self.source.children else name
        found = {one.partition(".")[0] for one in self.seen.leaves}
        path = path if path in found else name
        held, is_whole = self.held(self.seen, path)
        other = self.held(self.other, path)[0] if self.other is not None else None
        optional = " | None" if _may_be_none(annotation) else ""
        text = "" if said else self.filled(annotation, held, other)
        if not text and held is not None:
            text = self.dims.type(held, other) + optional if is_whole else "tree"
            text = "float" if held.role == "python" else text
        text = text or self.of_value(self.seen.static.get(name, ""))
        if text:
            self.guessed[name] = (
                "the shape that was found" if held is not None else "the value that was found"
            )
        return text

    def size_of(self, fields: Mapping[str, Any], dim: str) -> int | None:
        """The size of a dim in the instance that was found."""
        for name, table in fields.items():
            held = self.seen.leaves.get(name)
            kinds = arrays(parse_type(str(table["type"]))) if held is not None else ()
            pairs = zip(kinds[0].dims, held.shape, strict=False) if kinds and held is not None else ()
            for text, size in pairs:
                if text == dim:
                    return size
        return None

    def size_of_result(self, text: str, dim: str) -> int | list[int] | None:
        """The size, or the sizes, of a dim in what the call returns."""
        kinds, _ = parse_returns(text) if text else ((), False)
        for kind, held in zip(kinds, self.seen.outputs, strict=False):
            for array in arrays(kind):
                if array.dims == (f"*{dim}",):
                    return list(held.shape)
                found = dict(zip(array.dims, held.shape, strict=False))
                if dim in found:
                    return found[dim]
        return None

    @staticmethod
    def held(seen: Seen, name: str) -> tuple[Held | None, bool]:
        """The first array at or below a field, and whether it is the field itself."""
        if name in seen.leaves:
            return seen.leaves[name], True
        below = [one for path, one in seen.leaves.items() if re.match(rf"{re.escape(name)}\b", path)]
        return (below[0] if below else None), False

    def of_value(self, text: str) -> str:
        """The type of a literal."""
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return ""
        return _of_literal(value)

    # -- arguments and results -----------------------------------------------------------------------------------------

    def of_argument(self, place: str, name: str, annotation: ast.expr | None, example: str) -> str:
        """The type of an argument, by its annotation or by the example that was found; `tree` for other arrays."""
        said = self.written(annotation)
        if said and not (hides_array(said) and is_sampled(example)):
            return said
        text = self.of_example(name, annotation, example)
        if text:
            self.guessed[f"{place}.{name}"] = "the argument that was found"
        return text

    def of_example(self, name: str, annotation: ast.expr | None, example: str) -> str:
        try:
            held = array_in(example) if example else None
        except SyntaxError:
            held = None
        optional = " | None" if annotation is not None and _may_be_none(annotation) else ""
        if held is not None:
            second = self._second(name)
            hidden = hides_array(self.written(annotation) or "tree")
            filled = "" if hidden else self.filled(annotation, held, second)
            return filled or self.dims.type(held, second) + optional
        value = self.of_value(example) or ("callable" if re.fullmatch(r"[\w.]+", example) else "")
        return value + optional if value else ""

    def _second(self, name: str) -> Held | None:
        texts = [self.other.inputs.get(name, "")] if self.other is not None else []
        if self.other is not None:
            texts += [given.get(name, "") for given in map(self.other.arguments, self.other.methods)]
        return next((one for one in map(array_in, filter(None, texts)) if one is not None), None)

    def of_result(self, method: str, annotation: ast.expr | None) -> str:
        """The types of the results; nothing where nobody knows them."""
        said = self.written(annotation)
        if said:
            return said
        if method != self.seen.called or not self.seen.outputs:
            return ""
        others = self.other.outputs if self.other is not None else []
        pairs = [
            self.dims.type(one, others[place] if place < len(others) else None)
            for place, one in enumerate(self.seen.outputs)
        ]
        self.guessed[f"{method}: its result"] = "the shape that was found"
        return ", ".join(pairs)


def hides_array(text: str) -> bool:
    """Whether a type names a class and no array: the name may stand for one, as an alias does."""
    parts = [*walk(parse_type(text))]
    return any(isinstance(one, ClassType) for one in parts) and not any(
        isinstance(one, ArrayType | TreeType | CallableType) for one in parts
    )


def is_sampled(example: str) -> bool:
    """Whether an argument was found to be an array."""
    return example.startswith("sample(")


def plain_type(text: str) -> str:
    """A type without what says nothing to a spec: who is bound by a dim, a dtype's class, the word for abstract fields."""
    text = re.sub(r"\bdtype\[[^\]]*\]", "dtype", " ".join(text.split())).replace("=_", "")
    inner = re.fullmatch(r"(?:[\w.]+[:.])?(?:AbstractVar|StateIndex)\[(.*)\]", text)
    return inner[1].strip("'") if inner is not None else text


def _may_be_none(annotation: ast.expr) -> bool:
    return bool(re.search(r"\bNone\b|\bOptional\b", ast.unparse(annotation)))


def is_nullable(text: str) -> bool:
    """Whether a type takes None."""
    kind = parse_type(text)
    return without_none(kind) is not kind


def _of_literal(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "str"
        case tuple() if value:
            kinds = [_of_literal(one) for one in cast("tuple[object, ...]", value)]
            return (
                f"tuple[{kinds[0]}, ...]"
                if len({*kinds}) == 1 and kinds[0]
                else f"tuple[{', '.join(kinds)}]" * all(kinds)
            )
        case _:
            return ""
