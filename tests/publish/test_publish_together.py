"""Several runs at once in one project: each line of each is there, or an error."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from msgspec.structs import asdict

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Action, Edit, File, Plan, make_plan
from scaffold.publish import lock as locking
from scaffold.publish import publish
from scaffold.publish.journal import Owner, owner_line
from scaffold.publish.lock import project_lock
from tests.publish.killing import fork, in_child, left_overs, wait_for
from tests.support.trees import read_tree, write_tree

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs are forked")
INIT = PurePosixPath("pkg/__init__.py")


def silent(_: str) -> None: ...


def adding(name: str) -> Edit:
    line = f"from pkg.{name} import {name}\n".encode()
    return Edit(INIT, lambda content: content if line in content else content + line)


def plan_of(root: Path, name: str) -> Plan:
    """As a new class has it: files of its own, files that all share, and a line in `__init__.py`."""
    own = File(PurePosixPath(f"pkg/{name}.py"), f"{name} = 1\n")
    shared = File(PurePosixPath("tests/laws.py"), "laws\n")
    kept = File(PurePosixPath("tests/conftest.py"), "conftest\n", keep=True)
    return make_plan(root, [own, shared, kept, adding(name)])


def slowly(call: Callable[..., None]) -> Callable[..., None]:
    def slow(*arguments: Path) -> None:
        time.sleep(0.003)
        call(*arguments)
        time.sleep(0.003)

    return slow


def slow_run(root: Path, name: str) -> None:
    os.replace, os.link = slowly(os.replace), slowly(os.link)
    publish(plan_of(root, name))


def trial(root: Path) -> None:
    write_tree(root, {str(INIT): "mine = 1\n"})
    names = ["a", "b", "c", "d"]
    runs = [fork(lambda name=name: slow_run(root, name)) for name in names]
    ended = dict(zip(names, map(wait_for, runs), strict=True))
    there = read_tree(root)
    assert set(ended.values()) == {0}, ended
    assert there[str(INIT)].startswith(b"mine = 1\n")
    assert sorted(there[str(INIT)].decode().splitlines()[1:]) == [f"from pkg.{n} import {n}" for n in names]
    assert {f"pkg/{name}.py" for name in names} <= {*there}
    assert not left_overs(root)


@pytest.mark.slow
def test_four_runs_at_once_all_have_their_line(tmp_path: Path):
    for number in range(10):
        trial(tmp_path / str(number))


@pytest.mark.slow
def test_four_runs_at_once_two_hundred_times(tmp_path: Path):
    for number in range(200):
        trial(tmp_path / str(number))


@pytest.fixture
def no_system_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks, as Lustre often is."""
    monkeypatch.setattr(locking, "_system_lock", lambda _: None)


@pytest.mark.slow
@pytest.mark.usefixtures("no_system_locks")
def test_four_runs_at_once_where_the_file_system_has_no_locks(tmp_path: Path):
    for number in range(5):
        trial(tmp_path / str(number))


# -- the disk has changed since the plan was made ----------------------------------------------------------------------


def test_an_edit_is_made_of_what_is_there_now(tmp_path: Path):
    write_tree(tmp_path, {str(INIT): "mine = 1\n"})
    plan = plan_of(tmp_path, "a")
    (tmp_path / INIT).write_text("mine = 2\n")
    done = publish(plan)
    assert (tmp_path / INIT).read_text() == "mine = 2\nfrom pkg.a import a\n"
    assert next(step.before for step in done.steps if step.path == INIT) == b"mine = 2\n"


def test_what_another_run_wrote_byte_for_byte_is_written_no_more(tmp_path: Path):
    first, second = plan_of(tmp_path, "a"), plan_of(tmp_path, "b")
    publish(first)
    actions = {str(step.path): step.action for step in publish(second).steps}
    assert actions == {
        str(INIT): Action.UPDATE,
        "pkg/b.py": Action.CREATE,
        "tests/conftest.py": Action.KEEP,
        "tests/laws.py": Action.IDENTICAL,
    }


def test_two_classes_of_one_name_at_once_are_one_and_a_refusal(tmp_path: Path):
    plans = [make_plan(tmp_path, [File(PurePosixPath("a.py"), text)]) for text in ("one\n", "two\n")]
    publish(plans[0])
    with pytest.raises(ScaffoldError, match=r"a\.py: has changed since the plan was made"):
        publish(plans[1])
    assert read_tree(tmp_path) == {"a.py": b"one\n"}


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_a_run_that_does_not_end_is_named_and_waited_for_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(locking, "WAIT", 0.5)
    monkeypatch.setattr(locking, "_TOLD_AFTER", 0.01)
    said: list[str] = []
    with project_lock(tmp_path, silent), pytest.raises(ScaffoldError) as caught:
        publish(plan_of(tmp_path, "a"), said.append)
    assert said == [f"waiting for another run (process {os.getpid()}) to finish writing here"]
    assert caught.value.exit_code == 1
    assert str(caught.value) == (
        f".scaffold-lock: another run (process {os.getpid()}) is writing here; nothing was changed\n"
        "  fix: let it end, or end it, then run the command again"
    )
    assert read_tree(tmp_path) == {}


