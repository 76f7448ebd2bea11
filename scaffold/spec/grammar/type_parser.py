"""The type grammar: `f[out_size,in_size]`, `int`, `list[Affine]`, `pkg.mod:Class`, and their equivalents.

Arrays have jax's own short notation. Python's parser reads all types, since only `f[]` (a scalar array) and
`pkg.mod:Class` are no Python expressions. Equivalent types of typing and jaxtyping are accepted. A type that
says less is an error.
"""

import ast
import re
from keyword import iskeyword

from scaffold.errors import suggestion
from scaffold.source.expressions import elements_of, expression_or_none, parse
from scaffold.spec.grammar import types
from scaffold.spec.grammar.dtypes import BY_ANNOTATION, BY_LONG_NAME, DTYPES, meant_dtype
from scaffold.spec.grammar.kept_annotations import has_dims, is_of_words, kept_annotation, members_of
from scaffold.spec.grammar.values import literal_or_none

SCALARS = ("int", "bool", "str", "float", "dtype", "slice")
LEGAL_TYPES = (
    "DTYPE[dims] with DTYPE one of " + " ".join(DTYPES),
    *SCALARS,
    *("tuple[int, ...]", "frozenset[str]", "callable", "Class", "pkg.mod:Class", "list[TYPE]"),
    *("dict[str, TYPE]", "tree"),
    "Literal['a', 'b']",
    "TYPE | None",
)
MODULES = (
    *("jax", "jnp", "jax.numpy", "np", "numpy", "jaxtyping", "jt", "typing", "collections.abc"),
    *("jax.typing", "flax.typing", "builtins"),
)
"""Modules whose attributes are words of the grammar, such as `jax.Array`."""
_WORDS: dict[str, types.Type] = {
    **{name: types.ScalarType(name) for name in SCALARS},
    **dict.fromkeys(("callable", "Callable"), types.CallableType()),
    **dict.fromkeys(("tree", "PyTree"), types.TreeType()),
    **dict.fromkeys(("DTypeLike", "Dtype"), types.ScalarType("dtype")),
    "PRNGKeyArray": types.ArrayType("key", ()),
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
    **{"Literal": '`Literal["a", "b"]`', "bytes": "`u8[size]`, or `str`"},
    **{"number": "`f[]`, or `int`", "string": "`str`", "integer": "`int`", "boolean": "`bool`"},
    "function": "`callable`",
}
"""Replacements for words that say less than a type, or are none."""
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_ALIASES = {"eqx": "equinox", "jnp": "jax.numpy", "np": "numpy"}
_HASHABLE = (types.ScalarType, types.TupleType, types.SetType, types.ClassType, types.LiteralType)
_QUOTED = r"'[^']*'|\"[^\"]*\""
_FOREIGN = rf"({_QUOTED})|\b([A-Za-z_][\w.]*):([A-Za-z_]\w*)"


class TypeSyntaxError(ValueError):
    """A text outside the grammar. The message names the wrong part, and `fix` a replacement."""

    def __init__(self, message: str, fix: str = ""):
        super().__init__(message)
        self.fix = fix


def parse_type(text: str) -> types.Type:
    """Parse the type that `text` writes. Raises `TypeSyntaxError`.

    After a leading `=`, an annotation stays as written.
    """
    annotation = text.lstrip()[1:].strip() if text.lstrip().startswith("=") else None
    try:
        if annotation is not None:
            return kept_annotation(_parsed(annotation), annotation)
        bare = re.sub(_QUOTED, "", text)
        if "@" in bare or not bare.isascii():  # Python itself takes some letters for others
            raise TypeSyntaxError(f"`{_shortened(text)}` is not a type")
        return _type(_parsed(text))
    except TypeSyntaxError as error:
        message, forms = str(error), (f"`{text}`", f"`{_shortened(text)}`")
        is_whole = any(form.replace(" ", "") in message.replace(" ", "") for form in forms)
        message = message if is_whole else f"{message} (in `{text}`)"
        raise TypeSyntaxError(message, error.fix or _fix_of(text)) from None


def _parsed(text: str) -> ast.expr:
    """Parse the text of a type, in which `@` replaces the `:` between a module and a class."""
    source = re.sub(_FOREIGN, lambda match: match[1] or f"{match[2]}@{match[3]}", text.strip())
    try:
        tree = parse(source.replace("[]", "[()]"), expression=True)
    except SyntaxError as error:
        message, word = f"`{_shortened(text)}` is not a type", _keyword_in(text)
        if "nested" in error.msg:
            raise TypeSyntaxError(f"{message}: {error.msg}") from None
        if word is not None:
            fix = f"rename it, to `{word}_size` for example"
            raise TypeSyntaxError(f"{message}: `{word}` is a keyword of Python", fix) from None
        raise TypeSyntaxError(message) from None
    assert isinstance(tree, ast.Expression)
    return tree.body


def _keyword_in(text: str) -> str | None:
    """Return the first Python keyword in the text of a type that does not parse."""
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'?|\"[^\"]*\"?", "", text))
    return next((word for word in words if iskeyword(word) and word not in ("None", "True", "False")), None)


