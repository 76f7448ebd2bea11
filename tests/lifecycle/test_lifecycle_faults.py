"""Every command of the life cycle, stopped or refused at each call that changes the disk: all of it happens, or nothing.

`python -m tests.lifecycle.test_lifecycle_faults` prints the table of docs/lifecycle.md.
"""

import errno
import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest

from scaffold.errors import ScaffoldError
from scaffold.publish import recover
from tests.publish.killing import left_overs, stopped_before_each_change
from tests.publish.test_publish_failures import WORKING, Failing
from tests.support.library import BIAS, Library, spec
from tests.support.trees import read_modes, read_tree

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs are forked")
MINE = b"# written by hand\n"
ERRORS = (errno.ENOSPC, errno.EACCES, errno.EINTR)
Command = Callable[[Library], object]
COMMANDS: dict[str, Command] = {
    "update": lambda library: library.update(),
    "update, renamed": lambda library: library.update(rename={"Dense": "Linear"}),
    "update --force": lambda library: library.update(force=True),
    "destroy --force": lambda library: library.destroy("Dense", force=True),
}


def prepared(root: Path, command: str) -> Library:
    """A library with a class that was edited, and whose spec says something else since."""
    library = Library.at(root)
    library.generate(dense=spec("Dense"), other=spec("Other"))
    library.write("lib/dense.py", library.path("lib/dense.py").read_bytes() + MINE)
    library.path("lib/dense.py").chmod(0o640)
    if "renamed" in command:
        library.path("specs/dense.toml").unlink()
        library.write_specs(linear=spec("Linear", BIAS))
    elif "destroy" not in command:
        library.write_specs(dense=spec("Dense", BIAS), third=spec("Third"))
    return library


def state(root: Path) -> tuple[object, object]:
    """Bytes and permission bits of the files; whoever ends a run early may leave an empty folder of the user's out."""
    modes = {
        path: mode for path, mode in read_modes(root).items() if stat.S_ISREG((root / path).lstat().st_mode)
    }
    return {path: data for path, data in read_tree(root).items() if not path.endswith("/")}, modes


class Ends:
    """What a project may look like: as before the command, or as after it."""

    def __init__(self, folder: Path, command: str):
        self.command, self.root, self.start = command, folder / "project", folder / "start"
        prepared(self.start, command)
        self.fresh()
        self.before = state(self.root)
        COMMANDS[command](Library(self.root))
        self.after = state(self.root)

    def fresh(self) -> Library:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.start, self.root)
        return Library(self.root)

    def run(self) -> None:
        COMMANDS[self.command](Library(self.root))


def refused(ends: Ends, number: int, *, late: bool) -> Iterator[int]:
    """Runs in which the first, second, third… call fails with an error of the system."""
    for k in count(1):
        library = ends.fresh()
        failing = Failing(OSError(number, os.strerror(number)), lambda n, k=k: n == k, late=late)
        calls = [*WORKING, (os, "unlink")]
        with failing.installed(calls):
            try:
                COMMANDS[ends.command](library)
            except (
                ScaffoldError,
                OSError,
            ) as error:  # the latter while it plans: the command says that the system refuses
                assert getattr(error, "exit_code", 1) == 1
        if failing.count < k:
            return
        assert not left_overs(ends.root) or recover(ends.root)
        found = state(ends.root)
        assert found in (ends.before, ends.after), (ends.command, errno.errorcode[number], k)
        yield k


def killed(ends: Ends, number: signal.Signals) -> Iterator[int]:
    """Runs that a signal ends before the first, second, third… call; the next one finishes it or undoes it."""
    for k, _ in stopped_before_each_change(ends.run, number, ends.fresh):
        assert any(MINE in data for data in read_tree(ends.root).values()), k
        recover(ends.root)
        assert state(ends.root) in (ends.before, ends.after), (ends.command, number, k)
        assert not left_overs(ends.root)
        yield k


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.parametrize("command", ["update", pytest.param("update, renamed", marks=pytest.mark.slow)])
def test_an_error_at_any_call_changes_nothing(command: str, tmp_path: Path) -> None:
    assert len([*refused(Ends(tmp_path, command), errno.ENOSPC, late=False)]) > 20


@pytest.mark.slow  # tests/publish/test_publish_killed.py kills what all commands write with
@pytest.mark.parametrize("command", ["update, renamed", "destroy --force"])
def test_a_run_that_is_killed_is_finished_or_undone(command: str, tmp_path: Path) -> None:
    assert len([*killed(Ends(tmp_path, command), signal.SIGKILL)]) > 20


@pytest.mark.slow
def test_the_table_of_faults(request: pytest.FixtureRequest) -> None:
    page = Path(__file__).parents[2] / "docs/lifecycle.md"
    before, marker, rest = page.read_text().partition("| command | ENOSPC")
    assert marker
    after = rest[rest.index("\n\n") :]
    text = f"{before}{table()}{after}"
    if request.config.getoption("--refresh-examples"):
        page.write_text(text)
    assert page.read_text() == text


def table() -> str:
    """For each command and fault the number of calls at which it was tried; each ended as before or as after."""
    heads = [*(errno.errorcode[number] for number in ERRORS), "SIGTERM", "SIGKILL"]
    lines = [f"| command | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for command in COMMANDS:
        with TemporaryDirectory() as folder:
            ends = Ends(Path(folder).resolve(), command)
            with mock.patch.object(os, "fsync", lambda _: None):
                counts = [
                    sum(1 for late in (False, True) for _ in refused(ends, n, late=late)) for n in ERRORS
                ]
            counts += [sum(1 for _ in killed(ends, n)) for n in (signal.SIGTERM, signal.SIGKILL)]
        lines.append(f"| `{command}` | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
