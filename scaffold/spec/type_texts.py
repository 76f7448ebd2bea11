"""What to write in the place of a type that cannot be read, or that has no role."""

from scaffold.errors import suggestion
from scaffold.spec.types import DTYPES, Type, UnionType


def type_fix(text: str) -> str:
    """What to write in the place of `text`."""
    head = text.split("[")[0].strip()
    if not text.isascii():
        odd = next(letter for letter in text if not letter.isascii())
        return f"write ASCII letters: `{odd}` is none"
    if head in DTYPES and "[" in text:
        return f"write dims such as `{head}[4*hidden,in_size]`, with at most one `*shape`"
    if head in _FORMS:
        return f"write `{_FORMS[head]}`"
    return suggestion(head, _WORDS, "write one of the legal types, such as `f[out_size,in_size]`")


_FORMS = {
    "list": "list[f[size]]",
    "dict": "dict[str, f[size]]",
    "tuple": "tuple[int, ...]",
    "Literal": 'Literal["a", "b"]',
    "Callable": "callable",
    "None": "TYPE | None",
}
_WORDS = ("callable", "tree", "list", "dict", "tuple", "int", "bool", "str", "float", "Literal")


def without_role(kind: Type, legal: tuple[str, ...], text: str) -> tuple[str, str]:
    """What to say of a type that has no role by default."""
    if isinstance(kind, UnionType) and legal == ("derived",):
        return f"`{text}` mixes what is traced with what is static", "write one type"
    if isinstance(kind, UnionType):
        return f"`{text}` has no role of its own", f'write `role = "{legal[0]}"`'
    fix = 'a Python float is `role = "static"` (one compilation a value) or an array `f[]` (traced)'
    return "a bare float has no role", fix
