"""What stands in a spec: tables, and values as TOML gives them, narrowed to what is asked for; a value of another form reads as empty."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.spec.unit import Unit


class Raw(Struct, frozen=True):
    """The tables of one class, and what is wrong with what the tables do not hold."""

    where: str
    """What faults call it: the file, and the class where there are several."""
    tables: dict[str, Any]
    faults: tuple[Fault, ...] = ()
    locations: Mapping[tuple[str, ...], tuple[int, int]] | None = None
    """Where each key of a skeleton stands."""
    written: Mapping[tuple[str, ...], str] = {}
    """How annotations and docstrings of a skeleton are written."""
    unit: Unit | None = None
    """The file that it shares with other classes."""


_OF_TYPES = ("type", "args", "returns", "arguments", "bases", "generic")
"""The keys under which types stand."""


def types_said(table: Mapping[str, Any]) -> Iterator[str]:
    """The texts of tables that write types."""
    for key, part in table.items():
        if isinstance(part, Mapping):
            yield from types_said(as_table(part))
        elif key in _OF_TYPES:
            yield str(part)


def as_table(value: Any) -> Mapping[str, Any]:
    """`value` if it is a table, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """`value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_toml(value: Any) -> Any:
    """A literal of Python, with every tuple a list, as TOML has it."""
    if isinstance(value, dict):
        return {name: as_toml(part) for name, part in cast("dict[Any, Any]", value).items()}
    return [as_toml(part) for part in cast("list[Any]", value)] if isinstance(value, tuple | list) else value
