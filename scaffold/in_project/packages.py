"""The package of a project: a folder, and what has to be on the path for it to be imported."""

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
    """A package as a folder and the folder that holds its outermost part; the same folder twice is none."""

    source: PurePosixPath
    import_root: PurePosixPath

    @property
    def name(self) -> str:
        """Its import name."""
        return ".".join(self.source.relative_to(self.import_root).parts)


def table(document: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """A table inside `document`; an empty one where it is missing, or is something that is not ours to judge."""
    for key in keys:
        inner = document.get(key)
        document = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
    return document


def find_package(root: Path, settings: Settings, document: Mapping[str, object]) -> Package | None:
    """The package of a project, None where there is none.

    Raises `ScaffoldError` where several folders could be it, and at the root of a workspace that has only members.
    """
    if settings.package is not None:
        return _declared_package(root, settings.package)
    named = (package for name in _project_names(document) for package in _places_of(name))
    for package in named:
        if _has_python(root / package.source):
            return package
    return _only_package(root, settings) or _refused_workspace(root, document)


def _refused_workspace(root: Path, document: Mapping[str, object]) -> None:
    """A workspace of uv without a package of its own: the class belongs to one of its members."""
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
    """The package that the settings name, whether it exists yet or not."""
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
    """The innermost folder above `source` that is not part of a package itself."""
    if source.parts[0] == "src" and len(source.parts) > 1:
        return _SRC
    for above in source.parents:
        if (root / above).is_dir() and not (root / above / "__init__.py").exists():
            return above
    return _HERE


def _project_names(document: Mapping[str, object]) -> Iterator[str]:
    """The import names that the name of the distribution suggests, likeliest first."""
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
    """The packages directly in `folder`; hidden folders are none, since their names are no identifiers."""
    names = [name for name in _names_in(root / folder) if name.isidentifier() and name not in skipped]
    paths = [folder / name for name in names if (root / folder / name / "__init__.py").is_file()]
    return [Package(path, folder) for path in paths]


def is_namespace(folder: Path) -> bool:
    """Whether the package is there, with Python and without an `__init__.py`."""
    return _has_python(folder) and not (folder / "__init__.py").exists()


def _has_python(folder: Path) -> bool:
    return any(name.endswith(".py") for name in _names_in(folder))


def _names_in(folder: Path) -> list[str]:
    """What is in `folder`, sorted; nothing where it is missing or closed to us."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
