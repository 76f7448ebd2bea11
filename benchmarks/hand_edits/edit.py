"""One edit by hand to the emitted code of an example, as data."""

from dataclasses import dataclass
from typing import Literal

Tag = Literal["declared", "numbers", "legitimate"]


@dataclass(frozen=True)
class Edit:
    """A change that somebody who maintains the code could make, and that changes what it does.

    `declared` says that the declaration gives it away: shapes, dtypes, roles, initialisers, flags, defaults, and what
    the spec says of groups, ties, states, keys and copies. `numbers` says that only the arithmetic tells. `legitimate` says
    that the change is right.
    """

    example: str
    tag: Tag
    done: str
    """What was done, in a sentence."""
    swaps: tuple[tuple[str, str], ...]
    """Texts to find, each of which occurs once, and the texts that replace them."""
    file: str = ""
    """The module that is edited, where it is not the example itself but one that it imports."""

    @property
    def place(self) -> str:
        return f"{self.file or self.example}.py"

    def applied(self, source: str) -> str:
        """The source with the edit; `ValueError` unless each text to find occurs exactly once."""
        for find, replacement in self.swaps:
            if source.count(find) != 1:
                raise ValueError(f"{self.place}: occurs {source.count(find)} times, not once: {find!r}")
            source = source.replace(find, replacement)
        return source


def declared(example: str, done: str, *swaps: tuple[str, str], file: str = "") -> Edit:
    return Edit(example, "declared", done, swaps, file)


def numbers(example: str, done: str, *swaps: tuple[str, str], file: str = "") -> Edit:
    return Edit(example, "numbers", done, swaps, file)


def legitimate(example: str, done: str, *swaps: tuple[str, str], file: str = "") -> Edit:
    return Edit(example, "legitimate", done, swaps, file)
