"""Commands in a project, and what a step is."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scaffold.law_wheel import law_wheel

PYTHON = "3.11"
_FIND_LINKS = "UV_FIND_LINKS"


class Failure(Exception):
    """A step that did not pass, with what was printed."""


@dataclass(frozen=True)
class Check:
    """One step. `reads` gives what its outcome depends on, None where that is everything; a quick look leaves out the slow."""

    run: Callable[[Path], None]
    reads: Callable[[Path], Iterator[str]] | None = None
    slow: bool = False


@contextmanager
def own_wheel_at_hand() -> Generator[None, None, None]:
    """Let uv find `jax-scaffold` and `pytree-laws`, which projects with installed laws depend on, as this checkout builds them."""
    before = os.environ.get(_FIND_LINKS)
    with TemporaryDirectory(prefix="scaffold-") as folder:
        build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
        command(Path(__file__).parent.parent, *build)
        (Path(folder) / law_wheel().name).write_bytes(law_wheel().content)
        os.environ[_FIND_LINKS] = ",".join(filter(None, [before, folder]))
        try:
            yield
        finally:
            os.environ.pop(_FIND_LINKS)
            os.environ.update({} if before is None else {_FIND_LINKS: before})


def pyproject(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def style(folder: Path) -> str:
    return pyproject(folder)["tool"]["scaffold"]["style"]


def command(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """What a command prints, warnings as well; `Failure` where it does not succeed."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")
    }
    environment |= {"JAX_PLATFORMS": "", "NO_MKDOCS_2_WARNING": "1", "UV_PYTHON_DOWNLOADS": "never"}
    environment |= env or {}
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(arguments)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout + done.stderr


def in_project(folder: Path, *arguments: str) -> str:
    """What a command prints in the environment of the project."""
    return command(folder, "uv", "run", "--quiet", "--no-sync", *arguments)
