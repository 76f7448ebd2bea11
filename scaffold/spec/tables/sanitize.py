"""Input that no rule should meet: odd keys, odd letters, deep nesting, numbers beyond 64 bits.

Each is a fault, and is removed or replaced, so that rules see the rest.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scaffold.errors import Fault

_ODD = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
_LARGEST = 2**63
_DEPTH = 12
Path = tuple[str, ...]


def sanitized(raw: Mapping[Any, Any], where: str) -> tuple[dict[str, Any], list[Fault]]:
    """Copy tables without anything odd, and return the faults of what was odd."""
    faults: list[Fault] = []
    return dict(_entries(raw, (), where, faults)), faults


def _value(value: Any, path: Path, where: str, faults: list[Fault]) -> Any:
    match value:
        case str() | Mapping() | list() | tuple() if len(path) > _DEPTH:
            message, fix, clean = "nested too deeply", f"write at most {_DEPTH} levels", ""
            path = path[:2]
        case str():
            text = value.replace("\r\n", "\n")
            odd = re.search(_ODD, text)
            if odd is None:
                return text
            message = f"holds U+{ord(odd[0]):04X}, which is no letter"
            fix = "remove that character, or write an escape such as `\\x00`"
            clean = re.sub(_ODD, "", text.replace("\r", "\n"))
        case Mapping():
            return dict(_entries(cast("Mapping[Any, Any]", value), path, where, faults))
        case list() | tuple():
            parts = enumerate(cast("list[Any]", value))
            return [_value(part, (*path, str(index)), where, faults) for index, part in parts]
        case int() if not -_LARGEST <= value < _LARGEST:
            message, fix, clean = "the integer has more than 64 bits", "write a smaller one", 1
        case _:
            return value
    faults.append(Fault(_place(where, path), message, fix))
    return clean


def _entries(
    table: Mapping[Any, Any], path: Path, where: str, faults: list[Fault]
) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if not isinstance(name, str):
            message, fix = f"a key is of type {type(name).__name__}", "write it as a string"
        elif re.search(_ODD, name) or "\n" in name:
            message, fix = f"the key {name!a} holds a control character", "remove that character"
        else:
            yield name, _value(value, (*path, name), where, faults)
            continue
        faults.append(Fault(_place(where, path), message, fix))


def _place(where: str, path: Path) -> str:
    return f"{where}: {'.'.join(path)}" if path else where
