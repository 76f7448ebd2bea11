"""Values that the search could not find, with the option that supplies each, and one reason once."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

MAX_PLACES = 3
NEEDED_FIRST = (
    "; or what each needs first, beside an argument that they share: --set 'NAME=(FIRST, VALUE)[1]'"
)
"""Way to make something before each class, such as a setting of the whole library."""


class Missing(Struct, frozen=True):
    """Hint on a class for which the search could not find everything."""

    label: str
    """Class, as `pkg.mod:Class`."""
    why: str
    give: str
    """Option that supplies it, with a form for its value."""

    @property
    def text(self) -> str:
        """Line with the reason, and line with the option."""
        return f"{self.label}: {self.why}\n  give: {self.give}"


def together(every: Iterable[Missing], most: int | None = None) -> Iterator[str]:
    """Yield the text of each reason once, with the names of at most `most` of its classes."""
    by_reason: dict[str, list[Missing]] = {}
    for each in every:
        by_reason.setdefault(each.why, []).append(each)
    yield from (_text(alike, most) for alike in by_reason.values())


def _text(alike: Sequence[Missing], most: int | None) -> str:
    first = alike[0]
    if len(alike) == 1:
        return first.text
    labels = [each.label for each in alike]
    more = f" and {len(labels[most:])} more" if labels[most:] and most else ""
    ways = {each.give for each in alike}
    give = first.give if len(ways) == 1 else f"{first.give}, and so for each"
    give += NEEDED_FIRST if len(ways) > 1 and first.give.startswith("--build") else ""
    return f"{first.why} ({len(alike)} times)\n  at {', '.join(labels[:most])}{more}\n  give: {give}"
