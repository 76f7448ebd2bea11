"""Reading what people have: regular files of bounded size, and a clear word, at once, for everything else."""

import os
import socket
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File, make_plan
from scaffold.files.places import LIMIT, NotReadableError, read_regular
from scaffold.generate import load_spec
from scaffold.in_project.layout import find_layout
from tests.support.projects import scaffold
from tests.support.systems import NEEDS_SPECIAL_FILES

pytestmark = NEEDS_SPECIAL_FILES


def make_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's name may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def make_large(path: Path) -> None:
    """A file of a gigabyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(2**30)


ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (os.mkdir, "it is a folder, not a regular file"),
    "pipe": (lambda path: os.mkfifo(path), "it is a pipe, not a regular file"),
    "socket": (make_socket, "it is a socket, not a regular file"),
    "device": (lambda path: os.symlink("/dev/zero", path), "it is a device, not a regular file"),
    "large": (make_large, f"it has {2**30:,} bytes, and at most {LIMIT:,} are read"),
}
EACH = pytest.mark.parametrize(("make", "why"), ODD.values(), ids=ODD)


@EACH
def test_what_is_no_file_of_ours_is_not_read(tmp_path: Path, make, why: str):
    make(tmp_path / "x")
    with pytest.raises(NotReadableError) as caught:
        read_regular(tmp_path / "x")
    assert caught.value.strerror == why


def test_up_to_the_limit_all_is_read(tmp_path: Path):
    content = os.urandom(1000) * (LIMIT // 1000 + 1)
    (tmp_path / "x").write_bytes(content[:LIMIT])
    assert read_regular(tmp_path / "x") == content[:LIMIT]
    (tmp_path / "x").write_bytes(content[: LIMIT + 1])
    with pytest.raises(NotReadableError, match="bytes, and at most"):
        read_regular(tmp_path / "x")


def test_a_file_that_grows_while_it_is_read_ends_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "x").write_bytes(b"x")
    monkeypatch.setattr(os, "read", lambda _, size: b"x" * size)
    with pytest.raises(NotReadableError, match=f"more than {LIMIT:,} bytes"):
        read_regular(tmp_path / "x")


def test_a_pipe_that_took_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    of_file = os.stat(tmp_path / "file")
    monkeypatch.setattr(os, "stat", lambda *_, **__: of_file)
    with pytest.raises(NotReadableError, match="it is a pipe"):
        read_regular(tmp_path / "pipe")


@EACH
def test_a_spec(tmp_path: Path, make, why: str):
    make(tmp_path / "x.toml")
    with pytest.raises(ScaffoldError) as caught:
        load_spec(tmp_path / "x.toml", where="x.toml")
    assert (str(caught.value), caught.value.exit_code) == (
        f"x.toml: cannot be read ({why})\n  fix: give the path of a spec",
        2,
    )


@EACH
def test_a_place_where_a_file_is_to_be_written(tmp_path: Path, make, why: str):
    root = tmp_path / "project"
    root.mkdir()
    make(root / "x.py")
    with pytest.raises(ScaffoldError) as caught:
        make_plan(root, [File(PurePosixPath("x.py"), "x\n")], force=True)
    if (root / "x.py").is_symlink():  # a device is never in the project
        assert "x.py: a symbolic link leads out of the project, to /dev/zero" in str(caught.value)
    else:
        assert f"x.py: stands where a file is to be written: {why}\n" in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_pyproject_of_a_gigabyte(tmp_path: Path):
    make_large(tmp_path / "pyproject.toml")
    with pytest.raises(ScaffoldError) as caught:
        find_layout(tmp_path)
    assert (str(caught.value), caught.value.exit_code) == (
        f"pyproject.toml: cannot be read: {ODD['large'][1]}\n  fix: leave in it what it is for, and move the rest",
        2,
    )


@pytest.mark.parametrize("spec", ["/dev/zero", "/dev/random", "pipe"])
def test_the_command_does_not_wait(tmp_path: Path, spec: str):
    os.mkfifo(tmp_path / "pipe")
    for command in (["new-module", "--spec", spec], ["show", f"{spec}.toml"]):
        if command[0] == "show":
            os.symlink(tmp_path / "pipe" if spec == "pipe" else spec, tmp_path / "x.toml")
            command[1] = "x.toml"
        result = scaffold(tmp_path, *command)
        assert (result.returncode, result.stdout) == (2, "")
        assert "not a regular file)\n  fix: give the path of a spec" in result.stderr
