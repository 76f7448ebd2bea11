"""The type grammar: `f[out_size,in_size]`, `int`, `list[Affine]`, `pkg.mod:Class`, and their annotations.

A type is written in jax's own short notation and parsed with Python's parser, so every type is a Python
expression but for `f[]` (a scalar array) and `pkg.mod:Class` (a class of another module).
"""

import ast
import re
from collections.abc import Iterator
from keyword import iskeyword

from msgspec import Struct

from scaffold.spec.grammar.synonyms import DTYPES, TypeSyntaxError, keyword_in, plain
from scaffold.spec.grammar.types import (
    LARGEST,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    OpaqueType,
    ScalarType,
    SetType,
    TreeType,
    TupleType,
    Type,
    UnionType,
    walk,
)
from scaffold.spec.source.expressions import parse

SCALARS = ("int", "bool", "str", "float", "dtype", "slice")
LEGAL_TYPES = (
    "DTYPE[dims] with DTYPE one of " + " ".join(DTYPES),
    *SCALARS,
    *("tuple[int, ...]", "frozenset[str]", "callable", "Class", "pkg.mod:Class", "list[TYPE]"),
    *("dict[str, TYPE]", "tree"),
    "Literal['a', 'b']",
    "TYPE | None",
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_ALIASES = {"eqx": "equinox", "jnp": "jax.numpy", "np": "numpy"}
_QUOTED = r"'[^']*'|\"[^\"]*\""
_FOREIGN = r"\b([A-Za-z_][\w.]*):([A-Za-z_]\w*)"


def parse_type(text: str) -> Type:
    """The type that `text` writes; behind `=` an annotation that is kept as it is. Raises `TypeSyntaxError`."""
    if text.lstrip().startswith("="):
        return OpaqueType(_annotation(text.lstrip()[1:].strip()))
    foreign: dict[str, tuple[str, str]] = {}

    def hide(match: re.Match[str]) -> str:
        placeholder = f"__foreign_{len(foreign)}"
        first, dot, rest = match[1].partition(".")
        foreign[placeholder] = (_ALIASES.get(first, first) + dot + rest, match[2])
        return placeholder

    if not re.sub(_QUOTED, "", text).isascii():  # Python itself takes some letters for others
        raise TypeSyntaxError(f"`{_shortened(text)}` is not a type")
    source = re.sub(_FOREIGN, hide, text.strip().replace("[]", "[()]"))
    try:
        tree = parse(source, expression=True)
    except SyntaxError as error:
        raise _not_python(text, error.msg) from None
    assert isinstance(tree, ast.Expression)
    try:
        return _Parser(text, foreign).parse(tree.body)
    except TypeSyntaxError as error:
        raise TypeSyntaxError(*(_as_written(part, foreign) for part in (str(error), error.fix))) from None


def _as_written(message: str, foreign: dict[str, tuple[str, str]]) -> str:
    """A message with the classes of other modules as their author wrote them."""
    for placeholder, (module, name) in foreign.items():
        message = re.sub(rf"\b{placeholder}\b", f"{module}:{name}", message)
    return message


def _annotation(text: str) -> str:
    """The source of an annotation."""
    try:
        parse(text, expression=True)
    except SyntaxError as error:
        raise _not_python(text, error.msg) from None
    return text


def _not_python(text: str, why: str) -> TypeSyntaxError:
    """The error for what Python's parser refuses."""
    told, word = f"`{_shortened(text)}` is not a type", keyword_in(text)
    if "nested" in why:
        return TypeSyntaxError(f"{told}: {why}")
    if word is not None:
        return TypeSyntaxError(
            f"{told}: `{word}` is a keyword of Python", f"rename it, to `{word}_size` for example"
        )
    return TypeSyntaxError(told)


def _shortened(text: str) -> str:
    return text if len(text) < 80 else f"{text[:40]}..."


class _Parser(Struct, frozen=True):
    text: str
    foreign: dict[str, tuple[str, str]]

    def parse(self, node: ast.expr) -> Type:
        match plain(node):
            case ast.Name(id=name):
                return self.parse_name(name)
            case ast.Subscript(value=ast.Name(id=head), slice=inner):
                return self.parse_subscript(head, inner)
            case ast.BinOp(op=ast.BitOr()) as union:
                return self.parse_union(union)
            case _:
                raise self.error(node)

    def parse_name(self, name: str) -> Type:
        if name in self.foreign:
            return self.foreign_class(*self.foreign[name])
        if name in SCALARS:
            return ScalarType(name)
        if name in DTYPES:
            fix = f"write `{name}[]` for a scalar array, `{name}[size]` for one with dims"
            raise TypeSyntaxError(f"`{name}` has no dims", fix)
        if name in ("callable", "Callable"):
            return CallableType()
        if name == "tree":
            return TreeType()
        if name in _FILLED:
            raise TypeSyntaxError(f"`{name}` does not say what it holds: write `{_FILLED[name]}`")
        if not name[:1].isupper() or not name.isascii() or iskeyword(name):
            raise TypeSyntaxError(f"`{name}` is not a type")
        return ClassType(name)

    def foreign_class(self, module: str, name: str) -> ClassType:
        if any(not part.isidentifier() or iskeyword(part) for part in (*module.split("."), name)):
            raise TypeSyntaxError(f"`{module}:{name}` names no module: write `package.module:Class`")
        return ClassType(name, module)

    def parse_subscript(self, head: str, inner: ast.expr) -> Type:
        items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if head in DTYPES:
            return self.parse_array(head, items)
        if head == "list" and len(items) == 1:
            return ListType(self.parse(items[0]))
        if head == "dict" and len(items) == 2 and ast.unparse(items[0]) == "str":
            return DictType(self.parse(items[1]))
        if head == "frozenset" and len(items) == 1:
            return self.parse_set(items[0])
        if head == "tuple" and items:
            return self.parse_tuple(items)
        if head == "Literal" and items:
            return self.parse_literal(items)
        raise self.error(inner, head)

    def parse_array(self, dtype: str, items: list[ast.expr]) -> ArrayType:
        if sum(isinstance(item, ast.Starred) for item in items) > 1:
            raise TypeSyntaxError(f"`{self.text}` has two dims with `*`, so neither has a definite length")
        return ArrayType(dtype, tuple(self.dim(item) for item in items))

    def parse_literal(self, items: list[ast.expr]) -> LiteralType:
        values = [_constant(item) for item in items]
        wrong = [item for item, value in zip(items, values, strict=True) if value is None]
        if wrong:
            told = ast.unparse(wrong[0])
            raise TypeSyntaxError(f"`{told}` of `{self.text}` is not a str, an int or a bool")
        # By type as well: True equals 1.
        distinct = {(type(value), value): value for value in values if value is not None}
        return LiteralType(tuple(distinct.values()))

    def parse_tuple(self, items: list[ast.expr]) -> TupleType:
        last = items[-1]
        variadic = isinstance(last, ast.Constant) and last.value is Ellipsis
        members = items[:-1] if variadic else items
        if variadic and len(members) != 1:
            raise TypeSyntaxError(f"`...` follows one type: write `tuple[int, ...]` (in `{self.text}`)")
        return TupleType(tuple(self.parse(item) for item in members), variadic)

    def parse_set(self, node: ast.expr) -> SetType:
        item = self.parse(node)
        if any(not isinstance(part, _HASHABLE) or part == ScalarType("slice") for part in walk(item)):
            raise TypeSyntaxError(f"`{self.text}` holds what has no hash", "write `tuple[..., ...]`")
        return SetType(item)

    def parse_union(self, node: ast.expr) -> UnionType:
        parts = list(_alternatives(node))
        members = [part for part in parts if ast.unparse(part) != "None"]
        if not members:
            raise TypeSyntaxError(f"`{self.text}` holds None alone")
        kinds = dict.fromkeys(self.parse(part) for part in members)
        return UnionType(tuple(kinds), len(members) < len(parts))

    def dim(self, node: ast.expr) -> str:
        inner = node.value if isinstance(node, ast.Starred) else node
        if not all(map(_is_of_dim, ast.walk(inner))) or (
            inner is not node and not isinstance(inner, ast.Name)
        ):
            raise TypeSyntaxError(
                f"dim `{ast.unparse(node).replace(' ', '')}` of `{self.text}` is not a name, an int from 1 or arithmetic with + - * // %"
            )
        return ast.unparse(node).replace(" ", "")

    def error(self, node: ast.expr, head: str = "") -> TypeSyntaxError:
        part = f"{head}[{self.written(node)}]" if head else self.written(node)
        return TypeSyntaxError(
            f"`{part}` is not a type" + ("" if part == self.text else f" (in `{self.text}`)")
        )

    def written(self, node: ast.expr) -> str:
        """A part of the type as its author wrote it."""
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        return ", ".join(map(ast.unparse, items)).replace("[()]", "[]")


def _is_of_dim(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) is int and 0 < value < LARGEST
        case ast.Name(id=name):
            return name.isascii()
        case _:
            return isinstance(node, (ast.BinOp, ast.Load, *_OPERATORS))


def _constant(node: ast.expr) -> str | int | bool | None:
    """The value of a str, an int (with its sign) or a bool; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _constant(node.operand)
        return -value if type(value) is int else None
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str | int) else None


_HASHABLE = (ScalarType, TupleType, SetType, ClassType, LiteralType)
_FILLED = {
    "frozenset": "frozenset[str]",
    "list": "list[f[size]]",
    "dict": "dict[str, f[size]]",
    "tuple": "tuple[int, ...]",
}


def _alternatives(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _alternatives(node.left)
        yield from _alternatives(node.right)
    else:
        yield node
