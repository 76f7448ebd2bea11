"""The classes of a run that are done, a line each: what a run that was ended goes on from."""

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
"""Where the journal lies until the run is over."""


class Journal:
    """The journal of one run, which `options` describe; `outcomes` are those of the run that was ended."""

    def __init__(self, root: Path, options: Mapping[str, Any], *, resume: bool) -> None:
        self.path = root / PLACE
        self._options = msgspec.json.encode(options)
        self.outcomes = self._read() if resume else {}

    def _read(self) -> dict[str, Outcome]:
        """The outcomes by class. Raises `ScaffoldError` where there are none, or where they are of other options."""
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
        outcomes = (_decoded(line) for line in lines[1:-1])  # what follows the last newline is half a line
        return {outcome.one.label: outcome for outcome in outcomes}

    def begin(self) -> None:
        """Write the options, and what is known already."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [self._options, *map(_encoded, self.outcomes.values())]
        self.path.write_bytes(b"".join(line + b"\n" for line in lines))

    def add(self, outcome: Outcome) -> None:
        """Append an outcome, which is on the disk when this returns."""
        with self.path.open("ab") as file:
            file.write(_encoded(outcome) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def end(self) -> None:
        """Remove the journal, and its folder where nothing else is in it: all classes are done."""
        self.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # the records of what was written are there
            self.path.parent.rmdir()


def _encoded(outcome: Outcome) -> bytes:
    return msgspec.json.encode(outcome, enc_hook=str)


def _decoded(line: bytes) -> Outcome:
    return msgspec.json.decode(line, type=Outcome, dec_hook=lambda _, text: PurePosixPath(text))
