"""Child process that looks at classes: a single request at a time, with limits of time and memory."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, cast

from scaffold.adopt.processes.memory import GIB, watch
from scaffold.adopt.processes.versions import refuse_old
from scaffold.errors import ScaffoldError, shown
from scaffold.law_wheel import wheel_path
from scaffold.streams import LONGEST_ANSWER, Lines, Tail

CHILD = Path(__file__).parents[1] / "child" / "__main__.py"
STARTS = 120.0
"""Seconds that an interpreter may take to import jax."""
_WITHOUT_RECORDS = {"PYTREE_LAWS_NUMBERS": "off"}
"""Turns off the comparison with recorded numbers, which is left to the tests of the class."""
ENDS = 5.0
"""Seconds that the process may take to end once it has closed its streams."""
CURRENT = "Current thread "
INNERMOST = r'[^\n]*most recent call first\):\n  File "(.*?)", line (\d+)'
"""Matches the innermost frame of a thread, as `faulthandler` writes it."""


class NoAnswerError(Exception):
    """A process that has ended, exceeded a limit, or written something other than an answer."""


class Child:
    """An interpreter that has imported jax and the laws, and may take `memory` bytes (0 for no limit).

    The interpreter checks annotations of the packages in `checked_types` at each call, as jaxtyping's pytest
    option does.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        memory: int = 0,
        hash_seed: str = "0",
        checked_types: str = "",
    ) -> None:
        environment = {
            "JAX_PLATFORMS": "cpu",
            **os.environ,
            "PYTHONFAULTHANDLER": "1",  # shows where compiled code crashes
            **_WITHOUT_RECORDS,
            "PYTHONHASHSEED": hash_seed,
        }
        self._process = subprocess.Popen(
            [*command, str(CHILD), str(wheel_path()), checked_types],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # to end all processes that it starts
        )
        assert self._process.stdout is not None and self._process.stderr is not None
        self._where = " ".join(command)
        self.versions = dict[str, str]()
        self._excess = ""
        self._ended = Event()
        self._answers, self._errors = Lines(self._process.stdout), Tail(self._process.stderr)
        watch(self._process.pid, memory, self._ended, lambda: self._exceed(memory))
        self._check_start()

    def _check_start(self) -> None:
        """Wait until the interpreter is ready. Raises `ScaffoldError` if the laws cannot run in it."""
        ready = dict[str, Any]()
        while "ready" not in ready:
            ready = self._greeting()
            self.versions |= ready.get("versions", {})
            self.refuse_old(["jax"])
        if ready.get("why"):
            self.close()
            problem = f"the interpreter has no module `{ready['why']}`, which the laws need"
            fix = "install it there, or name the interpreter of your project with `--python`"
            raise ScaffoldError(problem, where=self._where, fix=fix)

    def _greeting(self) -> dict[str, Any]:
        """Return the next greeting: first the versions of the libraries, then whether the child is ready."""
        try:
            return self._next(STARTS, lambda answer: "ready" in answer or "versions" in answer, skips=True)
        except NoAnswerError as error:
            raise ScaffoldError(
                f"the interpreter cannot look at classes: {error}",
                where=self._where,
                fix="name that of your project with `--python`: Python 3.11 or newer, with jax",
            ) from None

    def refuse_old(self, libraries: Iterable[str]) -> None:
        """End the process and raise `ScaffoldError` if a library in it is too old."""
        try:
            refuse_old(self.versions, libraries, self._where)
        except ScaffoldError:
            self.close()
            raise

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request, and return the answer.

        Raises `NoAnswerError`, after which the process is closed.
        """
        assert self._process.stdin is not None
        # A class that writes to the stream of answers does not know the token.
        token = os.urandom(8).hex()
        try:
            self._process.stdin.write(json.dumps({"id": token, **request}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise NoAnswerError(self._last_words()) from None
        answer = self._next(seconds, lambda answer: answer.get("id") == token)
        return {key: value for key, value in answer.items() if key != "id"}

    def _next(
        self, seconds: float, is_ours: Callable[[dict[str, Any]], bool], *, skips: bool = False
    ) -> dict[str, Any]:
        """Return the next answer. With `skips`, pass over lines that an interpreter prints when it starts."""
        until = monotonic() + seconds
        while True:
            line = self._line(max(0.0, until - monotonic()), seconds)
            answer = _parsed(line)
            if answer is not None and is_ours(answer):
                return answer
            if not skips:
                self.close()
                text = shown(line[:200].decode("utf-8", "replace"), 80)
                raise NoAnswerError(f"something in it wrote what is no answer: {text}")

    def _line(self, left: float, seconds: float) -> bytes:
        try:
            line = self._answers.next(left)
        except TimeoutError:
            self.close()
            raise NoAnswerError(f"it took more than {seconds:.0f} seconds") from None
        if line is None:
            raise NoAnswerError(self._last_words())
        return line

    def _exceed(self, memory: int) -> None:
        self._excess = f"it took more than {memory / GIB:.1f} GiB of memory, which is its limit"
        self._kill()

    def _last_words(self) -> str:
        """Close the process, and return the reason why it gave no answer."""
        code: int | None = None
        if not self._answers.too_long:
            with suppress(subprocess.TimeoutExpired):
                code = self._process.wait(ENDS)
        self.close()
        if self._excess:
            return self._excess
        if self._answers.too_long:
            return f"something in it wrote more than {LONGEST_ANSWER // 2**20} MiB where an answer belongs"
        return ended_with(code, self._errors.text.strip())

    @property
    def has_ended(self) -> bool:
        """Whether the process is closed, so that no request can follow."""
        return self._ended.is_set()

    def close(self) -> None:
        """End the process, and all processes that it has started."""
        self._ended.set()
        self._kill()
        self._process.wait()
        self._answers.close()
        for reader in (self._answers.reader, self._errors.reader):
            reader.join(1.0)  # a child that left its group may hold the streams for longer
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _kill(self) -> None:
        if os.name == "nt":
            self._process.kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def ended_with(code: int | None, errors: str) -> str:
    """Describe how a process ended, with the line where it crashed or the last line of its errors."""
    if code is None:
        ended = "it closed its streams"
    elif code < 0:
        names = {int(number): number.name for number in signal.Signals}
        ended = f"it was ended by {names.get(-code, f'signal {-code}')}"
    else:
        ended = f"it ended with {code}"
    # Of several threads, the crashed thread comes last.
    innermost = re.search(rf"{CURRENT if CURRENT in errors else ''}{INNERMOST}", errors)
    if innermost:
        path = innermost[1].rpartition("site-packages/")[2]
        return f"{ended} in {path}, line {innermost[2]}"
    words = errors.split("\n")[-1]
    return ended + (f": {words}" if words else "")
