"""Modules in the environment that runs a project's tests, found without an import."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def has_module(name: str, root: Path, *, unknown: bool) -> bool:
    """Whether the environment of the project in `root` has a module.

    If there are no packages to search, the answer is `unknown`.
    """
    environment = _environment(root)
    if environment is None:
        from importlib.util import find_spec  # finds, and imports nothing

        spec = find_spec(name)
        return spec is not None and spec.origin is not None
    folders = [folder for folder in _site_packages(environment) if folder.is_dir()]
    return any(_holds(folder, name) for folder in folders) if folders else unknown


def _environment(root: Path) -> Path | None:
    """Return the environment in which the author runs tests, or None for the tool's own."""
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    folder = Path(active) if active else root / ".venv"
    if not folder.is_dir():
        import shutil  # here, because most projects have an environment

        python = shutil.which("python") or shutil.which("python3")
        folder = Path(python).parent.parent if python else Path(sys.prefix)
    return None if os.path.realpath(folder) == os.path.realpath(sys.prefix) else folder


def _site_packages(environment: Path) -> Iterator[Path]:
    yield from sorted(environment.glob("lib/python3*/*-packages"))
    yield environment / "Lib" / "site-packages"  # Windows


def _holds(folder: Path, name: str) -> bool:
    is_installed = (folder / name).exists() or (folder / f"{name}.py").is_file()
    return is_installed or any(_lies_in(linked, name) for linked in _linked(folder))


def _lies_in(folder: Path, name: str) -> bool:
    """Whether a module lies in a user's folder. A folder without `__init__.py` does not count there."""
    return (folder / name / "__init__.py").is_file() or (folder / f"{name}.py").is_file()


def _linked(folder: Path) -> Iterator[Path]:
    """Yield the folders that `.pth` files add, such as those of editable installs."""
    for path in sorted(folder.glob("*.pth")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if os.path.isabs(line):
                yield Path(line)
