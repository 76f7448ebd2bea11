"""Progress on a terminal, in a line that is overwritten."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TextIO

import click
from msgspec import Struct

from scaffold.cli.terminal import complain, is_terminal
from scaffold.progress import heard_by

_AFTER, _EVERY = 0.5, 0.1
"""Seconds before the first line, and between two lines."""
_CLEAR = "\r\x1b[K"


class ProgressLine(Struct):
    """Progress on a terminal, which stays silent for the first half second."""

    stream: TextIO
    clock: Callable[[], float] = time.monotonic
    due: float = 0.0
    is_there: bool = False

    def __post_init__(self) -> None:
        self.due = self.clock() + _AFTER

    def tell(self, label: str, done: int, every: int) -> None:
        """Write the count if a line is due."""
        if self.clock() >= self.due:
            self.due = self.clock() + _EVERY
            self.is_there = True
            self._write(f"{_CLEAR}{label} {done:,} of {every:,}")

    def clear(self) -> None:
        """Erase the line."""
        if self.is_there:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # whoever has closed the terminal wants to see nothing
            self.stream.write(text)
            self.stream.flush()


@contextmanager
def progress(*, as_json: bool) -> Generator[None, None, None]:
    """Report progress on stderr within the block, if stderr is a terminal and the output is not JSON."""
    stream = sys.stderr
    if as_json or not is_terminal(stream):
        yield
        return
    line = ProgressLine(stream)
    try:
        with heard_by(line.tell):
            yield
    finally:
        line.clear()


def class_progress(done: int, every: int, label: str) -> None:
    """Report each class, in a line that a terminal overwrites."""
    if is_terminal(sys.stderr):
        end = "\r" if done + 1 < every else "\n"
        click.echo(f"\r\x1b[K{done + 1}/{every} {label}"[:100] + end, err=True, nl=False)
    elif every > 1:
        complain(f"{done + 1}/{every} {label}")
