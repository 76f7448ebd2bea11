"""Where things go in the user's project: the root, the package, the folders for tests and specs.

Found by looking, without a question; `[tool.scaffold]` in pyproject.toml settles what looking cannot.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import cast

from scaffold.choices import BACKENDS, SAVES
from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.places import NotReadableError, read_regular

STYLES = ("kidger", "scientific-python")

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
_KINDS: dict[object, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True)
class Settings:
    """`[tool.scaffold]` of pyproject.toml, checked, with defaults for what it leaves out."""

    package: str | None = None
    tests: str = "tests"
    specs: str = "specs"
    backend: str | None = None
    lower_for: tuple[str, ...] = ()
    style: str = "kidger"
    save: str = ""
    """The format of `save` and `load` where a spec says nothing; empty for neither."""

    @classmethod
    def of(cls, table: object) -> "Settings":
        """The settings in a `[tool.scaffold]` table as TOML gives it; all its faults in one `ScaffoldError`."""
        if not isinstance(table, dict):
            raise ScaffoldError.of([_wrong_kind("", table, "a table")])
        entries = cast("dict[str, object]", table)
        faults = [fault for key, value in entries.items() for fault in _entry_faults(key, value)]
        if faults:
            raise ScaffoldError.of(faults)
        lower_for = cast("list[str]", entries.get("lower_for", []))
        texts = {key: cast("str", value) for key, value in entries.items() if key != "lower_for"}
        if isinstance(entries.get("save"), bool):
            texts["save"] = SAVES[0] if entries["save"] else ""
        return cls(**texts, lower_for=tuple(lower_for))


@dataclass(frozen=True)
class Layout:
    """The places of a project, relative to its `root`.

    A generated NAME.py goes in the folder `source`, and is imported as a part of `package`, or by its own name where
    that is None; `import_root` is what has to be on `sys.path`. `namespace` says that the package is there without an
    `__init__.py`, and has to stay so.
    """

    root: Path
    settings: Settings
    source: PurePosixPath
    package: str | None
    import_root: PurePosixPath
    tests: PurePosixPath
    specs: PurePosixPath
    namespace: bool = False

    def module(self, stem: str) -> str:
        """The import name of the generated module `stem`."""
        return f"{self.package}.{stem}" if self.package else stem

    def source_file(self, stem: str) -> PurePosixPath:
        """The module itself."""
        return self.source / f"{stem}.py"

    def test_file(self, stem: str) -> PurePosixPath:
        """The tests of the module."""
        return self.tests / f"test_{stem}.py"

    def spec_file(self, stem: str) -> PurePosixPath:
        """The spec the module is generated from."""
        return self.specs / f"{stem}.toml"

    @property
    def laws_file(self) -> PurePosixPath:
        """The law suite that the tests import."""
        return self.tests / "pytree_laws.py"

    @property
    def init_file(self) -> PurePosixPath | None:
        """The package's `__init__.py`, None where there is no package or it is a namespace package."""
        return self.source / "__init__.py" if self.package and not self.namespace else None


def find_layout(start: Path) -> Layout:
    """The layout of the project that `start` lies in.

    Its root is the nearest folder upwards with a pyproject.toml, not looking above a git checkout or the user's home;
    without one, `start` is a loose folder. Raises `ScaffoldError` for a pyproject.toml that cannot be used, and where
    several folders could be the package.
    """
    start = Path(os.path.abspath(start))
    root = _find_root(start)
    if root is None:
        return _layout(start, Settings(), None)
    document = _read_pyproject(root / "pyproject.toml")
    settings = Settings.of(_table(document, "tool").get("scaffold", {}))
    return _layout(root, settings, _find_package(root, settings, document))


@dataclass(frozen=True)
class _Package:
    """A package as a folder and the folder that holds its outermost part."""

    source: PurePosixPath
    import_root: PurePosixPath

    @property
    def name(self) -> str:
        return ".".join(self.source.relative_to(self.import_root).parts)


