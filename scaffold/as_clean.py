"""Ruff passes that keep an edited file as clean as it was before the edit."""

import subprocess
from pathlib import Path

from scaffold.tidy import ruff_program

_SORT = ("check", "--select", "I", "--quiet")
_FORMAT = ("format", "--quiet")


def as_clean(before: bytes, after: bytes, place: Path) -> bytes:
    """Sort the imports of `after` if `before` had them sorted, and format it if `before` was formatted.

    Ruff reads the settings that apply at `place`. An empty `before` counts as sorted, but not as formatted.
    """
    if not before.strip() or _clean(_SORT, before, place):
        after = _run((*_SORT, "--fix"), after, place) or after
    if before.strip() and _clean((*_FORMAT, "--check"), before, place):
        after = _run(_FORMAT, after, place) or after
    return after


def formatted(text: str, place: Path) -> str | None:
    """Return the text formatted under the settings for `place`, or None if ruff rejects it."""
    after = _run(_FORMAT, text.encode(), place)
    return None if after is None else after.decode()


def _clean(command: tuple[str, ...], text: bytes, place: Path) -> bool:
    return _run(command, text, place) is not None


def _run(command: tuple[str, ...], text: bytes, place: Path) -> bytes | None:
    """Return ruff's output, or None if ruff reports something or fails."""
    arguments = [ruff_program(), *command, "--no-cache", "--stdin-filename", str(place), "-"]
    process = subprocess.run(arguments, input=text, capture_output=True, cwd=_folder(place), check=False)
    return None if process.returncode else process.stdout


def _folder(place: Path) -> Path:
    return next(folder for folder in place.parents if folder.is_dir())
