"""Texts of findings on a line, without addresses, folders and details of this run."""

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
    """Return a text on a line, without addresses, folders, and jax's notes on tracing."""
    plain = " ".join(text.split())
    for pattern in (_ADDRESS, _FOLDERS, _ABSOLUTE, _TRACED, _ORIGIN, _SEE):
        plain = pattern.sub("", plain)
    return plain


def on_a_line(text: str, longest: int = LONGEST) -> str:
    """Return the plain text, shortened if it is long.

    The lines are joined first, since jax puts the cause of an error in the later lines.
    """
    return shown(plain_text(text), longest)


def first_line(text: str) -> str:
    """Return the first line of a text, shortened for a terminal."""
    return on_a_line(text.strip().partition("\n")[0], 160)
