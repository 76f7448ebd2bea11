"""What to do after a command, in one line: run the tests, and install what they need and the environment lacks."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scaffold.files.fileset import Plan

_NEEDED = ("jax", "jaxtyping", "equinox", "flax", "optax", "safetensors", "numpy", "pytest")
"""What generated code and its tests import, as far as the tool decides it."""
_LAWS_NEED = ("jax", "numpy", "pytest")
_IMPORT = re.compile(rb"^\s*(?:from|import) (\w+)", re.MULTILINE)


def after_module(plan: "Plan") -> str:
    """After a class was written."""
    tests = [step.path for step in plan.steps if step.path.name.startswith("test_")]
    if not tests:  # a skeleton to fill in
        place = _from_here(plan.root, [step.path for step in plan.steps])
        return f"next: fill in {place}, then scaffold new-module --spec {place}"
    uses_uv = (plan.root / "uv.lock").is_file()
    missing = [] if uses_uv else _missing(plan)
    install = f"{_python()} -m pip install {' '.join(missing)}, then " if missing else ""
    return f"next: {install}{'uv run ' if uses_uv else ''}pytest {_from_here(plan.root, tests)}"


def _from_here(root: Path, tests: list[PurePosixPath]) -> str:
    """The one test, or the folder of several, as seen from where the command runs."""
    found = tests[0] if len(tests) == 1 else os.path.commonpath(tests) if tests else ""
    return shlex.quote(Path(os.path.relpath(root / found)).as_posix())


def _missing(plan: "Plan") -> list[str]:
    """What the written files import and the environment lacks; nothing where it cannot be made out."""
    own = (step for step in plan.steps if step.path.suffix == ".py" and step.folder is None)
    imported = {name.decode() for step in own for name in _IMPORT.findall(step.after or b"")}
    imported |= set(_LAWS_NEED) if "pytree_laws" in imported else set[str]()
    return [name for name in _NEEDED if name in imported and not _is_there(name, plan.root)]


def _is_there(name: str, root: Path) -> bool:
    python = _environment(root)
    if python is None:
        from importlib.util import find_spec  # finds, and imports nothing

        return find_spec(name) is not None
    folders = [folder for folder in _site_packages(python) if folder.is_dir()]
    return not folders or any(_holds(folder, name) for folder in folders)


def _environment(root: Path) -> Path | None:
    """The environment in which the author will run the tests; None for that of the tool itself."""
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    found = Path(active) if active else root / ".venv"
    if not found.is_dir():
        python = shutil.which("python") or shutil.which("python3")
        found = Path(python).parent.parent if python else Path(sys.prefix)
    return None if os.path.realpath(found) == os.path.realpath(sys.prefix) else found


def _site_packages(environment: Path) -> Iterator[Path]:
    yield from sorted(environment.glob("lib/python3*/*-packages"))
    yield environment / "Lib" / "site-packages"  # Windows


def _holds(folder: Path, name: str) -> bool:
    return (folder / name).exists() or (folder / f"{name}.py").exists() or any(_linked(folder, name))


def _linked(folder: Path, name: str) -> Iterable[bool]:
    """Whether a folder that a `.pth` file adds has it, as those of editable installs and layered environments do."""
    for path in sorted(folder.glob("*.pth")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            yield os.path.isabs(line) and (Path(line) / name).exists()


def _python() -> str:
    return "python" if shutil.which("python") else "python3"
