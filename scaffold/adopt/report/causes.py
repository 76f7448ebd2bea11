"""Findings grouped by cause, which is a law and a text without its names and numbers."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scaffold.adopt.emit.texts import on_a_line, plain_text
from scaffold.choices import SEVERITIES

MAX_PLACES = 3
MAX_CAUSES = 3
"""Maximum number of causes of a law on a terminal, so that no law hides the others."""
MAX_CODE = 7
"""Maximum number of lines of a reproduction on a terminal."""
MAX_WIDTH = 130
"""Maximum number of characters of a finding's text on a terminal."""
HARM = (
    ("P7", "P8", "P9", "P12", "P13", "P19", "P21", "@holds"),
    ("P2", "P3", "P4", "P10", "P11", "P15", "P16"),
)
"""Laws by the harm of breaking them: first wrong values, then losses and errors. Other laws come last."""
_VARIES = re.compile(
    r"PyTreeDef\(.*\)|<[^<>]* object>|`[^`]*`|'(?!b?float\d|u?int\d|complex\d)[^']*'|\"[^\"]*\"|\b(?:nan|inf)\b|[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
)
"""Matches treedefs, objects, names and numbers, in which two texts of a cause may differ."""
_NAME = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
_ARRAY = re.compile(r"(?:[\[(]\s*)*_(?:[\s,\]\[()]*_)*[\])]*")

SO_DO = "; so do "
"""Text before the other methods of a class that raise the same error."""
EXAMPLE = "         example: "
ADVICE = SEVERITIES[-1]
Finding = Mapping[str, Any]
Key = tuple[str, str, str]


class Cause(Struct, frozen=True):
    """A cause, with the finding that represents it and all places of its findings."""

    first: Finding
    places: tuple[str, ...]
    text: str
    """Text of the finding, with `…` for the names that differ between places."""
    same: int = 0
    """Number of other causes of this law at the same places."""

    @property
    def title(self) -> str:
        """Severity and law."""
        return "{:6} {} {}".format(*(self.first[key] for key in ("severity", "law", "name")))

    @property
    def times(self) -> str:
        """Number of places and of merged causes in brackets, or an empty text."""
        counts = [f"{len(self.places)} times"] if len(self.places) > 1 else []
        counts += [f"and {self.same} more of this law there"] if self.same else []
        return f" ({', '.join(counts)})" if counts else ""

    @property
    def code(self) -> list[str]:
        """Lines of plain jax that reproduce the finding."""
        return str(self.first.get("shows", "")).splitlines()

    @property
    def brief(self) -> list[str]:
        """Two lines: the text of the finding, and up to three places."""
        more = f" and {len(self.places) - MAX_PLACES} more" if len(self.places) > MAX_PLACES else ""
        text = on_a_line(self.text, MAX_WIDTH)
        places = on_a_line("; ".join(self.places[:MAX_PLACES]), MAX_WIDTH)
        return [f"  {self.title}: {text}{self.times}", f"         at {places}{more}"]

    @property
    def block(self) -> list[str]:
        """Brief lines, then a reproduction or the example, then a hint or the usual fix.

        Advice stays brief.
        """
        if self.first["severity"] == ADVICE:
            return self.brief
        code = [f"             {line}" for line in self.code] if len(self.code) <= MAX_CODE else []
        example = [] if code else self._labelled("example", self.first.get("example", ""))
        raised = [] if code else self._labelled("raised at", self.first.get("raised_at", ""))
        # A script that prints a wrong number shows no line, as the traceback of an error does.
        made = self._labelled("made at", self.first.get("made_at", ""))
        label, text = (
            ("look for", self.first["hint"]) if self.first["hint"] else ("usual fix", self.first["fix"])
        )
        # The end of a hint matters as much as its beginning, so its limit is higher.
        hint = self._labelled(label, text, 2 * MAX_WIDTH)
        return [*self.brief, *code, *example, *raised, *made, *hint]

    def _labelled(self, label: str, text: str, longest: int = MAX_WIDTH) -> list[str]:
        return [f"         {label}: {on_a_line(text, longest)}"] if text else []


def key_of(finding: Finding) -> Key:
    """Return the severity, law and reduced text, which all findings of a cause share."""
    what, *_ = finding["what"].split(SO_DO)
    text = _ARRAY.sub("_", on_a_line(_VARIES.sub("_", plain_text(what))))
    return finding["severity"], finding["law"], text


def causes_of(findings: Iterable[tuple[str, Finding]]) -> list[Cause]:
    """Group labelled findings by cause. The most harmful causes come first, then the most frequent."""
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
    """Return the first text, with `…` in place of each quoted name that differs in another text."""
    rows = [_NAME.findall(text) for text in texts]
    if len({len(row) for row in rows}) > 1:
        return texts[0]
    names = zip(*rows, strict=True)
    common = iter([row[0] if len({*row}) == 1 else f"{row[0][0]}…{row[0][0]}" for row in names])
    return _NAME.sub(lambda match: next(common), texts[0])


def _place(label: str, finding: Finding) -> str:
    """Return the label of the class, with the path of the part that the finding is about, if any."""
    where, name = str(finding["where"]), label.rpartition(":")[2]
    return label if where in (name, f"Test{name}") else f"{label}, `{where}`"


def united(causes: Iterable[Cause]) -> list[Cause]:
    """Merge causes of a law at the same places, and keep the first that has a reproduction."""
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
    """Yield at most `most` lines: causes in full, then causes in brief, then a count of the rest.

    `whole` names the file or option that has all causes.
    """
    chosen = list(_few_of_each_law(causes))
    room, count, seen = most - 1, 0, set[str]()
    for place, cause in enumerate(chosen):
        after = 2 * min(len(chosen) - place - 1, 2)  # keep room for two more causes
        block = [line for line in cause.block if line not in seen]  # show an example only once
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
