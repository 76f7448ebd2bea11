"""Interpreter of the user's project, into which nothing is installed."""

import os
import shutil
import sys
from pathlib import Path

from scaffold.errors import ScaffoldError


def find_python(said: str | None, root: Path) -> list[str]:
    """Return the command of the project's interpreter.

    The order is `said`, the active environment, `.venv`, `uv run` beside a `uv.lock`, and the first on the
    path.
    """
    if said is not None:
        return [_resolved_interpreter(said)]
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    for folder in (Path(active) if active else None, root / ".venv"):
        python = _python_in(folder) if folder is not None else None
        if python is not None:
            return [python]
    if (root / "uv.lock").is_file() and shutil.which("uv"):
        return ["uv", "run", "--no-sync", "python"]
    return [shutil.which("python") or shutil.which("python3") or sys.executable]


def _resolved_interpreter(said: str) -> str:
    """Return the interpreter itself, or the interpreter of the environment in a folder."""
    interpreter = _python_in(Path(said)) if Path(said).is_dir() else shutil.which(said)
    if interpreter is None:
        fix = "write the path of an interpreter, or of the folder of its environment"
        raise ScaffoldError(f"there is no interpreter `{said}`", where="--python", fix=fix)
    return interpreter


def _python_in(environment: Path) -> str | None:
    places = (environment / "bin" / "python", environment / "Scripts" / "python.exe")
    return next((str(place) for place in places if place.is_file()), None)
