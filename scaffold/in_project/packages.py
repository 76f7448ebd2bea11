"""Package of a project: its folder, and the folder to put on the path."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import cast

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.in_project.settings import Settings, where_of

_HERE = PurePosixPath(".")
_SRC = PurePosixPath("src")
_NOT_PACKAGES = frozenset(
    [
        "tests",
        "test",
        "docs",
        "doc",
        "examples",
        "benchmarks",
        "scripts",
        "tools",
        "build",
        "dist",
        "node_modules",
    ]
)


class Package(Struct, frozen=True):
    """Folder of a package, and the folder from which it is imported. Equal folders mean no package."""

    source: PurePosixPath
    import_root: PurePosixPath

    @property
    def name(self) -> str:
        """Import name, which is empty for no package."""
        return ".".join(self.source.relative_to(self.import_root).parts)


def table(document: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """Return a table inside `document`, or an empty table if it is missing or no table."""
    for key in keys:
        inner = document.get(key)
        document = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
    return document


def find_package(root: Path, settings: Settings, document: Mapping[str, object]) -> Package | None:
    """Return the package of a project, or None.

    Raises `ScaffoldError` if several folders qualify, and at the root of a workspace without a package.
    """
    if settings.package is not None:
        return _declared_package(root, settings.package)
    named = (package for name in _project_names(document) for package in _places_of(name))
    for package in named:
        if has_python(root / package.source):
            return package
    return _only_package(root, settings) or _refused_workspace(root, document)


def _refused_workspace(root: Path, document: Mapping[str, object]) -> None:
    """Raise `ScaffoldError` at the root of a uv workspace, because classes belong to its members."""
    globs = table(document, "tool", "uv", "workspace").get("members")
    if not isinstance(globs, list) or "project" in document:
        return
    patterns = [text for text in cast("list[object]", globs) if isinstance(text, str) and text]
    folders = (
        place for text in patterns for place in root.glob(text) if (place / "pyproject.toml").is_file()
    )
    members = sorted(place.relative_to(root).as_posix() for place in folders)
    if members:
        message = "is the root of a workspace, which has no package itself"
        fix = f"say which member, as in `--folder {members[0]}`, or run the command there"
        raise ScaffoldError(message, where="pyproject.toml", fix=fix, legal=members)


def _declared_package(root: Path, declared: str) -> Package:
    """Return the package that the settings name, even before its folder exists."""
    if "/" in declared:
        source = PurePosixPath(declared)
        return Package(source, _import_root_of(root, source))
    src, flat = _places_of(declared)
    exists = [package for package in (src, flat) if (root / package.source).is_dir()]
    if exists:
        return exists[0]
    outer_is_flat = (root / flat.source.parts[0]).is_dir() and not (root / src.source).parent.is_dir()
    return src if (root / _SRC).is_dir() and not outer_is_flat else flat


def _places_of(name: str) -> tuple[Package, Package]:
    inside = PurePosixPath(*name.split("."))
    return Package(_SRC / inside, _SRC), Package(inside, _HERE)


def _import_root_of(root: Path, source: PurePosixPath) -> PurePosixPath:
    """Return the innermost folder above `source` that is no package, or `src`."""
    if source.parts[0] == "src" and len(source.parts) > 1:
        return _SRC
    for above in source.parents:
        if (root / above).is_dir() and not (root / above / "__init__.py").exists():
            return above
    return _HERE


def _project_names(document: Mapping[str, object]) -> Iterator[str]:
    """Yield import names that the distribution's name suggests, the likeliest first."""
    name = table(document, "project").get("name") or table(document, "tool", "poetry").get("name")
    if isinstance(name, str):
        joined = name.replace("-", "_").replace(".", "_")
        yield from filter(str.isidentifier, dict.fromkeys([joined.lower(), joined]))
        parts = name.replace("-", ".").lower().split(".")  # a part of a namespace: org.lib
        if len(parts) > 1 and all(map(str.isidentifier, parts)):
            yield ".".join(parts)


def _only_package(root: Path, settings: Settings) -> Package | None:
    skipped = _NOT_PACKAGES | {
        part for path in (settings.tests, settings.specs) for part in PurePosixPath(path).parts[:1]
    }
    packages = _packages_in(root, _SRC, frozenset()) or _packages_in(root, _HERE, skipped)
    if len(packages) > 1:
        names = [str(package.source) for package in packages]
        message = "several folders could be the package"
        fix = f'say which under [tool.scaffold], as in `package = "{names[0]}"`'
        raise ScaffoldError(message, where=where_of("package"), fix=fix, legal=names)
    return packages[0] if packages else None


def _packages_in(root: Path, folder: PurePosixPath, skipped: frozenset[str]) -> list[Package]:
    """Return the packages directly in `folder`. Hidden folders fail, as their names are no identifiers."""
    names = [name for name in names_in(root / folder) if name.isidentifier() and name not in skipped]
    paths = [folder / name for name in names if (root / folder / name / "__init__.py").is_file()]
    return [Package(path, folder) for path in paths]


def is_namespace(folder: Path) -> bool:
    """Whether the folder holds Python but no `__init__.py`."""
    return has_python(folder) and not (folder / "__init__.py").exists()


def has_python(folder: Path) -> bool:
    return any(name.endswith(".py") for name in names_in(folder))


def names_in(folder: Path) -> list[str]:
    """Return the sorted names in `folder`, or nothing if it is missing or unreadable."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
