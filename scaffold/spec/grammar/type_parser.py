"""The type grammar: `f[out_size,in_size]`, `int`, `list[Affine]`, `pkg.mod:Class`, and the same as it is written elsewhere.

A type is written in jax's own short notation and parsed with Python's parser, so every type is a Python
expression but for `f[]` (a scalar array) and `pkg.mod:Class` (a class of another module). Types of typing and of jaxtyping that
say the same are taken for it; what says less is an error that names the form to write.
"""

import ast
import re
from collections.abc import Iterator
from keyword import iskeyword

from msgspec import Struct

from scaffold.errors import suggestion
from scaffold.spec.grammar.dtypes import BY_ANNOTATION, BY_LONG_NAME, DTYPES, meant_dtype
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
MODULES = frozenset(
    (
        *("jax", "jnp", "jax.numpy", "np", "numpy", "jaxtyping", "jt", "typing", "collections.abc"),
        *("jax.typing", "builtins"),
    )
)
"""The modules whose names are words of the grammar."""
_WORDS: dict[str, Type] = {
    **{name: ScalarType(name) for name in SCALARS},
    **{"callable": CallableType(), "Callable": CallableType(), "tree": TreeType(), "PyTree": TreeType()},
    **{"DTypeLike": ScalarType("dtype"), "PRNGKeyArray": ArrayType("key", ())},
}
_CONTAINERS = {
    **{"Tuple": "tuple", "List": "list", "Sequence": "list", "Dict": "dict", "Mapping": "dict"},
    "FrozenSet": "frozenset",
}
_ARRAYS = ("Array", "ndarray", "ArrayLike", "DeviceArray", "PRNGKeyArray")
_FORMS = {
    **{name: "its dtype and dims: `f[size]`, or `f[]` for a scalar" for name in _ARRAYS},
    **{name: "`TYPE | None`, such as `int | None`" for name in ("Optional", "Union", "None")},
    **{name: "the type, or `tree` for any pytree of arrays" for name in ("Any", "object")},
    **{name: "`frozenset[str]`: a set can be changed" for name in ("set", "Set")},
    **{name: "`frozenset[str]`" for name in ("frozenset", "FrozenSet")},
    **{name: "`list[f[size]]`" for name in ("list", "List")},
    **{name: "`dict[str, f[size]]`" for name in ("dict", "Dict")},
    **{name: "`tuple[int, ...]`" for name in ("tuple", "Tuple")},
    **{"Literal": '`Literal["a", "b"]`', "complex": "`c64[]`", "bytes": "`u8[size]`, or `str`"},
    **{"number": "`f[]`, or `int`", "string": "`str`", "integer": "`int`", "boolean": "`bool`"},
    "function": "`callable`",
}
"""What to write in the place of words that say less than a type, or are none."""
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_ALIASES = {"eqx": "equinox", "jnp": "jax.numpy", "np": "numpy"}
_HASHABLE = (ScalarType, TupleType, SetType, ClassType, LiteralType)
_QUOTED = r"'[^']*'|\"[^\"]*\""
_FOREIGN = r"\b([A-Za-z_][\w.]*):([A-Za-z_]\w*)"


class TypeSyntaxError(ValueError):
    """A type that is not of the grammar; the message says which part, `fix` what to write instead."""

    def __init__(self, what: str, fix: str = ""):
        super().__init__(what)
        self.fix = fix


def parse_type(text: str) -> Type:
    """The type that `text` writes; behind `=` an annotation that is kept as it is. Raises `TypeSyntaxError`."""
    annotation = text.lstrip()[1:].strip() if text.lstrip().startswith("=") else None
    foreign: dict[str, tuple[str, str]] = {}

    def hide(match: re.Match[str]) -> str:
        placeholder = f"__foreign_{len(foreign)}"
        first, dot, rest = match[1].partition(".")
        foreign[placeholder] = (_ALIASES.get(first, first) + dot + rest, match[2])
        return placeholder

    try:
        if annotation is not None:
            _parsed(annotation)
            return OpaqueType(annotation)
        if not re.sub(_QUOTED, "", text).isascii():  # Python itself takes some letters for others
            raise TypeSyntaxError(f"`{_shortened(text)}` is not a type")
        return _Parser(text, foreign).parse(_parsed(re.sub(_FOREIGN, hide, text), text))
    except TypeSyntaxError as error:
        what, fix = str(error), error.fix or _fix_of(text)
        for placeholder, (module, name) in foreign.items():
            what, fix = (re.sub(rf"\b{placeholder}\b", f"{module}:{name}", part) for part in (what, fix))
        raise TypeSyntaxError(what, fix) from None


