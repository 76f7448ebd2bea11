import builtins
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import count, product
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scaffold.errors import ScaffoldError
from scaffold.fileset import Edit, File, Plan, make_plan
from scaffold.publish import publish
from tests.support import read_modes, read_tree, write_tree


def plan_for(root: Path, files: dict[str, str], *, force: bool = False) -> Plan:
    return make_plan(root, [File(PurePosixPath(path), text) for path, text in files.items()], force=force)


def refusal(call: Callable[[], object]) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        call()
    assert caught.value.exit_code == 1
    return caught.value


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


# -- what is written ---------------------------------------------------------------------------------------------------


def test_creates_and_updates_and_leaves_no_trace(tmp_path: Path):
    write_tree(tmp_path, {"a.py": "old\n", "other.py": "mine\n"})
    publish(plan_for(tmp_path, {"a.py": "new\n", "deep/er/b.py": "b\n", "empty.py": ""}, force=True))
    assert read_tree(tmp_path) == {
        "a.py": b"new\n",
        "deep/er/b.py": b"b\n",
        "empty.py": b"",
        "other.py": b"mine\n",
    }


def test_a_root_that_does_not_exist_is_made(tmp_path: Path):
    publish(plan_for(tmp_path / "x/y", {"a.py": "a\n"}))
    assert read_tree(tmp_path) == {"x/y/a.py": b"a\n"}


def test_new_files_follow_the_umask_and_old_ones_keep_their_mode(tmp_path: Path):
    write_tree(tmp_path, {"run.py": "", "secret.py": "", "shared.py": "", "locked.py": ""})
    modes = {"run.py": 0o755, "secret.py": 0o600, "shared.py": 0o666, "locked.py": 0o444}
    for name, mode in modes.items():
        (tmp_path / name).chmod(mode)
    publish(plan_for(tmp_path, {**dict.fromkeys(modes, "new\n"), "sub/new.py": "new\n"}, force=True))
    assert read_modes(tmp_path) == {**modes, "sub": 0o775, "sub/new.py": 0o664}


def test_what_a_private_file_will_hold_is_never_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_tree(tmp_path, {"secret.py": "old\n"})
    (tmp_path / "secret.py").chmod(0o600)
    seen: list[int] = []
    chmod = os.chmod
    monkeypatch.setattr(
        os, "chmod", lambda path, mode: (seen.append(os.stat(path).st_mode & 0o777), chmod(path, mode))
    )
    publish(plan_for(tmp_path, {"secret.py": "new\n"}, force=True))
    assert seen == [0o600]


def test_identical_and_kept_files_are_not_touched(tmp_path: Path):
    write_tree(tmp_path, {"same.py": "x\r\n", "kept.py": "mine\n"})
    before = {path: path.stat() for path in tmp_path.iterdir()}
    kept = File(PurePosixPath("kept.py"), "x\n", keep=True)
    publish(make_plan(tmp_path, [File(PurePosixPath("same.py"), "x\n"), kept]))
    assert {path: path.stat() for path in tmp_path.iterdir()} == before


def test_a_link_stays_and_its_target_changes(tmp_path: Path):
    write_tree(tmp_path, {"real/a.py": "old\n"})
    (tmp_path / "a.py").symlink_to("real/a.py")
    (tmp_path / "b.py").symlink_to("real/b.py")
    (tmp_path / "sub").symlink_to("real")
    publish(plan_for(tmp_path, {"a.py": "new\n", "b.py": "b\n", "sub/c.py": "c\n"}, force=True))
    assert [(tmp_path / name).is_symlink() for name in ("a.py", "b.py", "sub")] == [True, True, True]
    assert read_tree(tmp_path / "real") == {"a.py": b"new\n", "b.py": b"b\n", "c.py": b"c\n"}