def _shortened(text: str) -> str:
    return text if len(text) < 80 else f"{text[:40]}..."


def _shown(node: ast.expr) -> str:
    """Return a part of a type in the notation of the author."""
    return ast.unparse(node).replace("[()]", "[]").replace(" @ ", ":")


def _fix_of(text: str) -> str:
    """Return a replacement for a text, if no part of it has a more specific fix."""
    head = re.split(r"[\[(]", text)[0].strip()
    if not text.isascii():
        odd = next(letter for letter in text if not letter.isascii())
        return f"write ASCII letters: `{odd}` is none"
    if head in DTYPES and "[" in text:
        return f"write dims such as `{head}[4*hidden,in_size]`, with at most one `*shape`"
    if head in _FORMS:
        return f"write {_FORMS[head]}"
    return suggestion(head, (*_WORDS, *_FORMS), "write one of the legal types, such as `f[out_size,in_size]`")


def _wrong(node: ast.expr, form: str = "") -> TypeSyntaxError:
    return TypeSyntaxError(f"`{_shown(node)}` is not a type", f"write {form}" if form else "")


# -- types -------------------------------------------------------------------------------------------------------------


def _type(node: ast.expr) -> types.Type:
    match node:
        case ast.Constant(value=str(text)) if text.strip():
            return _type(_parsed(text))
        case ast.Name() | ast.Attribute():
            return _word(_name_of(node))
        case ast.Subscript(value=ast.Name() | ast.Attribute() as head, slice=inner):
            return _subscript(node, _name_of(head), elements_of(inner))
        case ast.BinOp(op=ast.BitOr()):
            return _union(node, members_of(node))
        case ast.BinOp(op=ast.MatMult(), left=module, right=ast.Name(id=name)):
            return _foreign_class(ast.unparse(module), name)
        case ast.Call(func=ast.Name(id=name), args=dims) if meant_dtype(name):
            raise _wrong(node, f"`{meant_dtype(name)}[{','.join(map(ast.unparse, dims))}]`")
        case _:
            raise _wrong(node)


def _name_of(node: ast.Name | ast.Attribute) -> str:
    """Return the word that a name stands for.

    Raises `TypeSyntaxError` if a class lacks `:` after its module.
    """
    if isinstance(node, ast.Name):
        return node.id
    module = ast.unparse(node.value)
    if module not in MODULES:
        raise _wrong(node, f"`{module}:{node.attr}`")
    return node.attr


def _word(name: str) -> types.Type:
    if name in _WORDS:
        return _WORDS[name]
    dtype = BY_ANNOTATION.get(name) or BY_LONG_NAME.get(name, name)
    if dtype in DTYPES:
        fix = f"write `{dtype}[]` for a scalar array, `{dtype}[size]` for one with dims"
        raise TypeSyntaxError(f"`{name}` has no dims", fix)
    if name in _FORMS:
        raise TypeSyntaxError(f"`{name}` does not say enough", f"write {_FORMS[name]}")
    if not name[:1].isupper() or not name.isascii() or iskeyword(name):
        raise TypeSyntaxError(f"`{name}` is not a type")
    return types.ClassType(name)


def _foreign_class(module: str, name: str) -> types.ClassType:
    parts = module.split(".")
    if any(not part.isidentifier() or iskeyword(part) for part in (*parts, name)):
        raise TypeSyntaxError(f"`{module}:{name}` names no module", "write `package.module:Class`")
    return types.ClassType(name, ".".join([_ALIASES.get(parts[0], parts[0]), *parts[1:]]))


def _subscript(node: ast.expr, name: str, items: list[ast.expr]) -> types.Type:
    match _CONTAINERS.get(name, name), items:
        case "Optional" | "Union", _:
            return _union(node, [*items, *[ast.Constant(None)] * (name == "Optional")])
        case "Callable", [_, _] if is_of_words(items) and not has_dims(items):
            return types.CallableType(f"Callable[{', '.join(map(ast.unparse, items))}]")
        case "PyTree", [leaf] if is_of_words(items):
            return types.TreeType(f"PyTree[{ast.unparse(leaf)}]")
        case "Callable" | "PyTree", _:
            return _WORDS[name]
        case "list", [item]:
            return types.ListType(_type(item))
        case "dict", [ast.Name(id="str"), item]:
            return types.DictType(_type(item))
        case "frozenset", [item]:
            return _set(node, _type(item))
        case "tuple", [_, *_]:
            return _tuple(node, items)
        case "Literal", [_, *_]:
            return _literal(items)
        case _, [array, ast.Constant(value=str(dims))] if meant_dtype(name) and _is_array(array):
            is_key = ast.unparse(array).rpartition(".")[2] == "PRNGKeyArray"
            return _annotated(node, "Key" if is_key else name, dims)
        case _:
            return _array(node, name, items)


def _literal(items: list[ast.expr]) -> types.LiteralType:
    values = [_constant(item) for item in items]
    # By type as well: True equals 1.
    return types.LiteralType(tuple({(type(value), value): value for value in values}.values()))


