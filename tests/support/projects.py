"""Folders in which the tool and the generated tests run as processes of their own, as a user runs them."""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from scaffold.emit.helpers import HELPERS

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "generated_examples"
AFFINE = (
    "Affine",
    "weight:f[out_size,in_size]=lecun_normal",
    "bias:f[out_size]=zeros",
    "--call",
    "x:f[in_size] -> f[out_size]",
    "--body",
    "return self.weight @ x + self.bias",
)


def environment() -> dict[str, str]:
    """The variables of a run."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "JAX_PLATFORMS": "cpu"}


def run(
    command: Sequence[str], folder: Path, *, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, without a terminal; jax on the CPU. Bytecode is written, as it is for a user."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment(), **(env or {})},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def scaffold(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the tool; without variables that Python may read as it starts, in a process that has it imported."""
    if env or sys.platform != "linux":
        return run([sys.executable, "-m", "scaffold", *arguments], folder, env=env)
    from tests.support.forking import forked  # here, since it needs this module

    command = [str(REPOSITORY / "scaffold/__main__.py"), *arguments]
    return forked("scaffold", command, folder, environment=environment())


def bare_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `pytest` as a user does, by its script, so that nothing is on the path but what the project puts there."""
    return run(pytest_command(*arguments), folder)


def pytest_command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).parent / "pytest"), "-q", "-p", "no:cacheprovider", *arguments]


@functools.cache
def _mypy_cache() -> tempfile.TemporaryDirectory[str]:
    """What mypy found out about jax and its like, in this process; it goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="mypy-")


def checker(name: str, *arguments: str) -> list[str]:
    """A tool that looks at files; mypy sees each library once for all tests of a process, which is most of its time."""
    cache = ("--cache-dir", _mypy_cache().name) if name == "mypy" else ()
    return [sys.executable, "-m", name, *cache, *arguments]


def passed(result: subprocess.CompletedProcess[str]) -> int:
    """How many tests passed; the run must have had no failure."""
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.search(r"(\d+) passed", result.stdout)
    return int(found[1]) if found else 0


def failed_laws(result: subprocess.CompletedProcess[str]) -> set[str]:
    """The numbers of the laws that failed, such as P3."""
    return {
        f"P{int(number)}" for number in re.findall(r"^FAILED .*::test_p(\d+)_", result.stdout, re.MULTILINE)
    }


def failed_tests(result: subprocess.CompletedProcess[str]) -> set[str]:
    """The names of the tests that failed, without their parameters."""
    return set(re.findall(r"^FAILED .*::(test_\w+)", result.stdout, re.MULTILINE))


def copy_example(name: str, folder: Path, *needs: str) -> Path:
    """A project with one of the examples, its tests, and the examples that it imports."""
    (folder / "tests").mkdir(parents=True)
    for module in (name, *needs, *HELPERS):
        shutil.copy(EXAMPLES / f"{module}.py", folder)
    for file in (f"test_{name}.py", "conftest.py"):
        shutil.copy(EXAMPLES / "tests" / file, folder / "tests")
    return folder