def test_publishing_twice_is_publishing_once(tmp_path: Path):
    line = Edit(PurePosixPath("a.py"), lambda content: content if b"x" in content else content + b"x\n")
    publish(make_plan(tmp_path, [line]))
    once = (tmp_path / "a.py").stat()
    publish(make_plan(tmp_path, [line]))
    assert (tmp_path / "a.py").stat() == once


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_conflicts_are_refused_before_anything_is_written(tmp_path: Path):
    write_tree(tmp_path, {"b.py": "mine\n"})
    error = refusal(lambda: publish(plan_for(tmp_path, {"a.py": "a\n", "b.py": "b\n"})))
    assert "b.py: exists, and differs" in str(error)
    assert read_tree(tmp_path) == {"b.py": b"mine\n"}


def test_every_file_that_changed_since_the_plan_is_named(tmp_path: Path):
    write_tree(tmp_path, {"a.py": "old\n", "c.py": "old\n", "gone.py": "old\n"})
    names = ["a.py", "b.py", "c.py", "d.py", "gone.py"]
    plan = plan_for(tmp_path, dict.fromkeys(names, "new\n"), force=True)
    write_tree(tmp_path, {"a.py": "saved meanwhile\n", "b.py": "made meanwhile\n"})
    (tmp_path / "gone.py").unlink()
    (tmp_path / "d.py").symlink_to("/etc/hostname")
    before = {
        path.name: os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in tmp_path.iterdir()
    }
    error = refusal(lambda: publish(plan))
    assert [(fault.where, fault.what.split(";")[0]) for fault in error.faults] == [
        ("a.py", "has changed since the plan was made"),
        ("b.py", "has changed since the plan was made"),
        ("d.py", f"a symbolic link leads out of the project, to {os.path.realpath('/etc/hostname')}"),
        ("gone.py", "has changed since the plan was made"),
    ]
    assert error.faults[0].fix == "run the command again"
    after = {
        path.name: os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in tmp_path.iterdir()
    }
    assert after == before


def test_a_file_saved_while_the_others_are_written_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_tree(tmp_path, {"a.py": "old\n", "b.py": "old\n"})
    plan = plan_for(tmp_path, {"a.py": "new\n", "b.py": "new\n"}, force=True)
    replace = os.replace

    def save_meanwhile(source: Path, target: Path) -> None:
        replace(source, target)
        (tmp_path / "b.py").write_bytes(b"saved meanwhile\n")

    monkeypatch.setattr(os, "replace", save_meanwhile)
    error = refusal(lambda: publish(plan))
    assert [fault.where for fault in error.faults] == ["b.py"]
    assert read_tree(tmp_path) == {"a.py": b"old\n", "b.py": b"saved meanwhile\n"}


