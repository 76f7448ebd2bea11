"""`dev.py` prints and runs the commands of a clone, and says what it lacks."""

import ast
import shlex
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.projects import AFFINE, REPOSITORY, run
from tests.support.trees import write_tree

DEV_GROUP = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"][
    "dev"
]
[PINNED] = [line for line in DEV_GROUP if line.startswith("uv==")]
# Stands for uv, and for the tool: notes its folder and its arguments, and ends as the variable says.
SPY = """#!/bin/sh
{ pwd; printf '%s\\n' "$@"; } > "$NOTED"
exit ${STATUS:-0}
"""
# Stands for pip: puts such a spy in the folder after `--target`.
PIP = """\
import os, pathlib, sys
from tests.support.systems import NEEDS_SHELL

pytestmark = NEEDS_SHELL
place = pathlib.Path(sys.argv[sys.argv.index("--target") + 1]) / "bin" / "uv"
place.parent.mkdir(parents=True)
place.write_text(os.environ["SPY"])
place.chmod(0o755)
pathlib.Path(os.environ["NOTED_BY_PIP"]).write_text(sys.argv[-1])
"""


@dataclass(frozen=True)
class Clone:
    """A clone in which uv is a spy."""

    root: Path
    python: str = sys.executable

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run `dev.py` as a reader does, from the root of the clone."""
        env = {
            "NOTED": str(self.root / "noted"),
            "SPY": SPY,
            "NOTED_BY_PIP": str(self.root / "pip"),
            **(env or {}),
        }
        return run([self.python, "dev.py", *arguments], self.root, env=env)

    def noted(self) -> list[str]:
        """The folder and the arguments with which the spy was called."""
        return (self.root / "noted").read_text().splitlines()


def clone_of(folder: Path, python: str = sys.executable) -> Clone:
    root = folder / "clone"
    write_tree(root, {name: (REPOSITORY / name).read_bytes() for name in ("dev.py", "pyproject.toml")})
    return Clone(root, python)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    cloned = clone_of(tmp_path)
    write_tree(
        cloned.root, {".uv/bin/uv": SPY, ".venv/bin/scaffold": SPY, "scaffold/wheels/laws.whl": b"built"}
    )
    for script in (".uv/bin/uv", ".venv/bin/scaffold"):
        (cloned.root / script).chmod(0o755)
    return cloned


def test_try_generates_in_a_new_folder_and_tests(clone: Clone) -> None:
    result = clone.run("try", "../new/my-layers")
    assert result.returncode == 0 and (clone.root / "../new/my-layers").is_dir()
    folder, *words = clone.noted()
    needed = ["--with-editable", ".", "--with", "equinox", "--with", "pytest"]
    tool = ["scaffold", "new-module", *AFFINE, "--folder", "../new/my-layers", "--test"]
    assert (folder, words) == (str(clone.root), ["run", "--isolated", "--no-project", *needed, *tool])
    assert result.stderr == f"+ {shlex.join(['.uv/bin/uv', *words])}\n"
    assert result.stdout == ""  # the spy writes no class
    write_tree(clone.root.parent, {"new/my-layers/affine.py": ""})
    again = clone.run("try", "../new/my-layers").stdout
    assert again.startswith("edit ../new/my-layers/affine.py, and run this again: your edits stay")


def test_try_approves_numbers_where_it_is_asked_to(clone: Clone) -> None:
    noting = '#!/bin/sh\necho "$PYTREE_LAWS_NUMBERS, $PYTREE_LAWS_COMMAND" > "$NOTED"\nexit 1\n'
    (clone.root / ".uv/bin/uv").write_text(noting)
    write_tree(clone.root.parent, {"mine/affine.py": ""})
    result = clone.run("try", "../mine", env={"PYTREE_LAWS_NUMBERS": ""})
    assert clone.noted() == [", python3 dev.py try ../mine"] and result.returncode == 1
    assert clone.run("try", "../mine", "--numbers=update").returncode == 1
    assert clone.noted() == ["update, python3 dev.py try ../mine"]


@pytest.mark.parametrize("arguments", [(), ("--help",), ("a", "b"), ("a", "--numbers=all")])
def test_try_refuses_what_is_no_folder(arguments: tuple[str, ...], clone: Clone) -> None:
    result = clone.run("try", *arguments)
    assert result.returncode == 2 and "fix: write `python3 dev.py try ../my-layers`" in result.stderr
    assert not (clone.root / "noted").exists() and not (clone.root / "--help").exists()


def test_try_writes_into_no_project(clone: Clone) -> None:
    result = clone.run("try", "new/folder")
    assert result.returncode == 2 and not (clone.root / "new").exists()
    assert result.stderr == (
        "error: new/folder lies in the project of pyproject.toml, whose layout is its own\n"
        "  fix: choose a folder outside of it, or write into it with `scaffold new-module`\n"
    )


def test_test_hands_its_arguments_to_pytest_in_the_clone(clone: Clone, tmp_path: Path) -> None:
    env = {"NOTED": str(clone.root / "noted")}
    words = ["test", "tests/house/test_dev.py", "-x"]
    assert run([sys.executable, "clone/dev.py", *words], tmp_path, env=env).returncode == 0
    words = [
        "run",
        "--quiet",
        "pytest",
        "-n",
        "auto",
        "--maxprocesses",
        "4",
        "--dist",
        "worksteal",
        "tests/house/test_dev.py",
        "-x",
    ]
    assert clone.noted() == [str(clone.root), *words]


def test_scaffold_is_the_tool_of_the_clone_in_the_folder_of_the_caller(clone: Clone, tmp_path: Path) -> None:
    env = {"NOTED": str(clone.root / "noted"), "VIRTUAL_ENV": "/mine"}
    result = run(
        [sys.executable, str(clone.root / "dev.py"), "scaffold", "kinds", "--json"], tmp_path, env=env
    )
    assert (result.returncode, result.stdout) == (0, "")
    assert clone.noted() == [str(tmp_path), "kinds", "--json"]
    sync, tool = result.stderr.splitlines()
    assert sync == "+ clone/.uv/bin/uv sync --quiet --inexact --no-default-groups --project clone"
    assert tool == "+ clone/.venv/bin/scaffold kinds --json"


@pytest.mark.parametrize("arguments", [("try", "../here"), ("test",), ("scaffold", "kinds")])
def test_the_wheel_of_the_laws_is_built_where_it_is_gone(arguments: tuple[str, ...], clone: Clone) -> None:
    (clone.root / "scaffold/wheels/laws.whl").unlink()
    assert "--reinstall-package jax-scaffold" in clone.run(*arguments).stderr


def test_install_replaces_what_was_installed(clone: Clone) -> None:
    assert clone.run("install").returncode == 0
    assert clone.noted()[1:] == ["tool", "install", "--reinstall-package", "jax-scaffold", "."]


@pytest.mark.parametrize("arguments", [("try", "../here"), ("test",), ("scaffold", "kinds"), ("install",)])
def test_a_command_that_fails_fails(arguments: tuple[str, ...], clone: Clone) -> None:
    assert clone.run(*arguments, env={"STATUS": "7"}).returncode == 7


def test_pip_fetches_the_uv_of_the_tests_once(tmp_path: Path) -> None:
    clone = clone_of(tmp_path)
    write_tree(tmp_path, {"fake/pip.py": PIP})
    first = clone.run("test", env={"PYTHONPATH": str(tmp_path / "fake")})
    assert first.returncode == 0 and (clone.root / "pip").read_text() == PINNED
    assert (
        f"-m pip install --quiet --upgrade --disable-pip-version-check --target .uv {PINNED}\n+ .uv/bin/uv run"
        in first.stderr
    )
    assert "pip" not in clone.run("test").stderr


def bare_python(folder: Path) -> str:
    """An interpreter without pip."""
    venv.create(folder / "bare", with_pip=False)
    return str(folder / "bare/bin/python")


def test_without_pip_it_says_what_to_install(tmp_path: Path) -> None:
    clone = clone_of(tmp_path, bare_python(tmp_path))
    result = clone.run("test", env={"PATH": str(tmp_path)})
    assert result.returncode == 2
    assert result.stderr.endswith(
        f"error: pip cannot fetch uv for {clone.python}: its message is above\n"
        "  fix: install pip (such as `apt install python3-pip`), or uv itself: https://docs.astral.sh/uv/\n"
    )


def test_without_pip_an_installed_uv_does(tmp_path: Path) -> None:
    clone = clone_of(tmp_path, bare_python(tmp_path))
    write_tree(tmp_path, {"bin/uv": SPY})
    (tmp_path / "bin/uv").chmod(0o755)
    assert clone.run("test", env={"PATH": str(tmp_path / "bin")}).returncode == 0
    assert clone.noted()[1] == "run"


def test_an_older_python_is_told_so(clone: Clone) -> None:
    older = "import runpy, sys; sys.version_info = (3, 9, 18, 'final', 0); runpy.run_path('dev.py', run_name='__main__')"
    result = run([sys.executable, "-c", older], clone.root)
    message = "error: Python 3.9 is too old\n  fix: run dev.py with Python 3.11 or newer\n"
    assert (result.returncode, result.stderr) == (1, message)


def test_an_older_python_can_read_it() -> None:
    """What it cannot compile, it cannot refuse in words."""
    ast.parse((REPOSITORY / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 0, "The commands of a clone"),
        (("--help",), 0, "The commands of a clone"),
        (
            ("tset",),
            2,
            "error: there is no command `tset`\n  fix: write `python3 dev.py try`, `test`, `scaffold` or `install`\n",
        ),
        (("try",), 2, "error: `try` takes a folder, and no other option\n  fix: write `python3 dev.py try"),
        (("try", "../file"), 2, "error: ../file: File exists\n  fix: mend that, and run the command again\n"),
    ],
)
def test_it_says_what_it_can_do(arguments: tuple[str, ...], code: int, message: str, clone: Clone) -> None:
    write_tree(clone.root.parent, {"file": ""})
    result = clone.run(*arguments)
    assert (result.returncode, result.stdout) == (code, "") and result.stderr.startswith(message)
    assert not (clone.root / "noted").exists()
