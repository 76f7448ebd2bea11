"""Several hundred bad inputs through the command: refused with 2, in few words, and nothing on disk changes."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scaffold.cli import main
from tests.spec.bad_files import FILED
from tests.spec.bad_inputs import TYPED, Bad
from tests.support.trees import read_tree, write_tree

ROWS = [*TYPED, *FILED]
LONGEST = 40_000
PATIENCE = 60


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    """Ends what never ends; where there is no such signal, the runner's own limit does."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _out_of_time)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(*_: object) -> None:
    raise TimeoutError("the command does not end")


def refused(folder: Path, row: Bad, monkeypatch: pytest.MonkeyPatch) -> Result:
    """What the command says; nothing in the folder may change."""
    before = read_tree(write_tree(folder, {"pyproject.toml": "", **row.files}))
    monkeypatch.chdir(folder)
    with in_time():
        result = CliRunner().invoke(main, ["new-module", *row.arguments])
    assert read_tree(folder) == before
    return result


def test_there_are_hundreds() -> None:
    assert len(ROWS) >= 300 and len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_it_is_refused(row: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = refused(tmp_path, row, monkeypatch)
    assert (result.exit_code, type(result.exception)) == (2, SystemExit), (
        result.output[:2000],
        result.exception,
    )
    assert "Traceback" not in result.output
    assert row.told in result.output
    assert len(result.output) <= LONGEST
    odd = [letter for letter in result.output if not (letter.isprintable() or letter == "\n")]
    assert not odd
