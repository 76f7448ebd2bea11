"""The project's tests as its own workflow runs them: with the oldest versions, and with the newest."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks._project_commands import Failure, command, pyproject


def oldest(folder: Path) -> None:
    """The first row of the workflow: the oldest jax, which is the one that pyproject.toml names."""
    job = _job(folder)
    version = _run(folder, job, job["strategy"]["matrix"]["include"][0])
    if version != _floor(folder):
        raise Failure(f"the oldest row of the workflow has jax {version}, and no {_floor(folder)}")


def newest(folder: Path) -> None:
    """The last row: the newest jax, though uv.lock has the oldest. On the newest Python at hand, where there is not the row's."""
    job, lock = _job(folder), folder / "uv.lock"
    locked = lock.read_bytes()
    command(folder, "uv", "lock", "--quiet", "--upgrade-package", f"jax=={_floor(folder)}")
    try:
        version = _run(folder, job, job["strategy"]["matrix"]["include"][-1])
    finally:
        lock.write_bytes(locked)
    if version == _floor(folder):
        raise Failure(f"the newest row of the workflow has the jax of uv.lock, {version}")


def _job(folder: Path) -> Mapping[str, Any]:
    workflow = yaml.safe_load((folder / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    return workflow["jobs"]["tests"]


def _run(folder: Path, job: Mapping[str, Any], row: Mapping[str, str]) -> str:
    """Run the job's command for one row of its matrix; the version of jax that it had."""
    env = {"RESOLUTION": row["resolution"], "UV_PYTHON": _python(row["python"]), "JAX_PLATFORMS": "cpu"}
    printed = command(folder, "bash", "-c", job["steps"][-1]["run"], env=env)
    [version] = re.findall(r"^jax (\S+),", printed, re.MULTILINE)
    return version


def _floor(folder: Path) -> str:
    [floor] = [name for name in pyproject(folder)["project"]["dependencies"] if name.startswith("jax>=")]
    return floor.removeprefix("jax>=")


def _python(wanted: str) -> str:
    """The newest Python at hand that is not newer than `wanted`."""
    for minor in range(int(wanted.removeprefix("3.")), 10, -1):
        found = subprocess.run(
            ["uv", "python", "find", "--no-project", "--no-python-downloads", f"3.{minor}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode == 0:
            return found.stdout.strip()
    raise Failure(f"there is no Python from 3.11 to {wanted}")
