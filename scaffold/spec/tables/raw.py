"""Values as TOML gives them, narrowed to what is asked for; a value of another form reads as empty."""

from collections.abc import Mapping
from typing import Any, cast


def as_table(value: Any) -> Mapping[str, Any]:
    """`value` if it is a table, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any, default: str = "") -> str:
    """`value` if it is a string, else `default`."""
    return value if isinstance(value, str) else default
