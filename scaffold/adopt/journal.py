"""Journal of the classes that a run has finished, a JSON line each, from which `--resume` goes on."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from scaffold.adopt.report import Outcome
from scaffold.errors import ScaffoldError
from scaffold.history.records import FOLDER

PLACE = FOLDER / "adopt-run.jsonl"
"""Path of the journal below the project root, until the run is over."""


class Journal:
    """Journal of a run, which `options` identify.

    With `resume`, `outcomes` are the classes that the interrupted run had finished.
    """

    def __init__(self, root: Path, options: Mapping[str, Any], *, resume: bool) -> None:
        self.path = root / PLACE
        self._options = msgspec.json.encode(options)
        self.outcomes = self._read() if resume else {}

    def _read(self) -> dict[str, Outcome]:
        """Read the outcomes by class label.

        Raises `ScaffoldError` if there is no journal, or if its options differ.
        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            raise ScaffoldError(
                "no run was ended before its last class", where="--resume", fix="leave it out"
            ) from None
        if lines[0] != self._options:
            raise ScaffoldError(
                f"the run that was ended had other targets or options: {lines[0].decode('utf-8', 'replace')}",
                where="--resume",
                fix="give the same, or leave --resume out to begin anew",
            )
        outcomes = (_decoded(line) for line in lines[1:-1])  # text after the last newline is half a line
        return {outcome.one.label: outcome for outcome in outcomes}

    def begin(self) -> None:
        """Write the options and the outcomes known so far."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [self._options, *map(_encoded, self.outcomes.values())]
        self.path.write_bytes(b"".join(line + b"\n" for line in lines))

    def add(self, outcome: Outcome) -> None:
        """Append an outcome, and sync it to disk."""
        with self.path.open("ab") as file:
            file.write(_encoded(outcome) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def end(self) -> None:
        """Remove the journal, and its folder if nothing else is in it."""
        self.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # the folder may have records
            self.path.parent.rmdir()


def _encoded(outcome: Outcome) -> bytes:
    return msgspec.json.encode(outcome, enc_hook=str)


def _decoded(line: bytes) -> Outcome:
    return msgspec.json.decode(line, type=Outcome, dec_hook=lambda _, text: PurePosixPath(text))
