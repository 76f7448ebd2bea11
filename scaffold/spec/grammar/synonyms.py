"""Types as people write them elsewhere: `float32[n]`, `Float[Array, "n m"]`, `Optional[int]`, `jnp.ndarray`.

What says the same as a type of the grammar is taken for it. What says less, such as an integer without its width, is an
error that names the form to write.
"""

import ast
import re
from keyword import iskeyword

DTYPES = {
    "f": ("Float", "float"),
    "inexact": ("Inexact", "float"),
    "f16": ("Float16", "float16"),
    "bf16": ("BFloat16", "bfloat16"),
    "f32": ("Float32", "float32"),
    "f64": ("Float64", "float64"),
    "c": ("Complex", "complex"),
    "c64": ("Complex64", "complex64"),
    "c128": ("Complex128", "complex128"),
    "i": ("Int", "int"),
    "i8": ("Int8", "int8"),
    "i16": ("Int16", "int16"),
    "i32": ("Int32", "int32"),
    "i64": ("Int64", "int64"),
    "u8": ("UInt8", "uint8"),
    "u16": ("UInt16", "uint16"),
    "u32": ("UInt32", "uint32"),
    "u64": ("UInt64", "uint64"),
    "bool": ("Bool", "bool"),
    "key": ("Key", "key"),
}
"""Short dtype name to its jaxtyping annotation and to jax's name.

`f` and `inexact` take the constructor's dtype, `i` and `c` jax's default one, or that of an array that is given.
"""


class TypeSyntaxError(ValueError):
    """A type that is not of the grammar; the message says which part, `fix` what to write instead."""

    def __init__(self, what: str, fix: str = ""):
        super().__init__(what)
        self.fix = fix


_JAXTYPING = {annotation: short for short, (annotation, _) in DTYPES.items()}
_LONG = {name: short for short, (_, name) in reversed(DTYPES.items())}
_NO_WIDTH = {
    **{
        "Integer": "i",
        "uint": "u32",
        "UInt": "u32",
        "long": "i64",
        "short": "i16",
    },
    **{"double": "f64", "single": "f32", "half": "f16", "byte": "u8"},
    **{"fp16": "f16", "fp32": "f32", "fp64": "f64", "boolean": "bool", "Num": "inexact", "Real": "f"},
    **{"Shaped": "f", "number": "f", "array": "f", "Array": "f", "ndarray": "f"},
}
"""What says less than a dtype, or nearly one, and the dtype that is probably meant."""
_CONTAINERS = {
    "Tuple": "tuple",
    "List": "list",
    "Dict": "dict",
    "Sequence": "list",
    "Mapping": "dict",
    "FrozenSet": "frozenset",
}
_NAMES = {"PyTree": "tree", "Callable": "callable", "DTypeLike": "dtype"}
_ARRAYS = ("Array", "ndarray", "ArrayLike", "DeviceArray")
_UNSAID = {
    **{name: "write its dtype and dims: `f[size]`, or `f[]` for a scalar" for name in _ARRAYS},
    **{name: "write `TYPE | None`, such as `int | None`" for name in ("Optional", "Union", "None")},
    **{name: "write the type, or `tree` for any pytree of arrays" for name in ("Any", "object")},
    **{name: f"write `{short}[]` for a scalar array, `{short}[size]` for one with dims" for name, short in _JAXTYPING.items()},
    **{name: "write `frozenset[str]`: a set can be changed" for name in ("set", "Set")},
    "FrozenSet": "write `frozenset[str]`",
    "List": "write `list[f[size]]`",
    "Dict": "write `dict[str, f[size]]`",
    "Tuple": "write `tuple[int, ...]`",
    "complex": "write `c[]`",
    "bytes": "write `u8[size]`, or `str`",
    "number": "write `f[]`, or `int`",
    "string": "write `str`",
    "integer": "write `int`",
    "boolean": "write `bool`",
    "function": "write `callable`",
}  # fmt: skip
MODULES = frozenset(
    (
        "jax",
        "jnp",
        "jax.numpy",
        "np",
        "numpy",
        "jaxtyping",
        "jt",
        "typing",
        "collections.abc",
        "jax.typing",
        "builtins",
    )
)
_DIM = r"(?a)(?:[A-Za-z_]\w*=)?(.*)"


