"""The tables of a spec, and accessors that read a value of another form as empty."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.spec.unit import Unit


class Raw(Struct, frozen=True):
    """The tables of one class, and the faults found while they were made."""

    where: str
    """The name of the class in faults: its file, and the class if the file has several."""
    tables: dict[str, Any]
    faults: tuple[Fault, ...] = ()
    locations: Mapping[tuple[str, ...], tuple[int, int]] | None = None
    """Line and column of each key of a skeleton."""
    written: Mapping[tuple[str, ...], str] = {}
    """Annotations and docstrings of a skeleton, as the author wrote them."""
    unit: Unit | None = None
    """The file, if it holds several classes."""


_OF_TYPES = ("type", "args", "returns", "arguments", "bases", "generic")
"""The keys under which types stand."""


def types_said(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of types in a table, at any depth."""
    for key, part in table.items():
        if isinstance(part, Mapping):
            yield from types_said(as_table(part))
        elif key in _OF_TYPES:
            yield str(part)


def as_table(value: Any) -> Mapping[str, Any]:
    """Return `value` if it is a table, else an empty table."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """Return `value` if it is an array, else an empty list."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return `value` if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def as_toml(value: Any) -> Any:
    """Convert a Python literal to the form of TOML, in which every tuple is a list."""
    if isinstance(value, dict):
        return {name: as_toml(part) for name, part in cast("dict[Any, Any]", value).items()}
    return [as_toml(part) for part in cast("list[Any]", value)] if isinstance(value, tuple | list) else value