def _layout(root: Path, settings: Settings, package: _Package | None) -> Layout:
    tests, specs = PurePosixPath(settings.tests), PurePosixPath(settings.specs)
    if package is None:
        return Layout(root, settings, _HERE, None, _HERE, tests, specs)
    folder = root / package.source
    namespace = _has_python(folder) and not (folder / "__init__.py").exists()
    return Layout(
        root, settings, package.source, package.name, package.import_root, tests, specs, namespace=namespace
    )


def _find_root(start: Path) -> Path | None:
    home = os.path.expanduser("~")
    for folder in (start, *start.parents):
        if os.path.isfile(folder / "pyproject.toml"):
            return folder
        if os.path.exists(folder / ".git") or str(folder) == home:
            return None
    return None


def _read_pyproject(path: Path) -> Mapping[str, object]:
    import tomllib  # here, because a loose folder does without

    try:
        return tomllib.loads(read_regular(path).decode())
    except tomllib.TOMLDecodeError as error:
        what = f"is not valid TOML: {error}"
        raise ScaffoldError(what, where="pyproject.toml", fix="mend it at that place") from error
    except RecursionError:
        what = "is not valid TOML: nested too deeply"
        raise ScaffoldError(what, where="pyproject.toml", fix="mend it at that place") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        what = f"is not UTF-8 (at line {line}), as TOML has to be"
        raise ScaffoldError(what, where="pyproject.toml", fix="save it as UTF-8") from error
    except NotReadableError as error:
        what = f"cannot be read: {error.strerror}"
        raise ScaffoldError(
            what, where="pyproject.toml", fix="leave in it what it is for, and move the rest"
        ) from error
    except ValueError:
        what = "is not valid TOML: an integer has too many digits"
        raise ScaffoldError(what, where="pyproject.toml", fix="mend it at that place") from None
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise ScaffoldError(what, where="pyproject.toml", fix="make it readable", exit_code=1) from error


