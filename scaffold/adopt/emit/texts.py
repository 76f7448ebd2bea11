"""Texts of findings in a line: without addresses, folders and what only this run says."""

import re

from scaffold.errors import shown

LONGEST = 400
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_FOLDERS = re.compile(
    r"(?<![\w.:/\\])(?:[A-Za-z]:)?[\\/](?:[^\s'\"`\\/]+[\\/])*?(?:(?:site|dist)-packages|[\w.-]+\.whl)[\\/]"
)
_ABSOLUTE = re.compile(r"(?<![\w.:/\\])(?:/[^\s'\"`/,;()]+){2,}/(?=[^\s'\"`/])")
_TRACED = re.compile(r" ?The error occurred while tracing the function \S+ at \S+ for \w+\.")
_ORIGIN = re.compile(r" ?This concrete value was not available in Python because .*")
_SEE = re.compile(r" ?(?:For more information, )?[Ss]ee https?://\S+(?: for more information)?\.?")


def plain_text(text: str) -> str:
    """A text in one line, without addresses of objects, folders of this machine, and what jax says of its own tracing."""
    plain = " ".join(text.split())
    for pattern in (_ADDRESS, _FOLDERS, _ABSOLUTE, _TRACED, _ORIGIN, _SEE):
        plain = pattern.sub("", plain)
    return plain


def on_a_line(text: str, longest: int = LONGEST) -> str:
    """The same, cut off where it is long.

    What jax says in several lines has its cause in the later ones.
    """
    return shown(plain_text(text), longest)


def first_line(text: str) -> str:
    """The first line of a text, as a terminal shows it."""
    return on_a_line(text.strip().partition("\n")[0], 160)