def test_a_file_made_at_the_last_moment_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(source: Path, target: Path) -> None:
        target.write_bytes(b"made meanwhile\n")
        raise PermissionError(errno.EACCES, "in use")  # as Windows does with a file that someone has open

    monkeypatch.setattr(os, "replace", refuse)
    assert "a.py: cannot be written: in use" in str(
        refusal(lambda: publish(plan_for(tmp_path, {"a.py": "x\n"})))
    )
    assert read_tree(tmp_path) == {"a.py": b"made meanwhile\n"}


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        (errno.EACCES, "allow writing there, then run the command again"),
        (errno.ENOSPC, "free some space, then run the command again"),
        (errno.EIO, "mend that, then run the command again"),
    ],
)
def test_a_refusal_names_the_file_the_reason_and_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code, fix
):
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    plan = plan_for(tmp_path, {"a.py": "a\n", "sub/b.py": "b\n"})
    monkeypatch.setattr(os, "mkdir", fail)
    assert str(refusal(lambda: publish(plan))) == (
        f"sub/b.py: cannot be written: {os.strerror(code)}; nothing was changed\n  fix: {fix}"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_really_closed(tmp_path: Path):
    write_tree(tmp_path, {"open.py": "old\n", "closed/a.py": "old\n"})
    (tmp_path / "closed").chmod(0o555)
    plan = plan_for(tmp_path, {"open.py": "new\n", "closed/a.py": "new\n"}, force=True)
    assert "closed/a.py: cannot be written: Permission denied" in str(refusal(lambda: publish(plan)))
    assert read_tree(tmp_path) == {"open.py": b"old\n", "closed/a.py": b"old\n"}


# -- all or nothing, wherever it fails ---------------------------------------------------------------------------------

WORKING = [
    (builtins, "open"),
    (shutil, "copy2"),
    *((os, name) for name in ("replace", "link", "mkdir", "chmod")),
]
TIDYING = [(Path, "unlink"), (Path, "rmdir")]


class Failing:
    """Counts system calls, and lets some of them fail, before or after they had their effect."""

    def __init__(self, error: BaseException, fails: Callable[[int], bool], *, late: bool):
        self.error, self.fails, self.late, self.count = error, fails, late, 0

    def wrap(self, call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: object) -> object:
            self.count += 1
            if not self.fails(self.count):
                return call(*args, **options)
            if self.late:
                result = call(*args, **options)
                with suppress(AttributeError):
                    result.close()
            raise self.error

        return wrapped

    @contextmanager
    def installed(self, calls: list[tuple[object, str]]) -> Iterator[None]:
        with ExitStack() as stack:
            for owner, name in calls:
                stack.enter_context(mock.patch.object(owner, name, self.wrap(getattr(owner, name))))
            yield


class Writer:
    """A file on a disk that is full after half of what is written."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def write(self, data: bytes) -> None:
        self.file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


CONTENT = st.sampled_from([b"", b"x\n", b"mine\r\n", b"\xff\0", b"y" * 5000])
NAMES = ["a.py", "b.py", "sub/c.py", "sub/d.py", "new/er/e.py", "new/f.py"]
TREES = st.dictionaries(
    st.sampled_from(NAMES[:4]), st.tuples(CONTENT, st.sampled_from([0o600, 0o644, 0o755, 0o444])), min_size=1
)
WANTED = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["", "x\n", "new\n"]), min_size=1)


def make_tree(root: Path, tree: dict[str, tuple[bytes, int]]) -> None:
    write_tree(root, {name: content for name, (content, _) in tree.items()})
    for name, (_, mode) in tree.items():
        (root / name).chmod(mode)


def state(root: Path, *, links: bool = True) -> tuple[object, ...]:
    """Bytes, modes and times, and the identity of every file, which takes hard links to bring back."""
    stats = {path.relative_to(root).as_posix(): path.stat() for path in root.rglob("*") if path.is_file()}
    times = {name: (stat.st_mtime_ns, links and stat.st_ino) for name, stat in stats.items()}
    return read_tree(root), read_modes(root), times


@contextmanager
def planned(tree, wanted) -> Iterator[Plan]:
    """A plan for `wanted` on a fresh disk that holds `tree`."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        make_tree(root, tree)
        yield plan_for(root, wanted, force=True)


def published(tree, wanted) -> dict[str, bytes]:
    with planned(tree, wanted) as plan:
        publish(plan)
        return read_tree(plan.root)


@settings(max_examples=30, deadline=None)
@given(TREES, WANTED, st.booleans(), st.booleans())
def test_after_a_failure_at_any_call_everything_is_as_before(tree, wanted, late: bool, links: bool):
    for k in count(1):
        failing = Failing(OSError(errno.EIO, "broken"), lambda number, k=k: number == k, late=late)
        with planned(tree, wanted) as plan, nullcontext() if links else no_links():
            before = state(plan.root, links=links)
            try:
                with failing.installed(WORKING):
                    publish(plan)
            except ScaffoldError as error:
                assert str(error).count("; nothing was changed") == 1
                assert state(plan.root, links=links) == before
            else:  # no call failed, or another way was found, as there is for hard links
                assert read_tree(plan.root) == published(tree, wanted)
        if failing.count < k:
            break


@settings(max_examples=30, deadline=None)
@given(TREES, WANTED, st.booleans())
def test_after_an_interrupt_at_any_call_everything_is_as_before_or_done(tree, wanted, late: bool):
    for k in count(1):
        failing = Failing(KeyboardInterrupt(), lambda number, k=k: number == k, late=late)
        with planned(tree, wanted) as plan:
            before = state(plan.root)
            with failing.installed(WORKING + TIDYING), suppress(KeyboardInterrupt):
                publish(plan)
            if failing.count < k:
                break
            assert state(plan.root) == before or read_tree(plan.root) == published(tree, wanted)


def test_a_second_interrupt_does_not_stop_the_way_back(tmp_path: Path):
    for first, second in product(range(1, 12), range(1, 6)):
        failing = Failing(KeyboardInterrupt(), lambda n, k=(first, first + second): n in k, late=False)
        with planned({"a.py": (b"a", 0o600), "b.py": (b"b", 0o755)}, dict.fromkeys(NAMES, "new\n")) as plan:
            before = state(plan.root)
            with failing.installed(WORKING + TIDYING), pytest.raises(KeyboardInterrupt):
                publish(plan)
            assert state(plan.root) == before


@settings(max_examples=40, deadline=None)
@given(TREES, WANTED, st.booleans())
def test_a_full_disk_or_one_without_links_changes_nothing(tree, wanted, links: bool):
    with planned(tree, wanted) as plan:
        before = state(plan.root)
        for k, step in enumerate(plan.writes, start=1):
            with fail_writing(k), nullcontext() if links else no_links():
                error = refusal(lambda: publish(plan))
            assert error.faults[0].where == str(step.path)
            assert "No space left on device; nothing was changed" in str(error)
            assert state(plan.root) == before
        with nullcontext() if links else no_links():
            publish(plan)
        assert read_tree(plan.root) == published(tree, wanted)


@contextmanager
def fail_writing(k: int) -> Iterator[None]:
    opened_so_far = 0
    real = open

    def counted(file: object, mode: str, **options: object):
        nonlocal opened_so_far
        opened_so_far += 1
        opened = real(file, mode, **options)
        return Writer(opened) if opened_so_far == k else opened

    with mock.patch("scaffold.publish.open", counted, create=True):
        yield


@contextmanager
def no_links() -> Iterator[None]:
    with mock.patch.object(os, "link", side_effect=PermissionError(errno.EPERM, os.strerror(errno.EPERM))):
        yield


@settings(max_examples=20, deadline=None)
@given(TREES, WANTED, st.booleans())
def test_when_the_way_back_fails_too_no_byte_is_lost(tree, wanted, late: bool):
    for k in count(1):
        failing = Failing(OSError(errno.EIO, "broken"), lambda number, k=k: number >= k, late=late)
        with planned(tree, wanted) as plan:
            try:
                with failing.installed(WORKING + TIDYING):
                    publish(plan)
            except ScaffoldError as error:
                for name, (content, _) in tree.items():
                    assert_not_lost(plan.root, name, content, str(error))
            else:
                assert published(tree, wanted).items() <= read_tree(plan.root).items()
        if failing.count < k:
            break


def assert_not_lost(root: Path, name: str, content: bytes, said: str) -> None:
    if (root / name).read_bytes() != content:
        assert f"{name}: could not be restored: broken" in said
        assert "nothing was changed" not in said
        kept = [path for path in root.rglob(".scaffold-*.old") if path.read_bytes() == content]
        assert any(f"its former content is in {path}: move that back" in said for path in kept)


def test_the_report_when_the_way_back_fails(tmp_path: Path):
    write_tree(tmp_path, {"a.py": "old\n"})
    plan = plan_for(tmp_path, dict.fromkeys(["a.py", "b.py", "c.py"], "new\n"), force=True)
    calls = [(os, "replace"), (Path, "unlink")]
    with Failing(OSError(errno.EIO, "broken"), lambda number: number >= 3, late=False).installed(calls):
        error = refusal(lambda: publish(plan))
    [kept] = tmp_path.glob(".scaffold-*.old")
    assert str(error) == (
        f"a.py: could not be restored: broken\n  fix: its former content is in {kept}: move that back\n"
        "b.py: could not be restored: broken\n  fix: delete it: this run created it\n"
        "c.py: cannot be written: broken\n  fix: mend that, then run the command again"
    )
    assert kept.read_bytes() == b"old\n"
