"""Command-line pairs `NAME=VALUE` that are given any number of times: sizes, options, groups, presets."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scaffold.errors import Fault, ScaffoldError

_NUMBER = re.compile(r"\s*[0-9]{1,9}\s*")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_HELP = {
    "size": ("a size", "write `--size in_size=3`, or `--size shape=2,3` for `*shape`"),
    "option": ("an option", "write `--option NAME=VALUE`, with a value as in TOML: `ema=0.99`, `key=true`"),
    "group": ("a group", "write `--group small=element1,element2`"),
    "preset": ("a preset", "write `--preset FIELD.ENTRY=VALUE`, with a value as in TOML: `table.a=42.0`"),
}


def read_pairs(what: str, texts: Iterable[str]) -> tuple[dict[str, Any], list[Fault]]:
    """The table that the pairs of `--WHAT` give, and what is wrong with those that are not in it."""
    table: dict[str, Any] = {}
    faults: list[Fault] = []
    noun, fix = _HELP[what]
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        try:
            parsed = _VALUES[what](name, value)
        except ValueError:
            faults.append(Fault(f"--{what}", f"`{text}` is not {noun}", fix))
            continue
        if name in table:
            faults.append(Fault(f"--{what}", f"`{name}` is there twice", "remove one"))
        table.setdefault(name, parsed)
    return table, faults


def toml_literal(text: str) -> Any:
    """The value that `text` writes in TOML. Raises `ValueError`."""
    try:
        table = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if list(table) != ["value"]:
        raise ValueError("more than a value")
    return table["value"]


def _size(name: str, value: str) -> Any:
    parts = value.split(",")
    if not name or not all(map(_NUMBER.fullmatch, parts)):
        raise ValueError(value)
    numbers = [int(part) for part in parts]
    return numbers if len(numbers) > 1 else numbers[0]


def _option(name: str, value: str) -> Any:
    if not name:
        raise ValueError(name)
    return toml_literal(value)


def _group(name: str, value: str) -> Any:
    names = [part.strip() for part in value.split(",")]
    if not name or not all(map(_NAME.fullmatch, names)):
        raise ValueError(value)
    return names


def _preset(name: str, value: str) -> Any:
    if not all(map(_NAME.fullmatch, name.split("."))) or name.count(".") != 1:
        raise ValueError(name)
    return toml_literal(value)


_VALUES: Mapping[str, Callable[[str, str], Any]] = {
    "size": _size,
    "option": _option,
    "group": _group,
    "preset": _preset,
}


def preset_faults(fields: Mapping[str, Any], presets: Mapping[str, Any]) -> list[Fault]:
    """Presets of fields that are not there."""
    names = dict.fromkeys(name.partition(".")[0] for name in presets)
    return [
        Fault("--preset", f"there is no field `{name}`", "name a field of type `dict`", tuple(fields))
        for name in names
        if name not in fields
    ]


def with_presets(fields: Mapping[str, Any], presets: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of the fields, each with its preset entries."""
    found = {name: dict(table) for name, table in fields.items()}
    for name, value in presets.items():
        field, _, entry = name.partition(".")
        if field in found:
            found[field].setdefault("preset", {})[entry] = value
    return found


def read_all(pairs: Mapping[str, Iterable[str]]) -> tuple[dict[str, dict[str, Any]], list[Fault]]:
    """The table of each kind of pair, and all their faults."""
    read = {what: read_pairs(what, texts) for what, texts in pairs.items()}
    return {what: table for what, (table, _) in read.items()}, [
        one for _, found in read.values() for one in found
    ]


def one_option(text: str) -> Any:
    """The value of an option as an answer gives it. Raises `ScaffoldError`."""
    try:
        return toml_literal(text)
    except ValueError:
        raise ScaffoldError(
            f"`{text}` is no value of TOML", where="answer", fix='write `0.99`, `true` or `"text"`'
        ) from None
