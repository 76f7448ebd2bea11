"""What no rule should have to think of: keys that are no text, letters that no file can hold, numbers beyond 64 bits.

Each is a fault, and is taken out or replaced, so that the rules see the rest.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scaffold.errors import Fault

_ODD = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
_LARGEST = 2**63
_DEPTH = 12


class Cleaner:
    """Makes a clean copy of tables and collects what was odd."""

    def __init__(self, where: str):
        self.where = where
        self.faults: list[Fault] = []

    def add(self, path: tuple[str, ...], what: str, fix: str) -> None:
        place = f"{self.where}: {'.'.join(path)}" if path else self.where
        self.faults.append(Fault(place, what, fix))

    def value(self, value: Any, path: tuple[str, ...] = ()) -> Any:
        """A clean copy of `value`, which stands at `path`."""
        if len(path) > _DEPTH:
            self.add(path[:2], "nested too deeply", f"write at most {_DEPTH} levels")
            return ""
        match value:
            case str():
                return self.text(value, path)
            case Mapping():
                return dict(self.items(cast("Mapping[Any, Any]", value), path))
            case list() | tuple():
                parts = cast("list[Any]", value)
                return [self.value(one, (*path, str(index))) for index, one in enumerate(parts)]
            case int() if not -_LARGEST <= value < _LARGEST:
                self.add(path, "the integer has more than 64 bits", "write a smaller one")
                return 1
            case _:
                return value

    def items(self, table: Mapping[Any, Any], path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for name, value in table.items():
            if not isinstance(name, str):
                self.add(path, f"a key is of type {type(name).__name__}", "write it as a string")
            elif re.search(_ODD, name) or "\n" in name:
                self.add(path, f"the key {name!a} holds a control character", "remove that character")
            else:
                yield name, self.value(value, (*path, name))

    def text(self, text: str, path: tuple[str, ...]) -> str:
        text = text.replace("\r\n", "\n")
        odd = re.search(_ODD, text)
        if odd is None:
            return text
        what = f"holds U+{ord(odd[0]):04X}, which is no letter"
        self.add(path, what, "remove that character, or write an escape such as `\\x00`")
        return re.sub(_ODD, "", text.replace("\r", "\n"))


def cleaned(raw: Mapping[Any, Any], where: str) -> tuple[dict[str, Any], list[Fault]]:
    """A copy of `raw` that holds nothing odd, and the faults of what was."""
    cleaner = Cleaner(where)
    return cleaner.value(raw), cleaner.faults
