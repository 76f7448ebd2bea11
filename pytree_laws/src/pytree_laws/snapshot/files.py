"""Files of records, changed under a lock and replaced as a whole, so that processes may share them."""

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
    """Replace the text of a file by `edit(text)` under a lock. The text of a missing file is None."""
    file.parent.mkdir(exist_ok=True)
    with _locked(file.with_name(f".{file.name}.lock")):
        before = file.read_text(encoding="utf-8") if file.is_file() else None
        new = file.with_name(f".{file.name}.{os.getpid()}")
        new.write_text(edit(before), encoding="utf-8", newline="\n")
        new.replace(file)


@contextlib.contextmanager
def _locked(lock: Path) -> Generator[None]:
    """Hold a lock file. A lock older than `STALE` is taken over."""
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
    """Return the file of the record for a test file, in the folder `numbers` beside it."""
    return tests.parent / "numbers" / f"{tests.stem.removeprefix('test_')}.txt"


@or_else(None, TypeError, OSError)
def tests_of(suite: Any) -> Path | None:
    """Return the file that defines a suite, or None."""
    return Path(inspect.getfile(type(suite)))


def record_of(suite: Any) -> Path | None:
    """Return the file of the record for a suite."""
    tests = tests_of(suite)
    return file_of(tests) if tests else None
