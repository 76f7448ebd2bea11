"""Errors that say what is wrong, where, what is legal, and how to mend it."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

_LONGEST, _LONGEST_QUOTED, _LONGEST_LEGAL = 1000, 160, 1500
_MOST_LEGAL = 8
"""Number of legal values that a message lists before it refers to `--json`."""
_QUOTED = rf"(?<=`)[^`]{{{_LONGEST_QUOTED + 1},}}(?=`)"


def shown(text: str, longest: int = _LONGEST) -> str:
    """Return `text` fit to echo: on one line, without control characters, and cut to `longest`.

    Every input that reaches a terminal or a log passes through here. If the text is too long, quotations in
    backticks are cut first. A cut keeps the beginning and the end.
    """
    text = (
        re.sub(_QUOTED, lambda quotation: _cut(quotation[0], _LONGEST_QUOTED), text)
        if len(text) > longest
        else text
    )
    return escaped(_cut(text, longest))


def shortened(text: str, longest: int = 60) -> str:
    """Return the beginning of a text that a message quotes."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def escaped(text: str, *, keep: str = "") -> str:
    r"""Replace each unprintable character that is not in `keep` by an escape such as `\x1b`."""
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
    """Return the legal values that fit in a message, and a count of the others."""
    words = [shown(word, _LONGEST_QUOTED) for word in legal[: _LONGEST_LEGAL // 2]]
    while sum(map(len, words)) > _LONGEST_LEGAL:
        del words[len(words) // 2 :]
    more = len(legal) - len(words)
    return [*words, f"and {more} more"] if more else words


def _nearest_shown(message: str, legal: Sequence[str]) -> list[str]:
    """Return a few legal values, those nearest to the word in the message first, and a count of the
    others."""
    if len(legal) <= _MOST_LEGAL + 1:  # one more is as short as to say so
        return _legal_shown(legal)
    import difflib  # here, because only a fault needs it

    written = re.search(r"`([^`]*)`", message)
    near = difflib.get_close_matches(written[1] if written else "", legal, _MOST_LEGAL, cutoff=0.4)
    words = [*near, *(word for word in legal if word not in near)][:_MOST_LEGAL]
    return [*_legal_shown(words), f"and {len(legal) - len(words)} more, which `--json` lists"]


class Fault(Struct, frozen=True, eq=False):
    """Fault of an input: its place, its cause, and its fix.

    `where` is the place as the author knows it (`specs/affine.toml: fields.weight.init`). `what` says what is
    wrong there, and `fix` what to write instead. `legal` lists the accepted values, where a list exists.
    `line` and `column`, from 1, are set for a place in a file.
    """

    where: str
    what: str
    fix: str
    legal: tuple[str, ...] = ()
    line: int | None = None
    column: int | None = None

    def said(self) -> tuple[str, str, str, tuple[str, ...]]:
        """Return the content without line and column. Faults with equal content are equal."""
        return self.where, self.what, self.fix, self.legal

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and self.said() == other.said()

    def __hash__(self) -> int:
        return hash(self.said())

    @property
    def place(self) -> str:
        """Place with line and column behind the file: `specs/affine.toml:7:3: fields.weight.init`."""
        if self.line is None:
            return self.where
        file, colon, key = self.where.partition(": ")
        return f"{file}:{self.line}:{self.column}{colon}{key}"

    def below(self, where: str) -> "Fault":
        """Return the fault with `where` put before its place, as a file before a key."""
        return Fault(f"{where}: {self.where}" if self.where else where, self.what, self.fix, self.legal)

    def __str__(self) -> str:
        lines = [f"{shown(self.place)}: {shown(self.what)}"]
        if self.legal:
            lines.append(f"  legal: {', '.join(_nearest_shown(self.what, self.legal))}")
        lines.append(f"  fix: {shown(self.fix)}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """Return the fault as plain JSON, for `--json`."""
        return {
            "where": shown(self.where),
            "line": self.line,
            "column": self.column,
            "what": shown(self.what),
            "legal": _legal_shown(self.legal),
            "fix": shown(self.fix),
        }


class ScaffoldError(Exception):
    """Error for an unusable input, with all its faults.

    `exit_code` is 2 for bad input. It is 1 where the input is good, but the state of the disk refuses it.
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
        """Build a single error from several faults, in order of their places."""
        ordered = sorted(faults, key=_order)
        first = ordered[0]
        error = cls(first.what, where=first.where, fix=first.fix, legal=first.legal, exit_code=exit_code)
        error.faults = tuple(ordered)
        return error

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


def _order(fault: Fault) -> tuple[object, ...]:
    """Return a sort key: the file first, then the position in it."""
    return (fault.where.partition(": ")[0], fault.line or 0, fault.column or 0, *fault.said())


_MEANT = {"gpu": ("cuda", "write `cuda` for NVIDIA or `rocm` for AMD: `gpu` does not say which")}
"""The legal word and the fix for words that resemble no legal word, such as `gpu`."""


def nearest(word: str, legal: Iterable[str], similarity: float = 0.6) -> str | None:
    """Return the legal word most similar to `word` by difflib, or None below `similarity`."""
    import difflib  # here, because only a fault needs it

    words = sorted(legal)
    if word in _MEANT and _MEANT[word][0] in words:
        return _MEANT[word][0]
    matches = difflib.get_close_matches(word, words, n=1, cutoff=similarity)
    return matches[0] if matches else None


def unknown(where: str, word: str, legal: Iterable[str], what: str, otherwise: str = "remove it") -> Fault:
    """Return the fault of an illegal word. Its fix suggests the nearest legal word."""
    words = tuple(legal)
    return Fault(where, what, suggestion(word, words, otherwise), words)


def suggestion(word: str, legal: Iterable[str], otherwise: str) -> str:
    """Return a fix that suggests the nearest legal word, or `otherwise` where none is near."""
    match = nearest(word, legal)
    if match is not None and word in _MEANT and _MEANT[word][0] == match:
        return _MEANT[word][1]
    return f"did you mean `{match}`?" if match else otherwise
