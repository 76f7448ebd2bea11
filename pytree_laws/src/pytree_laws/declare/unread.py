"""Attributes of a suite that no code reads, because a misspelt declaration would be ignored."""

import difflib
import types
from collections.abc import Iterator
from typing import Any

_OWN = __name__.partition(".")[0]


def refuse_unread(suite: type) -> None:
    """Raise TypeError for values in the body of a suite that neither laws nor its own code read."""
    if _is_of_laws(suite):
        return
    known = {
        name
        for owner in suite.__mro__
        if _is_of_laws(owner)
        for name in (*dir(owner), *vars(owner).get("__annotations__", {}))
    }
    read = {name for owner in suite.__mro__ if not _is_of_laws(owner) for name in _read_by(owner)}
    read |= known
    unread = [name for name, value in vars(suite).items() if _is_value(name, value) and name not in read]
    if unread:
        raise TypeError(
            "; ".join(
                f"`{name}` of {suite.__name__} is read by no law and by no method{_nearest(name, known)}"
                for name in unread
            )
        )


def _is_of_laws(owner: type) -> bool:
    return owner.__module__.partition(".")[0] in (_OWN, "builtins")


def _is_value(name: str, value: Any) -> bool:
    """Whether an attribute looks like a declaration: no method or class, not private and not upper case."""
    is_code = callable(value) or hasattr(type(value), "__get__")
    return not (name.startswith("_") or name.isupper() or is_code)


def _read_by(owner: type) -> Iterator[str]:
    for value in vars(owner).values():
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        if isinstance(code, types.CodeType):
            yield from names_in_code(code)


def names_in_code(code: types.CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes in a function and in functions inside it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from names_in_code(inner)


def _nearest(name: str, known: set[str]) -> str:
    public = sorted(known_name for known_name in known if not known_name.startswith(("_", "test_")))
    matches = difflib.get_close_matches(name, public, 1)
    return f"; did you mean `{matches[0]}`?" if matches else "; remove it, or begin its name with `_`"