def _table(document: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """A table inside `document`; an empty one where it is missing, or is something that is not ours to judge."""
    for key in keys:
        inner = document.get(key)
        document = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
    return document


# -- settings ----------------------------------------------------------------------------------------------------------


def _entry_faults(key: str, value: object) -> Iterator[Fault]:
    """What is wrong with one entry."""
    match key, value:
        case ("backend", str()):
            yield from _choice_faults(key, [value], BACKENDS)
        case ("style", str()):
            yield from _choice_faults(key, [value], STYLES)
        case ("save", str()):
            yield from _choice_faults(key, [value], SAVES)
        case ("save", bool()):
            return
        case ("save", _):
            yield _wrong_kind(key, value, "a boolean or a format", SAVES)
        case ("lower_for", list()):
            yield from _choice_faults(key, cast("list[object]", value), BACKENDS)
        case ("tests" | "specs", str()):
            yield from _folder_faults(key, value)
        case ("package", str()):
            yield from _package_faults(value)
        case ("lower_for", _):
            yield _wrong_kind(key, value, "a list of strings", BACKENDS)
        case ("backend" | "style" | "tests" | "specs" | "package", _):
            yield _wrong_kind(key, value, "a string", {"backend": BACKENDS, "style": STYLES}.get(key, ()))
        case _:
            legal = tuple(sorted(Settings.__dataclass_fields__))
            yield Fault(_where(key), "is not a setting", suggestion(key, legal, "remove it"), legal)


def _where(key: str) -> str:
    return f"pyproject.toml: tool.scaffold{'.' if key else ''}{key}"


def _wrong_kind(key: str, value: object, wanted: str, legal: Sequence[str] = ()) -> Fault:
    found = _KINDS.get(type(value), "a date or a time")
    return Fault(_where(key), f"is {found}, and should be {wanted}", f"write {wanted}", tuple(legal))


def _choice_faults(key: str, values: Iterable[object], legal: tuple[str, ...]) -> Iterator[Fault]:
    for value in values:
        if not isinstance(value, str):
            yield _wrong_kind(key, value, "a string", legal)
        elif value not in legal:
            fix = suggestion(value, legal, "write one of the legal values")
            yield Fault(_where(key), f"`{value}` is not legal", fix, legal)


def _folder_faults(key: str, value: str) -> Iterator[Fault]:
    path = PureWindowsPath(value)  # knows the slashes of both worlds, and drives
    if not value.strip() or path.drive or path.root or ".." in path.parts or "\\" in value:
        fix = 'write a folder inside the project, with forward slashes, such as "tests"'
        yield Fault(_where(key), f"`{value}` is not a path below the project's root", fix)


def _package_faults(value: str) -> Iterator[Fault]:
    parts = value.removesuffix("/").split("/") if "/" in value else value.split(".")
    bad = [part for part in parts if not part.isidentifier() or iskeyword(part)]
    if bad:
        fix = 'write an import name such as "pkg.sub", or a folder such as "src/pkg"'
        yield Fault(_where("package"), f"`{value}` is not a package: `{bad[0]}` is not a name", fix)


# -- the package -------------------------------------------------------------------------------------------------------


def _find_package(root: Path, settings: Settings, document: Mapping[str, object]) -> _Package | None:
    if settings.package is not None:
        return _declared_package(root, settings.package)
    named = (package for name in _project_names(document) for package in _places_of(name))
    for package in named:
        if _has_python(root / package.source):
            return package
    return _only_package(root, settings)


def _declared_package(root: Path, declared: str) -> _Package:
    """The package that the settings name, whether it exists yet or not."""
    if "/" in declared:
        source = PurePosixPath(declared)
        return _Package(source, _import_root_of(root, source))
    src, flat = _places_of(declared)
    exists = [package for package in (src, flat) if (root / package.source).is_dir()]
    if exists:
        return exists[0]
    outer_is_flat = (root / flat.source.parts[0]).is_dir() and not (root / src.source).parent.is_dir()
    return src if (root / _SRC).is_dir() and not outer_is_flat else flat


def _places_of(name: str) -> tuple[_Package, _Package]:
    inside = PurePosixPath(*name.split("."))
    return _Package(_SRC / inside, _SRC), _Package(inside, _HERE)


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
    name = _table(document, "project").get("name") or _table(document, "tool", "poetry").get("name")
    if isinstance(name, str):
        joined = name.replace("-", "_").replace(".", "_")
        yield from filter(str.isidentifier, dict.fromkeys([joined.lower(), joined]))


def _only_package(root: Path, settings: Settings) -> _Package | None:
    skipped = _NOT_PACKAGES | {
        part for path in (settings.tests, settings.specs) for part in PurePosixPath(path).parts[:1]
    }
    found = _packages_in(root, _SRC, frozenset()) or _packages_in(root, _HERE, skipped)
    if len(found) > 1:
        names = [str(package.source) for package in found]
        what = "several folders could be the package"
        fix = f'say which under [tool.scaffold], as in `package = "{names[0]}"`'
        raise ScaffoldError(what, where=_where("package"), fix=fix, legal=names)
    return found[0] if found else None


def _packages_in(root: Path, folder: PurePosixPath, skipped: frozenset[str]) -> list[_Package]:
    """The packages directly in `folder`; hidden folders are none, since their names are no identifiers."""
    names = [name for name in _names_in(root / folder) if name.isidentifier() and name not in skipped]
    found = [folder / name for name in names if (root / folder / name / "__init__.py").is_file()]
    return [_Package(path, folder) for path in found]


def _has_python(folder: Path) -> bool:
    return any(name.endswith(".py") for name in _names_in(folder))


def _names_in(folder: Path) -> list[str]:
    """What is in `folder`, sorted; nothing where it is missing or closed to us."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