def _parsed(source: str, text: str = "") -> ast.expr:
    """The tree of a type that its author wrote as `text`."""
    text = text or source
    try:
        tree = parse(source.strip().replace("[]", "[()]"), expression=True)
    except SyntaxError as error:
        told, word = f"`{_shortened(text)}` is not a type", _keyword_in(text)
        if "nested" in error.msg:
            raise TypeSyntaxError(f"{told}: {error.msg}") from None
        if word is not None:
            fix = f"rename it, to `{word}_size` for example"
            raise TypeSyntaxError(f"{told}: `{word}` is a keyword of Python", fix) from None
        raise TypeSyntaxError(told) from None
    assert isinstance(tree, ast.Expression)
    return tree.body


def _keyword_in(text: str) -> str | None:
    """The first keyword of Python in the text of a type that cannot be parsed."""
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'?|\"[^\"]*\"?", "", text))
    return next((word for word in words if iskeyword(word) and word not in ("None", "True", "False")), None)


def _shortened(text: str) -> str:
    return text if len(text) < 80 else f"{text[:40]}..."


def _fix_of(text: str) -> str:
    """What to write in the place of a text of which no part says more."""
    head = re.split(r"[\[(]", text)[0].strip()
    if not text.isascii():
        odd = next(letter for letter in text if not letter.isascii())
        return f"write ASCII letters: `{odd}` is none"
    if head in DTYPES and "[" in text:
        return f"write dims such as `{head}[4*hidden,in_size]`, with at most one `*shape`"
    if head in _FORMS:
        return f"write {_FORMS[head]}"
    return suggestion(head, (*_WORDS, *_FORMS), "write one of the legal types, such as `f[out_size,in_size]`")


