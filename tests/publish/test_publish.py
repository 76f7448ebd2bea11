import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Edit, File, Plan, make_plan
from scaffold.publish import carry, publish
from tests.support.systems import NEEDS_LINKS, NEEDS_MODES
from tests.support.trees import read_modes, read_tree, write_tree


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


@NEEDS_MODES
def test_new_files_follow_the_umask_and_old_ones_keep_their_mode(tmp_path: Path):
    write_tree(tmp_path, {"run.py": "", "secret.py": "", "shared.py": "", "narrow.py": ""})
    modes = {"run.py": 0o755, "secret.py": 0o600, "shared.py": 0o666, "narrow.py": 0o640}
    for name, mode in modes.items():
        (tmp_path / name).chmod(mode)
    publish(plan_for(tmp_path, {**dict.fromkeys(modes, "new\n"), "sub/new.py": "new\n"}, force=True))
    assert read_modes(tmp_path) == {**modes, "sub": 0o775, "sub/new.py": 0o664}


@NEEDS_MODES
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


@NEEDS_LINKS
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
    again = (tmp_path / "a.py").stat()  # which has been read meanwhile
    assert (again.st_ino, again.st_mtime_ns, again.st_ctime_ns) == (
        once.st_ino,
        once.st_mtime_ns,
        once.st_ctime_ns,
    )


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_conflicts_are_refused_before_anything_is_written(tmp_path: Path):
    write_tree(tmp_path, {"b.py": "mine\n"})
    error = refusal(lambda: publish(plan_for(tmp_path, {"a.py": "a\n", "b.py": "b\n"})))
    assert "b.py: exists, and differs" in str(error)
    assert read_tree(tmp_path) == {"b.py": b"mine\n"}


@NEEDS_LINKS
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
    replace = carry.replace_expected

    def save_meanwhile(*arguments: Any) -> bool:
        done = replace(*arguments)
        (tmp_path / "b.py").write_bytes(b"saved meanwhile\n")
        return done

    monkeypatch.setattr(carry, "replace_expected", save_meanwhile)
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


@NEEDS_MODES
def test_what_is_read_only_is_refused_all_at_once(tmp_path: Path):
    write_tree(
        tmp_path, {"open.py": "old\n", "locked.py": "old\n", "closed/a.py": "old\n", "closed/b.py": "old\n"}
    )
    (tmp_path / "locked.py").chmod(0o444)
    (tmp_path / "closed").chmod(0o555)
    names = ["open.py", "locked.py", "closed/a.py", "closed/b.py", "closed/new/c.py"]
    plan = plan_for(tmp_path, dict.fromkeys(names, "new\n"), force=True)
    before = read_tree(tmp_path)
    assert str(refusal(lambda: publish(plan))) == (
        "closed: is a read-only folder; nothing was changed\n"
        "  fix: allow writing (`chmod u+w closed`), then run the command again\n"
        "locked.py: is read-only; nothing was changed\n"
        "  fix: allow writing (`chmod u+w locked.py`), then run the command again"
    )
    assert read_tree(tmp_path) == before


@NEEDS_MODES
def test_what_is_read_only_and_stays_as_it_is_is_no_obstacle(tmp_path: Path):
    write_tree(tmp_path, {"same.py": "x\n"})
    (tmp_path / "same.py").chmod(0o444)
    publish(plan_for(tmp_path, {"same.py": "x\n", "new.py": "x\n"}))
    assert read_tree(tmp_path) == {"same.py": b"x\n", "new.py": b"x\n"}
