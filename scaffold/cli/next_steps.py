"""Hint after a command: how to run the tests, and how to install the packages that they lack."""

import os
import re
import shlex
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from scaffold.files.places import seen_from_here
from scaffold.in_project.environment import has_module

if TYPE_CHECKING:
    from scaffold.files.fileset import Plan
    from scaffold.in_project.layout import Layout

_NEEDED = ("jax", "jaxtyping", "equinox", "flax", "optax", "safetensors", "numpy", "pytest")
"""Modules that generated code and tests may import by the tool's choice."""
_LAWS_NEED = ("jax", "numpy", "pytest")
_IMPORT = rb"(?m)^\s*(?:from|import) (\w+)"


def after_module(plan: "Plan", layout: "Layout") -> str:
    """Return the next step after a class or a skeleton was written, or an empty text without tests."""
    tests = test_files(plan, layout)
    if not tests:
        paths = [step.path for step in plan.steps]
        place = _from_here(plan.root, paths)
        is_skeleton = all(layout.specs in path.parents for path in paths)
        return f"next: fill in {place}, then scaffold new-module --spec {place}" if is_skeleton else ""
    uses_uv = (plan.root / "uv.lock").is_file()
    missing = [] if uses_uv else _missing(plan)
    install = f"{_python()} -m pip install {' '.join(missing)}, then " if missing else ""
    return f"next: {install}{'uv run ' if uses_uv else ''}pytest {_from_here(plan.root, tests)}"


def test_files(plan: "Plan", layout: "Layout") -> list[PurePosixPath]:
    """Return the files of a plan that pytest collects as tests."""
    paths = (step.path for step in plan.steps if step.folder is None)
    return [path for path in paths if layout.tests in path.parents and layout.pytest.collects(path.name)]


def imported_by(plan: "Plan") -> list[str]:
    """Return the modules of `_NEEDED` that the written files, and the laws if imported, need."""
    steps = (step for step in plan.steps if step.path.suffix == ".py" and step.folder is None)
    imported = {name.decode() for step in steps for name in re.findall(_IMPORT, step.after or b"")}
    imported |= set(_LAWS_NEED) if "pytree_laws" in imported else set[str]()
    return [name for name in _NEEDED if name in imported]


def _from_here(root: Path, tests: list[PurePosixPath]) -> str:
    """Return the single test, or the folder of several, relative to the current folder."""
    target = tests[0] if len(tests) == 1 else os.path.commonpath(tests) if tests else ""
    return shlex.quote(seen_from_here(root / target))


def _missing(plan: "Plan") -> list[str]:
    """Return imported modules that the environment lacks, or none if it cannot be inspected."""
    return [name for name in imported_by(plan) if not has_module(name, plan.root, unknown=True)]


def _python() -> str:
    return "python" if shutil.which("python") else "python3"
