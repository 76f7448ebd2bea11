"""A run is stopped before each call that changes the disk; the next one finds every byte, and leaves a clean tree."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Edit, File, Plan, make_plan
from scaffold.publish import publish, recover, swap
from scaffold.publish.journal import Entry, Journal, go_line, plan_line
from tests.publish.killing import before_each, in_child, left_overs, stopped_before_each_change
from tests.support.trees import read_modes, read_tree, write_tree

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs are forked")
Layout = dict[str, str | bytes]
WANTED = {"pkg/a.py": "a = 1\n", "tests/deep/er/test_a.py": "test\n", "specs/a.toml": "name\n"}
LAYOUTS: dict[str, Layout] = {
    "package": {"pkg/__init__.py": "mine = 1\n", "pkg/a.py": "mine too\n", "other.py": "mine\n"},
    "empty": {},
    "no-root": {},
    "private": {"pkg/__init__.py": b"\xff\0mine\r\n", "specs/a.toml": "mine\n", "tests/deep/": ""},
}


def line(text: bytes) -> Edit:
    return Edit(
        PurePosixPath("pkg/__init__.py"), lambda content: content if text in content else content + text
    )


def wanted_plan(root: Path, *, force: bool = True) -> Plan:
    files = [File(PurePosixPath(path), text) for path, text in WANTED.items()]
    return make_plan(root, [*files, line(b"import a\n")], force=force)


def fresh_tree(root: Path, layout: str) -> None:
    shutil.rmtree(root, ignore_errors=True)
    if layout != "no-root":
        root.mkdir(parents=True)
    write_tree(root, LAYOUTS[layout])
    if layout == "private":
        (root / "pkg/__init__.py").chmod(0o600)


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


def check_all_stops(root: Path, layout: str, number: signal.Signals) -> int:
    fresh_tree(root, layout)
    before = (read_tree(root), read_modes(root))
    publish(wanted_plan(root))
    after = (read_tree(root), read_modes(root))
    stops = 0
    for k, code in stopped_before_each_change(
        lambda: publish(wanted_plan(root)), number, lambda: fresh_tree(root, layout)
    ):
        stops += 1
        if number is signal.SIGKILL:
            assert code == -number, k
            assert_no_byte_is_lost(root, before[0], after[0])
        else:
            assert code == 128 + number, k
            assert not left_overs(root), k
        recover(root)
        assert (read_tree(root), read_modes(root)) in (before, after), k
        publish(wanted_plan(root))
        assert (read_tree(root), read_modes(root)) == after, k
    return stops


def assert_no_byte_is_lost(root: Path, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Before the next run: what was there is there under some name, or all that was asked for is done."""
    there = read_tree(root)
    assert set(before.values()) <= {*there.values(), b""} or after.items() <= there.items()


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_run_that_is_stopped_loses_nothing_and_the_next_one_completes_it(tmp_path: Path, name: str):
    assert check_all_stops(tmp_path / "project", "package", signal.Signals[name]) > 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_every_layout(tmp_path: Path, layout: str, name: str):
    assert check_all_stops(tmp_path / "project", layout, signal.Signals[name]) > 20


@pytest.mark.slow
@pytest.mark.usefixtures("no_links")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_without_links(tmp_path: Path, name: str):
    assert check_all_stops(tmp_path / "project", "package", signal.Signals[name]) > 30


# -- what the next run finds, and says ---------------------------------------------------------------------------------


