"""Publishing is all or nothing, whichever call fails, and when."""

import errno
import os
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
from scaffold.files.fileset import File, Plan, make_plan
from scaffold.publish import publish, swap
from tests.support.draws import share
from tests.support.systems import NEEDS_MODES
from tests.support.trees import read_modes, read_tree, write_tree

pytestmark = NEEDS_MODES


def plan_for(root: Path, files: dict[str, str], *, force: bool = False) -> Plan:
    return make_plan(root, [File(PurePosixPath(path), text) for path, text in files.items()], force=force)


def refusal(call: Callable[[], object]) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        call()
    assert caught.value.exit_code == 1
    return caught.value


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a failing call does to the files is looked at, not what a power cut would."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


WORKING = [(os, name) for name in ("open", "write", "fsync", "replace", "link", "mkdir", "chmod")]
WORKING += [(swap, "exchange")]
TIDYING = [(os, "unlink"), (os, "rmdir")]


OPEN = os.open


class Failing:
    """Counts system calls, and lets some of them fail, before or after they had their effect."""

    def __init__(self, error: BaseException, fails: Callable[[int], bool], *, late: bool):
        self.error, self.fails, self.late, self.count = error, fails, late, 0

    def wrap(self, call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: object) -> object:
            if call is OPEN and not int(args[1]) & (os.O_WRONLY | os.O_RDWR):
                return call(*args, **options)
            self.count += 1
            if not self.fails(self.count):
                return call(*args, **options)
            if self.late:
                result = call(*args, **options)
                if call is OPEN:
                    os.close(result)
            raise self.error

        return wrapped

    @contextmanager
    def installed(self, calls: list[tuple[object, str]]) -> Iterator[None]:
        with ExitStack() as stack:
            for owner, name in calls:
                stack.enter_context(mock.patch.object(owner, name, self.wrap(getattr(owner, name))))
            yield


CONTENT = st.sampled_from([b"", b"x\n", b"mine\r\n", b"\xff\0", b"y" * 5000])
NAMES = ["a.py", "b.py", "sub/c.py", "sub/d.py", "new/er/e.py", "new/f.py"]
TREES = st.dictionaries(
    st.sampled_from(NAMES[:4]), st.tuples(CONTENT, st.sampled_from([0o600, 0o644, 0o755, 0o640])), min_size=1
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


@settings(max_examples=share(30), deadline=None)
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


@pytest.mark.slow
@settings(max_examples=share(15), deadline=None)
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


@settings(max_examples=share(40), deadline=None)
@given(TREES, WANTED, st.booleans())
def test_a_full_disk_or_one_without_links_changes_nothing(tree, wanted, links: bool):
    with planned(tree, wanted) as plan:
        before = state(plan.root)
        for k, step in enumerate(plan.writes, start=1):
            if not step.after:
                continue  # there is room for nothing
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
    """A disk that is full after half of the k-th new file."""
    opened: list[int] = []
    open_file, write = os.open, os.write

    def counted(path: object, flags: int, *mode: int) -> int:
        descriptor = open_file(path, flags, *mode)
        if str(path).endswith(".new"):
            opened.append(descriptor)
        return descriptor

    def fill(descriptor: int, content: bytes) -> int:
        if len(opened) == k and descriptor == opened[-1]:
            write(descriptor, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, content)

    with mock.patch.object(os, "open", counted), mock.patch.object(os, "write", fill):
        yield


@contextmanager
def no_links() -> Iterator[None]:
    with mock.patch.object(os, "link", side_effect=PermissionError(errno.EPERM, os.strerror(errno.EPERM))):
        yield


@pytest.mark.slow
@settings(max_examples=share(20), deadline=None)
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
    calls = [(os, "replace"), (swap, "exchange"), (Path, "unlink")]
    with Failing(OSError(errno.EIO, "broken"), lambda number: number >= 3, late=False).installed(calls):
        error = refusal(lambda: publish(plan))
    [kept] = tmp_path.glob(".scaffold-*.old")
    assert str(error) == (
        f"a.py: could not be restored: broken\n  fix: its former content is in {kept}: move that back\n"
        "b.py: could not be restored: broken\n  fix: delete it: this run created it\n"
        "c.py: cannot be written: broken\n  fix: mend that, then run the command again"
    )
    assert kept.read_bytes() == b"old\n"