def test_one_that_ends_is_waited_for(tmp_path: Path):
    ready = tmp_path / "ready"

    def hold() -> None:
        with project_lock(tmp_path, silent):
            ready.touch()
            time.sleep(0.1)

    holder = fork(hold)
    while not ready.exists():
        time.sleep(0.005)
    publish(plan_of(tmp_path, "a"))
    assert wait_for(holder) == 0
    assert not left_overs(tmp_path)


def test_a_plan_that_writes_nothing_needs_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    publish(plan_of(tmp_path, "a"))
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it opens a file"))
    plan = Plan(tmp_path, ())
    assert publish(plan) is plan


# -- stale locks -------------------------------------------------------------------------------------------------------


def dead_pid() -> int:
    """The number of a process that has been."""
    child = fork(lambda: None)
    wait_for(child)
    return child


def leave_lock(root: Path, *, age: float = 0, **changes: object) -> None:
    values = {**asdict(Owner.here()), **changes}
    (root / ".scaffold-lock").write_bytes(owner_line(Owner(**values)))
    then = time.time() - age
    os.utime(root / ".scaffold-lock", (then, then))


def is_taken_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(locking, "WAIT", 0.02)
    try:
        publish(plan_of(root, "a"))
    except ScaffoldError as error:
        assert "is writing here; nothing was changed" in str(error)
        assert not (root / "pkg").exists()
        return False
    assert not left_overs(root)
    return True


HERE = Owner.here()
STALE = [
    ("of a live process that holds no lock", {}, True, False),
    ("of a dead process", {"pid": 0}, True, True),
    ("of a computer that was started anew", {"boot": "another"}, True, True),
    ("of another container of this computer", {"host": "another"}, True, False),
    ("of another computer", {"host": "another", "boot": "another"}, False, False),
    ("of another computer, long ago", {"host": "another", "boot": "another", "age": 700.0}, True, True),
    ("of a dead process where nobody knows when it was started", {"boot": "", "pid": 0}, True, True),
]


@pytest.mark.skipif(not HERE.boot, reason="the kernel does not say when it was started")
@pytest.mark.parametrize("has_locks", [True, False])
@pytest.mark.parametrize(
    ("owner", "with_locks", "without"), [row[1:] for row in STALE], ids=[r[0] for r in STALE]
)
def test_a_lock_that_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner, with_locks: bool, without: bool, has_locks: bool
):
    if not has_locks:
        monkeypatch.setattr(locking, "_system_lock", lambda _: None)
    leave_lock(tmp_path, **{**owner, **({"pid": dead_pid()} if "pid" in owner else {})})
    assert is_taken_over(tmp_path, monkeypatch) is (with_locks if has_locks else without)


@pytest.mark.usefixtures("no_system_locks")
def test_one_of_two_successors_wins(tmp_path: Path):
    leave_lock(tmp_path, pid=dead_pid())
    path = tmp_path / ".scaffold-lock"
    other = Owner.here(over=locking.parse(path.read_bytes())[0][0].token)
    with path.open("ab") as file:
        file.write(b"torn" + b"\n\n" + owner_line(other))
    with pytest.raises(ScaffoldError, match="is writing here"), project_lock(tmp_path, silent, wait=0.02):
        pass


def test_a_computer_elsewhere_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(locking, "WAIT", 0.02)
    leave_lock(tmp_path, host="node-7", boot="another", pid=77)
    with pytest.raises(ScaffoldError, match=r"another run \(process 77 on 'node-7'\) is writing here"):
        publish(plan_of(tmp_path, "a"))


# -- signals, through the command itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_stopped_says_so(tmp_path: Path, name: str):
    number = signal.Signals[name]
    program = (
        "import os, signal, scaffold.cli\n"
        f"signal.signal({int(number)}, signal.SIG_DFL)\n"  # under nohup it is ignored
        f"os.link = os.replace = lambda *_: os.kill(os.getpid(), {int(number)})\n"
        "scaffold.cli.main(['new-module', 'Affine', 'weight:f[n]=zeros'], prog_name='scaffold')\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (128 + number, "")
    assert result.stderr == f"stopped by {number.name}: nothing was changed\n"
    assert read_tree(tmp_path) == {}


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path):
    from scaffold.publish.signals import stoppable

    def run() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with stoppable():
            os.kill(os.getpid(), signal.SIGHUP)

    assert in_child(run) == 0


def test_a_lock_that_its_last_holder_removed_meanwhile_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, real, calls = tmp_path / ".scaffold-lock", locking._system_lock, iter([True])

    def removed_first(descriptor: int) -> bool | None:
        if next(calls, False):
            path.unlink()
        return real(descriptor)

    monkeypatch.setattr(locking, "_system_lock", removed_first)
    with project_lock(tmp_path, silent) as lock:
        assert os.path.samestat(os.stat(path), os.fstat(lock.descriptor))
