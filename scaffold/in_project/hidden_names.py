"""Modules that a new file would hide, or that would hide the new file."""

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.in_project.layout import Layout
from scaffold.in_project.packages import has_python, names_in
from scaffold.in_project.requirements import distribution, normal

if TYPE_CHECKING:
    from importlib.metadata import PackagePath

_NEEDED = frozenset(
    [
        "_pytest",
        "_yaml",
        "absl",
        "aiofiles",
        "beartype",
        "chex",
        "colorama",
        "conftest",
        "equinox",
        "etils",
        "exceptiongroup",
        "flax",
        "google",
        "humanize",
        "iniconfig",
        "jax",
        "jaxlib",
        "jaxtyping",
        "markdown_it",
        "mdurl",
        "ml_dtypes",
        "msgpack",
        "numpy",
        "opt_einsum",
        "optax",
        "orbax",
        "packaging",
        "pluggy",
        "prometheus_client",
        "psutil",
        "py",
        "pygments",
        "pytest",
        "pytree_laws",
        "rich",
        "safetensors",
        "scipy",
        "simplejson",
        "tensorstore",
        "tomli",
        "toolz",
        "treescope",
        "typeguard",
        "typing_extensions",
        "uvloop",
        "wadler_lindig",
        "yaml",
        "zipp",
    ]
)
"""Modules that the classes and their tests import, with their dependencies."""
_ROOTS = ("jax", "jaxlib", "equinox", "jaxtyping", "flax", "optax", "safetensors", "numpy", "pytest")


class Surroundings(Struct, frozen=True, dict=True):
    """Files around the new modules of a project, read once for all classes."""

    layout: Layout

    @cached_property
    def compiled(self) -> tuple[str, ...]:
        """Names of compiled modules in the source folder."""
        names = names_in(self.layout.root / self.layout.source)
        return tuple(name for name in names if name.endswith((".so", ".pyd")))

    @cached_property
    def installed(self) -> list[Path]:
        """Folders of packages in the project's environments, if it has any."""
        active = os.environ.get("VIRTUAL_ENV")
        environments = [self.layout.root / ".venv", *([Path(active)] if active else [])]
        patterns = ("lib/python*/site-packages", "Lib/site-packages")
        return [
            path for environment in environments for pattern in patterns for path in environment.glob(pattern)
        ]


def name_faults(module: str, where: str, around: Surroundings) -> Iterator[Fault]:
    """Find what a module of this name would hide in this project, or what would hide the module."""
    layout, compiled = around.layout, around.compiled
    folder = layout.root / layout.source
    here = (layout.source / module).as_posix()
    if layout.package is None and (is_needed(module) or _is_needed_by_installed(around.installed, module)):
        message = f"`{module}.py` would hide the module `{module}` from every import"
        yield Fault(f"{where}: name", message, "choose another name, or generate into a package")
    other = f"choose another name, or move `{here}` away"
    if (folder / module / "__init__.py").exists():
        yield Fault(
            f"{where}: name", f"the package `{here}/` would hide `{here}.py` from every import", other
        )
    elif has_python(folder / module):
        message = f"`{here}.py` would hide what is in the folder `{here}/` from every import"
        yield Fault(f"{where}: name", message, other)
    for extension in (name for name in compiled if name.startswith(f"{module}.")):
        message = f"the compiled `{(layout.source / extension).as_posix()}` would hide `{here}.py` from every import"
        yield Fault(f"{where}: name", message, "choose another name")


def is_needed(module: str) -> bool:
    """Whether generated code, its tests, or their dependencies may import a module of this name."""
    return module in sys.stdlib_module_names or module in _NEEDED


def hides_a_module(folder: Path) -> bool:
    """Whether the folder, if first on the path, would hide a module that tests need."""
    names = (
        name.removesuffix(".py")
        for name in names_in(folder)
        if name.endswith(".py") or (folder / name / "__init__.py").is_file()
    )
    return any(name != "conftest" and is_needed(name) for name in names)


# -- what is installed -------------------------------------------------------------------------------------------------


def _is_needed_by_installed(installed: Iterable[Path], module: str) -> bool:
    """Whether the module is installed and a dependency of jax, pytest or the like."""
    folders = [str(path) for path in installed]
    there = any(
        os.path.isdir(os.path.join(folder, module)) or os.path.isfile(os.path.join(folder, f"{module}.py"))
        for folder in folders
    )
    return there and module in _closure(folders)


def _closure(path: list[str]) -> Iterator[str]:
    """Yield the top-level modules of the roots' distributions and of all that these require."""
    from importlib.metadata import distributions  # here, because only a loose folder needs it

    installed = {normal(package.name): package for package in distributions(path=path) if package.name}
    wanted, seen = [*_ROOTS], set[str]()
    while wanted:
        name = wanted.pop()
        if name in seen or name not in installed:
            continue
        seen.add(name)
        required = (text for text in installed[name].requires or () if "extra ==" not in text)
        wanted += [distribution(text) for text in required]
        yield from _modules(installed[name].files or ())


def _modules(files: "Iterable[PackagePath]") -> Iterator[str]:
    for file in files:
        if file.suffix == ".py" and file.parts[0].removesuffix(".py").isidentifier():
            yield file.parts[0].removesuffix(".py")