def plain(node: ast.expr) -> ast.expr:
    """The node in the words of the grammar, one level down. Raises `TypeSyntaxError` for what says too little."""
    match node:
        case ast.Attribute():
            return _name(_last(node))
        case ast.Name(id=name):
            return _name(name)
        case ast.Constant(value=str(text)) if text.strip():
            return plain(_parsed(text))
        case ast.Subscript(value=ast.Name() | ast.Attribute() as head, slice=inner):
            name = _last(head) if isinstance(head, ast.Attribute) else head.id
            return _subscript(name, inner)
        case ast.Call(func=ast.Name(id=name), args=dims) if name in DTYPES or name in _LONG:
            written = ",".join(map(ast.unparse, dims))
            raise TypeSyntaxError(
                f"`{ast.unparse(node)}` is a call", f"write `{_LONG.get(name, name)}[{written}]`"
            )
        case _:
            return node


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip().replace("[]", "[()]"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise TypeSyntaxError(f"{text!r} is not a type") from None


def _last(node: ast.Attribute) -> str:
    """The name at the end of `jnp.ndarray`; a class of another module has a `:` before its name."""
    module = ast.unparse(node.value)
    if module in MODULES:
        return node.attr
    raise TypeSyntaxError(f"`{module}.{node.attr}` is not a type", f"write `{module}:{node.attr}`")


def _name(name: str) -> ast.expr:
    if name == "PRNGKeyArray":
        return _array("key", [])
    if name in _UNSAID:
        raise TypeSyntaxError(f"`{name}` does not say enough", _UNSAID[name])
    if name in _LONG and name not in DTYPES and name not in ("float", "int"):
        fix = f"write `{_LONG[name]}[]` for a scalar array, `{_LONG[name]}[size]` for one with dims"
        raise TypeSyntaxError(f"`{name}` has no dims", fix)
    return ast.Name(_NAMES.get(name, name), ast.Load())


def _array(dtype: str, dims: list[ast.expr]) -> ast.Subscript:
    items = (
        dims[0] if len(dims) == 1 and not isinstance(dims[0], ast.Starred) else ast.Tuple(dims, ast.Load())
    )
    return ast.Subscript(ast.Name(dtype, ast.Load()), items, ast.Load())


def _subscript(name: str, inner: ast.expr) -> ast.expr:
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in ("Optional", "Union"):
        return _union([*items, ast.Constant(None)] if name == "Optional" else items)
    if name in _NAMES:
        return ast.Name(_NAMES[name], ast.Load())
    if name in ("Annotated", "Final", "ClassVar"):
        raise TypeSyntaxError(
            f"`{name}[...]` says more than a type", f"write `{ast.unparse(items[0])}` alone"
        )
    if name in ("set", "Set"):
        fix = f"write `frozenset[{ast.unparse(inner)}]`: a set can be changed"
        raise TypeSyntaxError(f"`{name}[{ast.unparse(inner)}]` is not a type", fix)
    annotated = len(items) == 2 and isinstance(items[1], ast.Constant) and isinstance(items[1].value, str)
    if annotated and _is_array(items[0]) and (name in _JAXTYPING or name in _NO_WIDTH):
        return _annotated(name, str(ast.literal_eval(items[1])))
    return _of_dims(name, inner, items)


def _of_dims(name: str, inner: ast.expr, items: list[ast.expr]) -> ast.expr:
    """A dtype by its long name, or a container by that of `typing`."""
    short = _LONG.get(name, name)
    if (
        short in DTYPES
        and len(items) == 1
        and isinstance(items[0], ast.Constant)
        and isinstance(items[0].value, str)
    ):
        dims = ",".join(items[0].value.split())
        raise TypeSyntaxError(
            f"`{name}[{ast.unparse(inner)}]` has its dims in quotes", f"write `{short}[{dims}]`"
        )
    meant = _NO_WIDTH.get(name) or _JAXTYPING.get(name) or _cased(name)
    if short not in DTYPES and meant is not None:
        written = [ast.unparse(item) for item in items if not _is_array(item)]
        fix = f"write `{meant}[{','.join(written)}]`" + _others(name, meant)
        told = ", ".join(map(ast.unparse, items))
        raise TypeSyntaxError(f"`{name}[{told}]` is not a type", fix)
    return ast.Subscript(ast.Name(_CONTAINERS.get(name, short), ast.Load()), inner, ast.Load())


def _others(name: str, meant: str) -> str:
    """What to add where a name leaves the width open."""
    return ", or another width" if meant == "u32" and not name[-1].isdigit() else ""


def _cased(name: str) -> str | None:
    """The dtype that differs in its capital letters alone."""
    lower = _LONG.get(name.lower(), name.lower())
    return lower if name != name.lower() and lower in DTYPES else None


def _union(items: list[ast.expr]) -> ast.expr:
    union = items[0]
    for item in items[1:]:
        union = ast.BinOp(union, ast.BitOr(), item)
    return union


def _is_array(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] in (*_ARRAYS, "PRNGKeyArray")


def _annotated(name: str, dims: str) -> ast.expr:
    """An annotation of jaxtyping, whose dims stand in one string."""
    parts = [_jaxtyping_dim(part, name) for part in dims.split()]
    if name not in _JAXTYPING:
        fix = f"write `{_NO_WIDTH[name]}[{','.join(parts)}]`, or another dtype"
        raise TypeSyntaxError(f"`{name}` does not say which dtype", fix)
    return _array(_JAXTYPING[name], [_one_dim(part, dims) for part in parts])


def _jaxtyping_dim(part: str, name: str) -> str:
    short = _JAXTYPING.get(name) or _NO_WIDTH[name]
    if part == "...":
        raise TypeSyntaxError("`...` has no name", f"write `{short}[*shape]`")
    if part.lstrip("*#?").startswith("_"):
        raise TypeSyntaxError(
            f"the dim `{part}` has no name", f"write `{short}[size]`, with a name for each dim"
        )
    if part[0] in "#?{":
        told = part.strip("#?{}") or "size"
        raise TypeSyntaxError(
            f"the dim `{part}` is not one size", f"write `{told}`, with one size for one name"
        )
    found = re.fullmatch(_DIM, part)
    return found[1] if found is not None else part


def _one_dim(part: str, dims: str) -> ast.expr:
    try:
        found = ast.parse(f"_[{part},]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        word = keyword_in(part)
        told = f"`{word}` is a keyword of Python" if word else f"`{part}` is not a dim"
        fix = f"rename it, to `{word}_size` for example" if word else "write a name or an int"
        raise TypeSyntaxError(f"{told} (in {dims!r})", fix) from None
    if not (
        isinstance(found, ast.Subscript) and isinstance(found.slice, ast.Tuple) and len(found.slice.elts) == 1
    ):
        raise TypeSyntaxError(f"`{part}` is not one dim (in {dims!r})", "write spaces between dims: `n m`")
    return found.slice.elts[0]


def keyword_in(text: str) -> str | None:
    """The first keyword of Python in the text of a type that cannot be parsed."""
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'?|\"[^\"]*\"?", "", text))
    return next((word for word in words if iskeyword(word) and word not in ("None", "True", "False")), None)