def killed(root: Path, at: str) -> None:
    """Kill a run before its first call of `os.replace`, `os.link` or another."""

    def kill(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def run() -> None:
        setattr(os, at, kill)
        if at == "replace":
            swap.exchange = kill
        publish(wanted_plan(root))

    assert in_child(run) == -signal.SIGKILL


def killed_at_second_rename(root: Path) -> None:
    count = 0

    def kill() -> None:
        nonlocal count
        count += 1
        if count == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    def run() -> None:
        os.replace, swap.exchange = before_each(kill, os.replace), before_each(kill, swap.exchange)
        publish(wanted_plan(root))

    assert in_child(run) == -signal.SIGKILL


def recovered(root: Path) -> list[str]:
    said: list[str] = []
    recover(root, said.append)
    return said


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fresh_tree(tmp_path / "project", "package")
    return tmp_path / "project"


def test_what_lies_ready_is_finished_where_a_part_is_in_its_place(root: Path):
    killed_at_second_rename(root)
    assert recovered(root) == ["an earlier run was killed: finished its 4 files"]
    assert (root / "pkg/a.py").read_text() == "a = 1\n"
    assert not left_overs(root)
    assert recovered(root) == []


@pytest.mark.parametrize("at", ["replace", "link"])  # all lies ready; it does not
def test_all_is_undone_where_nothing_is_in_its_place(root: Path, at: str):
    before = read_tree(root)
    killed(root, at)
    assert recovered(root) == ["an earlier run was killed: undid its 4 files"]
    assert read_tree(root) == before


def test_what_was_brought_back_after_the_kill_stays_so(root: Path):
    before = read_tree(root)
    killed_at_second_rename(root)
    for path, content in before.items():  # as `git checkout .` does
        (root / path).write_bytes(content)
    assert recovered(root) == ["an earlier run was killed: undid its 4 files"]
    assert read_tree(root) == before


def test_publishing_recovers_by_itself_and_says_so(root: Path):
    plan = wanted_plan(root)
    killed(root, "link")
    said: list[str] = []
    publish(plan, said.append)
    assert said == ["an earlier run was killed: undid its 4 files"]
    assert not left_overs(root)


def test_a_dry_run_only_tells(root: Path):
    killed(root, "replace")
    before = read_tree(root)
    said: list[str] = []
    assert recover(root, said.append, dry=True) is False
    assert said == ["an earlier run was killed: the next one that writes finishes or undoes it"]
    assert read_tree(root) == before


def test_what_was_edited_after_the_kill_stays_and_the_rest_is_undone(root: Path):
    before = read_tree(root)
    killed_at_second_rename(root)  # pkg/__init__.py is replaced, pkg/a.py is not
    (root / "pkg/a.py").write_text("edited meanwhile\n")
    assert recovered(root) == ["an earlier run was killed: undid its 4 files"]
    assert read_tree(root) == {**before, "pkg/a.py": b"edited meanwhile\n"}


def test_what_was_replaced_and_edited_after_the_kill_stays_and_the_rest_is_finished(root: Path):
    killed_at_second_rename(root)
    (root / "pkg/__init__.py").write_text("edited meanwhile\n")
    assert recovered(root) == ["an earlier run was killed: finished its 4 files"]
    assert (root / "pkg/__init__.py").read_text() == "edited meanwhile\n"
    assert (root / "pkg/a.py").read_text() == "a = 1\n"


def refused(root: Path) -> str:
    before = read_tree(root)
    for call in (lambda: recover(root), lambda: publish(wanted_plan(root))):
        with pytest.raises(ScaffoldError) as caught:
            call()
        assert caught.value.exit_code == 1
        assert read_tree(root) == before
    return str(caught.value)


def test_where_neither_can_be_done_nothing_is_touched(root: Path):
    killed_at_second_rename(root)
    (root / "pkg/__init__.py").write_text("edited meanwhile\n")
    (root / "pkg/a.py").write_text("edited meanwhile\n")
    kept = next(path.name for path in root.rglob(".scaffold-*-0.old"))
    assert refused(root) == (
        "pkg/__init__.py: was written by a run that was killed, and has been changed since, so that it is not undone; "
        f"its former content is in `pkg/{kept}`\n"
        "  fix: move what you want to keep into place, then delete `.scaffold-lock` and the files "
        f"`{kept.removesuffix('0.old')}*`"
    )


def test_where_the_former_content_is_gone_nothing_is_touched(root: Path):
    killed_at_second_rename(root)
    (root / "pkg/a.py").write_text("edited meanwhile\n")
    kept = next(root.rglob(".scaffold-*-0.old"))
    kept.unlink()
    assert f"and `pkg/{kept.name}` with its former content is gone" in refused(root)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda content: content.replace(b"pkg/a.py", b"pkg/b.py"), "a line does not have its checksum"),
        (lambda content: b"what is this?\n" + content, "a line does not have its checksum"),
        (lambda content: content[:-9] + b"\n", "a line does not have its checksum"),
        (lambda content: content + b"25cbfc4f null\n", "a line that no run of this version writes"),
    ],
)
def test_a_damaged_journal_is_no_ground_to_guess(root: Path, damage: Callable[[bytes], bytes], why: str):
    killed_at_second_rename(root)
    lock = root / ".scaffold-lock"
    lock.write_bytes(damage(lock.read_bytes()))
    said = refused(root)
    assert said.startswith(f".scaffold-lock: cannot be understood: {why}")
    assert "`.old` is what was there, `.new` what was to be; move back what you miss" in said


def test_a_line_that_was_cut_off_was_not_acted_upon(root: Path):
    before = read_tree(root)
    killed(root, "link")
    lock = root / ".scaffold-lock"
    lock.write_bytes(lock.read_bytes() + b'12345678 {"go"')
    assert recovered(root) == ["an earlier run was killed: undid its 4 files"]
    assert read_tree(root) == before


@pytest.mark.parametrize("content", [b"", b"12345678 {"])
def test_a_run_that_was_killed_before_its_first_line_leaves_nothing_to_say(root: Path, content: bytes):
    (root / ".scaffold-lock").write_bytes(content)
    assert recovered(root) == []
    assert not left_overs(root)


@pytest.mark.parametrize("path", ["../outside.py", "/outside.py", "pkg/../../outside.py", ""])
def test_a_journal_from_elsewhere_writes_nothing_outside(root: Path, path: str):
    entry = Entry(PurePosixPath(path), None, "0")
    lock = root / ".scaffold-lock"
    lock.write_bytes(plan_line(Journal("abc", (entry,), ())))
    assert "is no path inside the project" in refused(root)


def test_a_journal_from_elsewhere_follows_no_link_outside(root: Path):
    (root.parent / "outside").mkdir()
    (root / "link").symlink_to(root.parent / "outside")
    journal = Journal("abc", (Entry(PurePosixPath("link/a.py"), None, "0"),), ())
    (root / ".scaffold-lock").write_bytes(plan_line(journal) + go_line(journal))
    assert "a symbolic link leads out of the project" in refused(root)


@pytest.mark.parametrize(
    "make", [os.mkdir, lambda path: os.mkfifo(path), lambda path: os.symlink("elsewhere", path)]
)
def test_a_lock_that_is_no_file_is_refused(root: Path, make: Callable[[Path], None]):
    make(root / ".scaffold-lock")
    with pytest.raises(ScaffoldError) as caught:
        publish(wanted_plan(root))
    assert ".scaffold-lock: cannot be understood: it is not a regular file" in str(caught.value)
