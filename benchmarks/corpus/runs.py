"""Runs of `scaffold adopt` on libraries: an environment for each, and a record that a later run finds."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from scaffold.adopt.journal import PLACE as JOURNAL

SECONDS = 3600
"""The limit for a library."""
SHARED = ("jax==0.10.2", "equinox==0.13.8", "flax==0.12.8", "optax", "pytest")
"""Installed beside a library that does not say `shared` itself."""
LAST = 4000
"""Characters of stderr that are kept."""
Table = Mapping[str, Any]


def run_library(library: Table, folder: Path) -> dict[str, Any]:
    """The record of a library, which is run where there is none yet."""
    record = folder / f"{library['module']}.json"
    if not record.exists():
        home = folder / library["module"]
        python = installed(library, home / "env")
        write_whole(record, adopted(library["module"], python, home / "project"))
    return json.loads(record.read_text(encoding="utf-8"))


def adopted(module: str, python: str, project: Path) -> dict[str, Any]:
    """What adopt says of a module in an empty project, and what that took."""
    project.mkdir(parents=True, exist_ok=True)
    (project / "pyproject.toml").write_text('[project]\nname = "corpus"\n', encoding="utf-8")
    command = [sys.executable, "-m", "scaffold", "adopt", module, "--python", python, "--json"]
    command += ["--resume"] if (project / JOURNAL).exists() else []
    begin = perf_counter()
    code, out, errors, peak = measured(command, project)
    seconds = round(perf_counter() - begin)
    shown = {"exit": code, "seconds": seconds, "peak_bytes": peak, "stderr": errors[-LAST:]}
    return {**shown, "report": json.loads(out) if out.strip() else {}}


def measured(command: Sequence[str], folder: Path) -> tuple[int, str, str, int]:
    """Exit code, stdout, stderr, and the most memory that a process below the command took, in bytes."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(["timeout", str(SECONDS), *command], cwd=folder, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return process.returncode, out.read(), errors.read(), usage.ru_maxrss * 1024


def installed(library: Table, folder: Path) -> str:
    """The interpreter of an environment that has the library; one that is there stays as it is."""
    python = str(folder / "bin" / "python")
    uv = str(Path(sys.executable).parent / "uv")
    if not Path(python).exists():
        version = library.get("python", "3.11")
        subprocess.run([uv, "venv", "--quiet", "--python", version, folder], check=True)
        packages = [*library["packages"], *library.get("shared", SHARED)]
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *packages], check=True)
    return python


def write_whole(path: Path, value: Any) -> None:
    """Write JSON so that a run that is ended leaves no half of it."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, indent=1), encoding="utf-8")
    part.replace(path)
