"""The tables of a spec, and changes to them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

Raw = dict[str, Any]
Change = Callable[[Raw], None]
Move = Callable[[Raw, "There"], Iterator[Change]]


class There(Struct, frozen=True):
    """What the class that is there has, and tables may have to say."""

    methods: frozenset[str]
    checks: tuple[str, ...]
    """What it checks once it is built, each as a condition over its fields."""


def key(table: str, key: str, value: Any) -> Change:
    def change(raw: Raw) -> None:
        owner = raw["fields"][table] if table else raw
        owner[key] = value

    return change


def without(table: str, *keys: str) -> Change:
    def change(raw: Raw) -> None:
        owner = raw["fields"][table] if table else raw
        for key in keys:
            owner.pop(key, None)

    return change


def updated(name: str, way: Mapping[str, Any]) -> Change:
    return lambda raw: raw["fields"][name].update(way)
