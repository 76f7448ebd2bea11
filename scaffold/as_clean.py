"""An edited file, as clean for the project's own ruff as it was before."""

import subprocess
from pathlib import Path

from scaffold.tidy import ruff_program

_SORT = ("check", "--select", "I", "--quiet")
_FORMAT = ("format", "--quiet")


def as_clean(before: bytes, after: bytes, place: Path) -> bytes:
    """`after` with its imports sorted, and formatted, as the settings for `place` have it, where `before` was so."""
    if not before.strip() or _clean(_SORT, before, place):
        after = _run((*_SORT, "--fix"), after, place) or after
    if before.strip() and _clean((*_FORMAT, "--check"), before, place):
        after = _run(_FORMAT, after, place) or after
    return after


def formatted(text: str, place: Path) -> str | None:
    """The text as the settings for `place` have it; None where it is no Python."""
    after = _run(_FORMAT, text.encode(), place)
    return None if after is None else after.decode()


def _clean(command: tuple[str, ...], text: bytes, place: Path) -> bool:
    return _run(command, text, place) is not None


def _run(command: tuple[str, ...], text: bytes, place: Path) -> bytes | None:
    """What ruff writes; None where it finds something, or does not run under the settings that are there."""
    arguments = [ruff_program(), *command, "--no-cache", "--stdin-filename", str(place), "-"]
    process = subprocess.run(arguments, input=text, capture_output=True, cwd=_folder(place), check=False)
    return None if process.returncode else process.stdout


def _folder(place: Path) -> Path:
    return next(folder for folder in place.parents if folder.is_dir())
