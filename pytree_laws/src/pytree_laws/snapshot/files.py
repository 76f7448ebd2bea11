"""Records on disk: read, changed under a lock, and exchanged as a whole, so that several processes may write."""

import contextlib
import inspect
import os
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from ..report import or_else

STALE = 60.0  # seconds after which a lock belongs to a process that has died
PERIOD = 0.02  # seconds between two tries


def change(file: Path, edit: Callable[[str | None], str]) -> None:
    """Write what `edit` makes of the text of a file; None stands for a file that is not there."""
    file.parent.mkdir(exist_ok=True)
    with _locked(file.with_name(f".{file.name}.lock")):
        before = file.read_text(encoding="utf-8") if file.is_file() else None
        new = file.with_name(f".{file.name}.{os.getpid()}")
        new.write_text(edit(before), encoding="utf-8", newline="\n")
        new.replace(file)


@contextlib.contextmanager
def _locked(lock: Path) -> Generator[None]:
    """Hold a lock file; one that is older than `STALE` is taken over."""
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if time.time() - lock.stat().st_mtime > STALE:
                    lock.unlink()
            time.sleep(PERIOD)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def file_of(tests: Path) -> Path:
    """Where the record of a test file lies: beside it, in a folder of records."""
    return tests.parent / "numbers" / f"{tests.stem.removeprefix('test_')}.txt"


@or_else(None, TypeError, OSError)
def tests_of(suite: Any) -> Path | None:
    """The file of a suite; None where it is in none."""
    return Path(inspect.getfile(type(suite)))


def record_of(suite: Any) -> Path | None:
    """The file that holds the record of a suite."""
    tests = tests_of(suite)
    return file_of(tests) if tests else None