class _Parser(Struct, frozen=True):
    text: str
    foreign: dict[str, tuple[str, str]]

    def parse(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(value=str(text)) if text.strip():
                return self.parse(_parsed(text))
            case ast.Name() | ast.Attribute():
                return self.word(self.name_of(node))
            case ast.Subscript(value=ast.Name() | ast.Attribute() as head, slice=inner):
                items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return self.subscript(self.name_of(head), items)
            case ast.BinOp(op=ast.BitOr()):
                return self.union(list(_alternatives(node)))
            case ast.Call(func=ast.Name(id=name), args=dims) if meant_dtype(name):
                raise self.error(node, f"`{meant_dtype(name)}[{','.join(map(ast.unparse, dims))}]`")
            case _:
                raise self.error(node)

    def name_of(self, node: ast.Name | ast.Attribute) -> str:
        """The word that a name is; a class of another module has a `:` before its name."""
        if isinstance(node, ast.Name):
            return node.id
        module = ast.unparse(node.value)
        if module not in MODULES:
            raise self.error(node, f"`{module}:{node.attr}`")
        return node.attr

    def word(self, name: str) -> Type:
        if name in self.foreign:
            return self.foreign_class(*self.foreign[name])
        if name in _WORDS:
            return _WORDS[name]
        dtype = BY_ANNOTATION.get(name) or BY_LONG_NAME.get(name, name)
        if dtype in DTYPES:
            raise TypeSyntaxError(
                f"`{name}` has no dims",
                f"write `{dtype}[]` for a scalar array, `{dtype}[size]` for one with dims",
            )
        if name in _FORMS:
            raise TypeSyntaxError(f"`{name}` does not say enough", f"write {_FORMS[name]}")
        if not name[:1].isupper() or not name.isascii() or iskeyword(name):
            raise TypeSyntaxError(f"`{name}` is not a type")
        return ClassType(name)

    def foreign_class(self, module: str, name: str) -> ClassType:
        if any(not part.isidentifier() or iskeyword(part) for part in (*module.split("."), name)):
            raise TypeSyntaxError(f"`{module}:{name}` names no module: write `package.module:Class`")
        return ClassType(name, module)

    def subscript(self, name: str, items: list[ast.expr]) -> Type:
        match _CONTAINERS.get(name, name), items:
            case "Optional" | "Union", _:
                return self.union([*items, *[ast.Constant(None)] * (name == "Optional")])
            case "Callable" | "PyTree", _:
                return _WORDS[name]
            case "list", [item]:
                return ListType(self.parse(item))
            case "dict", [ast.Name(id="str"), item]:
                return DictType(self.parse(item))
            case "frozenset", [item]:
                return self.set_of(item)
            case "tuple", [_, *_]:
                return self.tuple_of(items)
            case "Literal", [_, *_]:
                return self.literal(items)
            case _, [array, ast.Constant(value=str(dims))] if meant_dtype(name) and _is_array(array):
                return self.annotated(name, dims)
            case _:
                return self.array(name, items)

    def array(self, name: str, items: list[ast.expr]) -> ArrayType:
        dtype = BY_LONG_NAME.get(name, name)
        is_quoted = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in items)
        if dtype not in DTYPES or is_quoted:
            raise self.wrong_subscript(name, items)
        if sum(isinstance(item, ast.Starred) for item in items) > 1:
            raise TypeSyntaxError(f"`{self.text}` has two dims with `*`, so neither has a definite length")
        return ArrayType(dtype, tuple(map(self.dim, items)))

    def wrong_subscript(self, name: str, items: list[ast.expr]) -> TypeSyntaxError:
        """The error for a head that takes nothing in brackets, or not this."""
        inner = ", ".join(map(ast.unparse, items))
        node = ast.Name(f"{name}[{inner}]")
        if name in ("set", "Set"):
            return self.error(node, f"`frozenset[{inner}]`: a set can be changed")
        if name in ("Annotated", "Final", "ClassVar"):
            return self.error(node, f"`{ast.unparse(items[0])}` alone")
        dims = ",".join(" ".join(map(ast.unparse, (one for one in items if not _is_array(one)))).split())
        dtype = meant_dtype(name)
        return self.error(node, f"`{dtype}[{dims.strip(chr(39))}]`" if dtype else "")

    def annotated(self, name: str, dims: str) -> ArrayType:
        """An annotation of jaxtyping, whose dims stand in one string."""
        parts = dims.split()
        dtype = meant_dtype(name)
        for part in parts:
            bare = part.lstrip("*#?")
            if part == "..." or bare.startswith("_") or part[0] in "#?{":
                told = "*shape" if part == "..." else bare.strip("{}_") or "size"
                raise TypeSyntaxError(
                    f"the dim `{part}` names no size", f"write `{told}`, with a name for each dim"
                )
        sizes = [re.sub(r"(?a)^[A-Za-z_]\w*=", "", part) for part in parts]
        if name not in BY_ANNOTATION:
            fix = f"write `{dtype}[{','.join(sizes)}]`, or another dtype"
            raise TypeSyntaxError(f"`{name}` does not say which dtype", fix)
        return self.array(BY_ANNOTATION[name], [_one_dim(one, dims) for one in sizes])

    def literal(self, items: list[ast.expr]) -> LiteralType:
        values = [_constant(item) for item in items]
        wrong = [item for item, value in zip(items, values, strict=True) if value is None]
        if wrong:
            told = ast.unparse(wrong[0])
            raise TypeSyntaxError(f"`{told}` of `{self.text}` is not a str, an int or a bool")
        # By type as well: True equals 1.
        distinct = {(type(value), value): value for value in values if value is not None}
        return LiteralType(tuple(distinct.values()))

    def tuple_of(self, items: list[ast.expr]) -> TupleType:
        last = items[-1]
        variadic = isinstance(last, ast.Constant) and last.value is Ellipsis
        members = items[:-1] if variadic else items
        if variadic and len(members) != 1:
            raise TypeSyntaxError(f"`...` follows one type: write `tuple[int, ...]` (in `{self.text}`)")
        return TupleType(tuple(self.parse(item) for item in members), variadic)

    def set_of(self, node: ast.expr) -> SetType:
        item = self.parse(node)
        if any(not isinstance(part, _HASHABLE) or part == ScalarType("slice") for part in walk(item)):
            raise TypeSyntaxError(f"`{self.text}` holds what has no hash", "write `tuple[..., ...]`")
        return SetType(item)

    def union(self, parts: list[ast.expr]) -> UnionType:
        members = [part for part in parts if ast.unparse(part) != "None"]
        if not members:
            raise TypeSyntaxError(f"`{self.text}` holds None alone")
        return UnionType(tuple(dict.fromkeys(map(self.parse, members))), len(members) < len(parts))

    def dim(self, node: ast.expr) -> str:
        inner = node.value if isinstance(node, ast.Starred) else node
        is_named = inner is node or isinstance(inner, ast.Name)
        if not (is_named and all(map(_is_of_dim, ast.walk(inner)))):
            shown = ast.unparse(node).replace(" ", "")
            what = (
                f"dim `{shown}` of `{self.text}` is not a name, an int from 1 or arithmetic with + - * // %"
            )
            raise TypeSyntaxError(what)
        return ast.unparse(node).replace(" ", "")

    def error(self, node: ast.expr, form: str = "") -> TypeSyntaxError:
        part = ast.unparse(node).replace("[()]", "[]")
        what = f"`{part}` is not a type" + ("" if part == self.text else f" (in `{self.text}`)")
        return TypeSyntaxError(what, f"write {form}" if form else "")


def _is_array(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] in _ARRAYS


def _one_dim(part: str, dims: str) -> ast.expr:
    try:
        found = ast.parse(f"_[{part},]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        word = _keyword_in(part)
        told = f"`{word}` is a keyword of Python" if word else f"`{part}` is not a dim"
        fix = f"rename it, to `{word}_size` for example" if word else "write a name or an int"
        raise TypeSyntaxError(f"{told} (in {dims!r})", fix) from None
    match found:
        case ast.Subscript(slice=ast.Tuple(elts=[dim])):
            return dim
        case _:
            raise TypeSyntaxError(
                f"`{part}` is not one dim (in {dims!r})", "write spaces between dims: `n m`"
            )


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


def _alternatives(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _alternatives(node.left)
        yield from _alternatives(node.right)
    else:
        yield node