def _constant(item: ast.expr) -> str | int | bool:
    value = literal_or_none(ast.unparse(item))
    if not isinstance(value, str | int):
        raise TypeSyntaxError(f"`{ast.unparse(item)}` is not a str, an int or a bool")
    return value


def _tuple(node: ast.expr, items: list[ast.expr]) -> types.TupleType:
    last = items[-1]
    variadic = isinstance(last, ast.Constant) and last.value is Ellipsis
    members = items[:-1] if variadic else items
    if variadic and len(members) != 1:
        raise TypeSyntaxError(f"`{_shown(node)}` has no one type before `...`", "write `tuple[int, ...]`")
    return types.TupleType(tuple(map(_type, members)), variadic)


def _set(node: ast.expr, item: types.Type) -> types.SetType:
    if any(not isinstance(part, _HASHABLE) or part == types.ScalarType("slice") for part in types.walk(item)):
        raise TypeSyntaxError(f"`{_shown(node)}` holds what has no hash", "write `tuple[..., ...]`")
    return types.SetType(item)


def _union(node: ast.expr, parts: list[ast.expr]) -> types.UnionType:
    members = [part for part in parts if ast.unparse(part) != "None"]
    if not members:
        raise TypeSyntaxError(f"`{_shown(node)}` holds None alone")
    return types.UnionType(tuple(dict.fromkeys(map(_type, members))), len(members) < len(parts))


# -- arrays ------------------------------------------------------------------------------------------------------------


def _array(node: ast.expr, name: str, items: list[ast.expr]) -> types.ArrayType:
    dtype = BY_LONG_NAME.get(name, name)
    is_quoted = any(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in items)
    if dtype not in DTYPES or is_quoted:
        raise _wrong_subscript(node, name, items)
    if sum(isinstance(item, ast.Starred) for item in items) > 1:
        raise TypeSyntaxError(f"`{_shown(node)}` has two dims with `*`, so neither has a definite length")
    return types.ArrayType(dtype, tuple(map(_dim, items)))


def _wrong_subscript(node: ast.expr, name: str, items: list[ast.expr]) -> TypeSyntaxError:
    """Build the error for a word that takes nothing in brackets, or something else."""
    if name in ("set", "Set"):
        return _wrong(node, f"`frozenset[{', '.join(map(ast.unparse, items))}]`: a set can be changed")
    if name in ("Annotated", "Final", "ClassVar"):
        return _wrong(node, f"`{ast.unparse(items[0])}` alone")
    dims = ",".join(" ".join(map(ast.unparse, (node for node in items if not _is_array(node)))).split())
    dtype = meant_dtype(name)
    return _wrong(node, f"`{dtype}[{dims.strip(chr(39))}]`" if dtype else "")


def _annotated(node: ast.expr, name: str, text: str) -> types.ArrayType:
    """Parse an annotation of jaxtyping, whose dims stand in one string."""
    for part in text.split():
        bare = part.lstrip("*#?")
        if part == "..." or bare.startswith("_") or part[0] in "#?{":
            named = "*shape" if part == "..." else bare.strip("{}_") or "size"
            fix = f"write `{named}`, with a name for each dim"
            raise TypeSyntaxError(f"the dim `{part}` names no size", fix)
    sizes = [re.sub(r"(?a)^[A-Za-z_]\w*=", "", part) for part in text.split()]
    if name not in BY_ANNOTATION:
        fix = f"write `{meant_dtype(name)}[{','.join(sizes)}]`, or another dtype"
        raise TypeSyntaxError(f"`{name}` does not say which dtype", fix)
    return _array(node, BY_ANNOTATION[name], [_one_dim(size) for size in sizes])


def _one_dim(part: str) -> ast.expr:
    match expression_or_none(f"_[{part},]"):
        case ast.Subscript(slice=ast.Tuple(elts=[dim])):
            return dim
        case None:
            word = _keyword_in(part)
            message = f"`{word}` is a keyword of Python" if word else f"`{part}` is not a dim"
            fix = f"rename it, to `{word}_size` for example" if word else "write a name or an int"
            raise TypeSyntaxError(message, fix)
        case _:
            raise TypeSyntaxError(f"`{part}` is not one dim", "write spaces between dims: `n m`")


def _dim(node: ast.expr) -> str:
    inner, shown = node.value if isinstance(node, ast.Starred) else node, _shown(node).replace(" ", "")
    is_named = inner is node or isinstance(inner, ast.Name)
    if not (is_named and all(map(_is_of_dim, ast.walk(inner)))):
        raise TypeSyntaxError(f"dim `{shown}` is not a name, an int from 1 or arithmetic with + - * // %")
    return shown


def _is_of_dim(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) is int and 0 < value < types.LARGEST
        case ast.Name(id=name):
            return name.isascii()
        case _:
            return isinstance(node, (ast.BinOp, ast.Load, *_OPERATORS))


def _is_array(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] in _ARRAYS
