"""Errors that carry their remedy: what is wrong, where, what is legal, and how to mend it."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

_LONGEST, _LONGEST_QUOTED, _LONGEST_LEGAL = 1000, 160, 1500
_MOST_LEGAL = 8
"""How many legal values anybody reads."""
_QUOTED = rf"(?<=`)[^`]{{{_LONGEST_QUOTED + 1},}}(?=`)"


def shown(text: str, longest: int = _LONGEST) -> str:
    """`text` as it may be echoed: on one line, without control characters, and no longer than anybody reads.

    Whatever an input holds reaches a terminal or a log through here. What is too long keeps its beginning and its end,
    a quotation in backticks before the whole.
    """
    text = (
        re.sub(_QUOTED, lambda quotation: _cut(quotation[0], _LONGEST_QUOTED), text)
        if len(text) > longest
        else text
    )
    return escaped(_cut(text, longest))


def shortened(text: str, longest: int = 60) -> str:
    """The beginning of a text that is quoted within a message."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def escaped(text: str, *, keep: str = "") -> str:
    """`text` with an escape such as `\\x1b` for each character that is not printable, and not in `keep`."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = longest // 4
    cut = f"{text[: longest - end]}… {len(text) - longest} characters …{text[-end:]}"
    return min(cut, text, key=len)


def _legal_shown(legal: Sequence[str]) -> list[str]:
    """As many of the legal values as anybody reads, and how many more there are."""
    words = [shown(word, _LONGEST_QUOTED) for word in legal[: _LONGEST_LEGAL // 2]]
    while sum(map(len, words)) > _LONGEST_LEGAL:
        del words[len(words) // 2 :]
    more = len(legal) - len(words)
    return [*words, f"and {more} more"] if more else words


def _nearest_shown(message: str, legal: Sequence[str]) -> list[str]:
    """A few of the legal values, those first that are nearest to what was written, and where all of them are."""
    if len(legal) <= _MOST_LEGAL + 1:  # one more is as short as to say so
        return _legal_shown(legal)
    import difflib  # here, because only a fault needs it

    written = re.search(r"`([^`]*)`", message)
    near = difflib.get_close_matches(written[1] if written else "", legal, _MOST_LEGAL, cutoff=0.4)
    words = [*near, *(word for word in legal if word not in near)][:_MOST_LEGAL]
    return [*_legal_shown(words), f"and {len(legal) - len(words)} more, which `--json` lists"]


class Fault(Struct, frozen=True, eq=False):
    """One thing that is wrong with an input.

    `where` is the place as the author knows it (`specs/affine.toml: fields.weight.init`), `what` says what is wrong
    there, `fix` what to write instead. `legal` lists the values that would have been accepted, where they can be listed.
    `line` and `column`, from 1, are known for what stands in a file.
    """

    where: str
    what: str
    fix: str
    legal: tuple[str, ...] = ()
    line: int | None = None
    column: int | None = None

    def said(self) -> tuple[str, str, str, tuple[str, ...]]:
        """What it says, wherever in the file: faults that say the same are equal."""
        return self.where, self.what, self.fix, self.legal

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and self.said() == other.said()

    def __hash__(self) -> int:
        return hash(self.said())

    @property
    def place(self) -> str:
        """`where`, with line and column behind the file: `specs/affine.toml:7:3: fields.weight.init`."""
        if self.line is None:
            return self.where
        file, colon, key = self.where.partition(": ")
        return f"{file}:{self.line}:{self.column}{colon}{key}"

    def below(self, where: str) -> "Fault":
        """The same fault, whose place lies in another: a key of a table in a file."""
        return Fault(f"{where}: {self.where}" if self.where else where, self.what, self.fix, self.legal)

    def __str__(self) -> str:
        lines = [f"{shown(self.place)}: {shown(self.what)}"]
        if self.legal:
            lines.append(f"  legal: {', '.join(_nearest_shown(self.what, self.legal))}")
        lines.append(f"  fix: {shown(self.fix)}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """The fault as plain JSON, for `--json`."""
        return {
            "where": shown(self.where),
            "line": self.line,
            "column": self.column,
            "what": shown(self.what),
            "legal": _legal_shown(self.legal),
            "fix": shown(self.fix),
        }


class ScaffoldError(Exception):
    """An input that cannot be used, with everything that is wrong with it.

    `exit_code` is 2 for bad input and 1 where the input is good but the state of the disk refuses it.
    """

    def __init__(
        self,
        message: str,
        *,
        where: str,
        fix: str,
        legal: Sequence[str] = (),
        exit_code: int = 2,
    ):
        self.faults: tuple[Fault, ...] = (Fault(where, message, fix, tuple(legal)),)
        self.exit_code = exit_code
        super().__init__(where, message, fix)

    @classmethod
    def of(cls, faults: Iterable[Fault], *, exit_code: int = 2) -> "ScaffoldError":
        """One error for several faults, in order of their places."""
        ordered = sorted(faults, key=_order)
        first = ordered[0]
        error = cls(first.what, where=first.where, fix=first.fix, legal=first.legal, exit_code=exit_code)
        error.faults = tuple(ordered)
        return error

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


def _order(fault: Fault) -> tuple[object, ...]:
    """By file, then as the faults stand in it."""
    return (fault.where.partition(": ")[0], fault.line or 0, fault.column or 0, *fault.said())


_MEANT = {"gpu": ("cuda", "write `cuda` for NVIDIA or `rocm` for AMD: `gpu` does not say which")}
"""What is meant by words that are near to no other: the legal word, and the fix that says so."""


def nearest(word: str, legal: Iterable[str], similarity: float = 0.6) -> str | None:
    """The legal word that `word` was probably meant to be, or None where none is so similar, as difflib measures it."""
    import difflib  # here, because only a fault needs it

    words = sorted(legal)
    if word in _MEANT and _MEANT[word][0] in words:
        return _MEANT[word][0]
    matches = difflib.get_close_matches(word, words, n=1, cutoff=similarity)
    return matches[0] if matches else None


def unknown(where: str, word: str, legal: Iterable[str], what: str, otherwise: str = "remove it") -> Fault:
    """The fault of a word that is none of the legal ones: `what` says so, and the fix names the nearest."""
    words = tuple(legal)
    return Fault(where, what, suggestion(word, words, otherwise), words)


def suggestion(word: str, legal: Iterable[str], otherwise: str) -> str:
    """A fix that names the nearest legal word, or `otherwise` where none is near."""
    match = nearest(word, legal)
    if match is not None and word in _MEANT and _MEANT[word][0] == match:
        return _MEANT[word][1]
    return f"did you mean `{match}`?" if match else otherwise
