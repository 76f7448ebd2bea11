"""Findings by cause: what has one law and one text is one cause, wherever it was found."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scaffold.adopt.emit.texts import on_a_line, plain_text
from scaffold.choices import SEVERITIES

MAX_PLACES = 3
MAX_CAUSES = 3
"""Causes of one law on a terminal, so that no law hides the others."""
MAX_CODE = 7
"""Lines of a reproduction on a terminal."""
MAX_WIDTH = 130
"""Characters of what is found, on a terminal."""
HARM = (
    ("P7", "P8", "P9", "P12", "P13", "P19", "P21", "@holds"),
    ("P2", "P3", "P4", "P10", "P11", "P15", "P16"),
)
"""Laws by the harm of breaking them: another value than the right one, then what is lost or raises; then all others."""
_VARIES = re.compile(
    r"PyTreeDef\(.*\)|<[^<>]* object>|`[^`]*`|'(?!b?float\d|u?int\d|complex\d)[^']*'|\"[^\"]*\"|\b(?:nan|inf)\b|[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
)
"""Treedefs, objects, names and numbers, by which two texts of one cause differ."""
_NAME = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
_ARRAY = re.compile(r"(?:[\[(]\s*)*_(?:[\s,\]\[()]*_)*[\])]*")

SO_DO = "; so do "
"""What stands before the other methods of one class that raise the same."""
EXAMPLE = "         example: "
ADVICE = SEVERITIES[-1]
Finding = Mapping[str, Any]
Key = tuple[str, str, str]


class Cause(Struct, frozen=True):
    """One cause: a finding that stands for it, and the places where it was found."""

    first: Finding
    places: tuple[str, ...]
    text: str
    """What was found, as it is said of all places."""
    same: int = 0
    """How many other texts of its law speak of the same places."""

    @property
    def title(self) -> str:
        """Severity and law."""
        return "{:6} {} {}".format(*(self.first[key] for key in ("severity", "law", "name")))

    @property
    def times(self) -> str:
        """The count of places and of other texts, where there are several."""
        counts = [f"{len(self.places)} times"] if len(self.places) > 1 else []
        counts += [f"and {self.same} more of this law there"] if self.same else []
        return f" ({', '.join(counts)})" if counts else ""

    @property
    def code(self) -> list[str]:
        """The lines of plain jax that show it."""
        return str(self.first.get("shows", "")).splitlines()

    @property
    def brief(self) -> list[str]:
        """What was found, and up to three places."""
        more = f" and {len(self.places) - MAX_PLACES} more" if len(self.places) > MAX_PLACES else ""
        text = on_a_line(self.text, MAX_WIDTH)
        places = on_a_line("; ".join(self.places[:MAX_PLACES]), MAX_WIDTH)
        return [f"  {self.title}: {text}{self.times}", f"         at {places}{more}"]

    @property
    def block(self) -> list[str]:
        """The same with a reproduction, or the example and the line that raised, and what to look for or what is the usual fix; advice is brief."""
        if self.first["severity"] == ADVICE:
            return self.brief
        code = [f"             {line}" for line in self.code] if len(self.code) <= MAX_CODE else []
        example = [] if code else self._labelled("example", self.first.get("example", ""))
        raised = [] if code else self._labelled("raised at", self.first.get("raised_at", ""))
        label, text = (
            ("look for", self.first["hint"]) if self.first["hint"] else ("usual fix", self.first["fix"])
        )
        # The laws say it, in words of their own length: the end is as much to the point as the beginning.
        hint = self._labelled(label, text, 2 * MAX_WIDTH)
        return [*self.brief, *code, *example, *raised, *hint]

    def _labelled(self, label: str, text: str, longest: int = MAX_WIDTH) -> list[str]:
        return [f"         {label}: {on_a_line(text, longest)}"] if text else []


def key_of(finding: Finding) -> Key:
    """What two findings of one cause have in common."""
    what, *_ = finding["what"].split(SO_DO)
    text = _ARRAY.sub("_", on_a_line(_VARIES.sub("_", plain_text(what))))
    return finding["severity"], finding["law"], text


def causes_of(findings: Iterable[tuple[str, Finding]]) -> list[Cause]:
    """The causes of findings, each with its class: the most harmful first, then the one that was found most often."""
    first: dict[Key, Finding] = {}
    places: dict[Key, dict[str, None]] = {}
    texts: dict[Key, list[str]] = {}
    for label, finding in findings:
        key = key_of(finding)
        if key not in first or (finding.get("shows") and not first[key].get("shows")):
            first[key] = finding
            places[key] = {_place(label, finding): None, **places.get(key, {})}
        places[key][_place(label, finding)] = None
        texts.setdefault(key, []).append(str(finding["what"]))
    causes = [Cause(first[key], tuple(places[key]), common_text(texts[key])) for key in first]
    return sorted(causes, key=lambda cause: (*_harm(cause.first), -len(cause.places)))


def common_text(texts: Sequence[str]) -> str:
    """The first of the texts of one cause, with `…` for the names in which the others differ from it."""
    rows = [_NAME.findall(text) for text in texts]
    if len({len(row) for row in rows}) > 1:
        return texts[0]
    names = zip(*rows, strict=True)
    common = iter([row[0] if len({*row}) == 1 else f"{row[0][0]}…{row[0][0]}" for row in names])
    return _NAME.sub(lambda match: next(common), texts[0])


def _place(label: str, finding: Finding) -> str:
    """A class, and what is in it, where the finding is about a part of it, and not about all of it or of its suite."""
    where, name = str(finding["where"]), label.rpartition(":")[2]
    return label if where in (name, f"Test{name}") else f"{label}, `{where}`"


def united(causes: Iterable[Cause]) -> list[Cause]:
    """The causes, of which those of one law at the same places are one: the first that has a reproduction."""
    causes_by_key: dict[tuple[str, frozenset[str]], Cause] = {}
    for cause in causes:
        key = cause.title, frozenset(cause.places)
        if (other := causes_by_key.get(key)) is not None:
            chosen = cause if cause.code and not other.code else other
            cause = replace(chosen, same=other.same + 1)
        causes_by_key[key] = cause
    return list(causes_by_key.values())


def _harm(finding: Finding) -> tuple[int, int]:
    tier = next((place for place, laws in enumerate(HARM) if finding["law"] in laws), len(HARM))
    return SEVERITIES.index(finding["severity"]), tier


def cause_lines(causes: Sequence[Cause], most: int, whole: str) -> Iterator[str]:
    """So many lines: the first causes whole, then others in two lines, and the rest counted, which are in `whole`."""
    chosen = list(_few_of_each_law(causes))
    room, count, seen = most - 1, 0, set[str]()
    for place, cause in enumerate(chosen):
        after = 2 * min(len(chosen) - place - 1, 2)  # two more should be seen
        block = [line for line in cause.block if line not in seen]  # an example is told once
        seen.update(line for line in block if line.startswith(EXAMPLE))
        lines = block if len(block) + after <= room else cause.brief
        if len(lines) > room:
            break
        yield from lines
        room, count = room - len(lines), count + 1
    left = len(causes) - count
    if left:
        yield f"  {left} more cause{'s' * (left > 1)}: `{whole}` has them all, and `--json` prints them"


def _few_of_each_law(causes: Iterable[Cause]) -> Iterator[Cause]:
    counts: dict[str, int] = {}
    for cause in causes:
        counts[cause.title] = counts.get(cause.title, 0) + 1
        if counts[cause.title] <= MAX_CAUSES:
            yield cause
