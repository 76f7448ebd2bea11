"""Rendering of a project's templates in a process with limits of time and memory."""

import atexit
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from scaffold.errors import ScaffoldError
from scaffold.rendering.template_files import SUFFIX
from scaffold.streams import Lines

CHILD = Path(__file__).parent / "child.py"
SECONDS = 10
"""Time limit for a class."""
_FIX = "mend the template; `scaffold show NAME --context` prints the names that it is given"
_SHORTER = "mend the template: a loop or a product in it has no end"


def rendered_apart(
    folder: Path, sources: Sequence[tuple[str, str]], context: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Return path and text of each file.

    Raises `ScaffoldError` if a template has a fault, takes too long, or gives too much.
    """
    answer = _renderer().ask(sources, context)
    if answer is None:
        message = f"laying it out takes more than {SECONDS} seconds, or more memory than there is for it"
        raise ScaffoldError(message, where=folder.name, fix=_SHORTER)
    if "files" not in answer:
        where = f"{folder.name}/{answer['path']}{SUFFIX}" + (f":{answer['line']}" if answer["line"] else "")
        raise ScaffoldError(answer["what"], where=where, fix=_FIX)
    return [(path, text) for path, text in answer["files"]]


class _Renderer:
    """Rendering process, started on demand, and again after it was ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        atexit.register(self.close)

    def ask(self, sources: Sequence[tuple[str, str]], context: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer, or None if the process gives none in time."""
        request = {"sources": [*sources], "context": context, "seconds": 2 * SECONDS}
        with self._lock:
            process, lines = self._started()
            assert process.stdin is not None
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                line = lines.next(SECONDS)
            except (OSError, TimeoutError):
                line = None
            if line is None:
                self.close()
            return json.loads(line) if line else None

    def _started(self) -> tuple[subprocess.Popen[bytes], Lines]:
        if self._process is None:
            # `-P`: the folder of the program has modules whose names others have, too.
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert self._process.stdout is not None
            self._lines = Lines(self._process.stdout)
        return self._process, self._lines

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        process, self._process = self._process, None
        process.kill()
        process.wait()
        self._lines.close()
        self._lines.reader.join(1.0)
        for stream in (process.stdin, process.stdout):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except OSError:  # what it was not told any more
                    continue


@cache
def _renderer() -> _Renderer:
    return _Renderer()
