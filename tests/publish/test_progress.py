"""A long plan tells on a terminal how far it has come: one line, which is written over and taken away at the end."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from scaffold.cli import progress as module
from scaffold.cli.progress import ProgressLine, progress
from scaffold.progress import counted, heard_by
from tests.support.library import Library, spec
from tests.support.systems import NEEDS_TERMINAL


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def ticks(step: float) -> Callable[[], float]:
    """A clock that is `step` seconds later each time it is looked at."""
    times = count()
    return lambda: next(times) * step


def test_all_that_is_counted_is_heard_and_nothing_outside() -> None:
    heard: list[tuple[str, int, int]] = []
    with heard_by(lambda *told: heard.append(told)):
        assert [*counted("ab", "letters:")] == ["a", "b"]
    assert [*counted("ab", "letters:")] == ["a", "b"]
    assert heard == [("letters:", 0, 2), ("letters:", 1, 2)]


def test_a_long_plan_is_one_line_that_goes() -> None:
    stream = Terminal()
    line = ProgressLine(stream, ticks(0.3))
    with heard_by(line.tell):
        assert len([*counted(range(1200), "modules laid out:")]) == 1200
    line.clear()
    text = stream.getvalue()
    assert text.startswith("\r\x1b[Kmodules laid out: ") and text.endswith(" of 1,200\r\x1b[K")
    assert "\n" not in text and "0 of 1,200" not in text.split("\x1b[K")[1]


def test_a_short_plan_writes_nothing() -> None:
    stream = Terminal()
    line = ProgressLine(stream, ticks(0.0001))
    with heard_by(line.tell):
        assert len([*counted(range(100), "modules laid out:")]) == 100
    line.clear()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("stream", "as_json", "is_told"),
    [(Terminal(), False, True), (Terminal(), True, False), (io.StringIO(), False, False)],
)
def test_it_is_for_terminals_and_not_beside_json(
    stream: io.StringIO, as_json: bool, is_told: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = Library.at(tmp_path)
    library.write_specs(dense=spec("Dense"))
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_AFTER", -1.0)
    monkeypatch.setattr(module, "_EVERY", 0.0)
    with progress(as_json=as_json):
        library.new("specs/dense.toml")
    told = [line.partition(":")[0] for line in stream.getvalue().split("\r\x1b[K") if line]
    assert list(dict.fromkeys(told)) == (
        ["specs read", "modules laid out", "files written"] if is_told else []
    )


@NEEDS_TERMINAL
@pytest.mark.parametrize(("arguments", "is_told"), [((), True), (("--json",), False)])
def test_check_tells_it_on_a_terminal(tmp_path: Path, arguments: tuple[str, ...], is_told: bool) -> None:
    library = Library.at(tmp_path)
    library.generate(**{f"layer{index}": spec(f"Layer{index}") for index in range(3)})
    import pty  # here, since Windows does not have it

    main, other = pty.openpty()
    told = "import sys; from scaffold.cli import main, progress; progress._AFTER, progress._EVERY = -1, 0; main(sys.argv[1:])"
    command = [sys.executable, "-c", told, "check", *arguments, "--folder", str(tmp_path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=other, check=False)
    os.write(other, b"end")
    text = ""
    while not text.endswith("end"):
        text += os.read(main, 100_000).decode()
    os.close(main)
    os.close(other)
    assert done.returncode == 0, text
    assert b"\x1b" not in done.stdout
    assert text.endswith("\r\x1b[Kend" if is_told else "end")
    assert ("specs read: 1 of 3" in text, "modules laid out: 2 of 3" in text) == (is_told, is_told)
