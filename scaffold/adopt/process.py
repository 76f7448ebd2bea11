"""The process that looks at classes: it is asked one thing at a time, and ended where it does not answer."""

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from scaffold.errors import ScaffoldError
from scaffold.law_texts import FOLDER as LAWS

CHILD = Path(__file__).parent / "child" / "__main__.py"
STARTS = 120.0
"""How long an interpreter may take to import jax."""
LAST_WORDS = 2000


class NoAnswerError(Exception):
    """The process has ended, or was ended since it took too long."""


class Child:
    """An interpreter that has imported jax and the laws."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        environment = {"JAX_PLATFORMS": "cpu", **os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        self._errors = Last()
        self._answers: Queue[str] = Queue()
        self._process = subprocess.Popen(
            [*command, str(CHILD), str(LAWS)],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._command = command
        reads = (self._read_answers, self._read_errors)
        self._readers = [threading.Thread(target=read, daemon=True) for read in reads]
        for reader in self._readers:
            reader.start()
        self._check_start()

    def _check_start(self) -> None:
        try:
            told = self._next(STARTS)
        except NoAnswerError as error:
            raise ScaffoldError(
                f"the interpreter cannot look at classes: {error}",
                where=" ".join(self._command),
                fix="name that of your project with `--python`",
            ) from None
        if told["why"]:
            self.close()
            what = f"the interpreter has no module `{told['why']}`, which the laws need"
            fix = "install it there, or name the interpreter of your project with `--python`"
            raise ScaffoldError(what, where=" ".join(self._command), fix=fix)

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The answer. Raises `NoAnswerError`, after which nothing more can be asked."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"id": 0, **request}) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise NoAnswerError(self._last_words()) from None
        return self._next(seconds)

    def _next(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=seconds)
        except Empty:
            self.close()
            raise NoAnswerError(f"it took more than {seconds:.0f} seconds") from None
        if not line:
            raise NoAnswerError(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        code = self._process.wait()
        words = self._errors.text.strip().split("\n")[-1]
        return f"it ended with {code}" + (f": {words}" if words else "")

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(1.0)  # a child of its own may hold the streams for longer
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.add(line)


class Last:
    """The end of what a process has written."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, more: str) -> None:
        self.text = (self.text + more)[-LAST_WORDS:]
