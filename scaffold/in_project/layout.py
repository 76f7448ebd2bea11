"""Layout of the user's project: its root, its package, and its folders of tests and specs.

The layout is found from the files present. `[tool.scaffold]` in `pyproject.toml` decides where that is
ambiguous.
"""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from scaffold.errors import ScaffoldError
from scaffold.files.places import NotReadableError, read_regular
from scaffold.in_project.law_files import LawFiles
from scaffold.in_project.packages import Package, find_package, is_namespace, table
from scaffold.in_project.pytest_config import PytestConfig, find_pytest_config, tests_folder, upwards
from scaffold.in_project.settings import STYLES, Settings

__all__ = ["STYLES", "Layout", "Settings", "find_layout"]

_HERE = PurePosixPath(".")
_NOTHING: Mapping[str, object] = {}


class Layout(Struct, frozen=True, dict=True):
    """Places in a project, relative to its `root`.

    A generated module lies in `source`. It is imported as part of `package`, or by its own name if that is
    None. `import_root` must be on `sys.path`. `namespace` marks a namespace package, which must not get an
    `__init__.py`.
    """

    root: Path
    settings: Settings
    source: PurePosixPath
    package: str | None
    import_root: PurePosixPath
    tests: PurePosixPath
    specs: PurePosixPath
    namespace: bool = False
    document: Mapping[str, object] = field(default_factory=dict[str, object])
    """Content of `pyproject.toml`."""
    pytest: PytestConfig = PytestConfig(Path())
    laws: str = "wheel"
    """Source of the laws for the tests, a value of `choices.LAWS`."""

    @cached_property
    def real_root(self) -> Path:
        """Root without symbolic links."""
        return Path(os.path.realpath(self.root))

    @cached_property
    def importable(self) -> frozenset[str]:
        """Names of modules and folders in the import root."""
        try:
            children = [*os.scandir(self.root / self.import_root)]
        except OSError:
            return frozenset()
        modules = (
            child.name.removesuffix(".py")
            for child in children
            if child.name.endswith(".py") and child.is_file()
        )
        return frozenset((*modules, *(child.name for child in children if child.is_dir())))

    def module(self, stem: str) -> str:
        """Return the import name of the generated module `stem`."""
        return f"{self.package}.{stem}" if self.package else stem

    def source_file(self, stem: str) -> PurePosixPath:
        """Return the path of the module."""
        return self.source / f"{stem}.py"

    def test_file(self, stem: str) -> PurePosixPath:
        """Return the path of the module's tests."""
        return self.tests / self.pytest.test_name(stem)

    def spec_file(self, stem: str) -> PurePosixPath:
        """Return the path of the module's spec."""
        return self.specs / f"{stem}.toml"

    @property
    def law_files(self) -> LawFiles:
        """Laws beside the tests."""
        return LawFiles(self.real_root, self.tests, self.document)

    @property
    def init_file(self) -> PurePosixPath | None:
        """The `__init__.py` of the package, or None without a package or for a namespace package."""
        return self.source / "__init__.py" if self.package and not self.namespace else None


def find_layout(start: Path) -> Layout:
    """Return the layout of the project around `start`.

    Its root is the nearest folder upwards with a `pyproject.toml`, within the git checkout and the user's
    home. Without a root, `start` is a loose folder. Raises `ScaffoldError` for an unusable `pyproject.toml`,
    and if several folders could be the package.
    """
    start = Path(os.path.abspath(start))
    root = _find_root(start)
    if root is None:
        return _layout(start, Settings(), None, _NOTHING)
    document = _read_pyproject(root / "pyproject.toml")
    settings = Settings.of(table(document, "tool").get("scaffold", {}))
    return _layout(root, settings, find_package(root, settings, document), document)


def _layout(
    root: Path, settings: Settings, package: Package | None, document: Mapping[str, object]
) -> Layout:
    package = package or Package(_HERE, _HERE)
    config = find_pytest_config(root, document)
    declared = "tests" in table(document, "tool", "scaffold")
    tests = (
        PurePosixPath(settings.tests)
        if declared
        else tests_folder(root, config, package.source, package.name or None)
    )
    return Layout(
        root,
        settings,
        package.source,
        package.name or None,
        package.import_root,
        tests,
        PurePosixPath(settings.specs),
        namespace=bool(package.name) and is_namespace(root / package.source),
        document=document,
        pytest=config,
        laws=settings.laws or LawFiles(Path(os.path.realpath(root)), tests, document).source(),
    )


def _find_root(start: Path) -> Path | None:
    return next((folder for folder in upwards(start) if (folder / "pyproject.toml").is_file()), None)


def _read_pyproject(path: Path) -> Mapping[str, object]:
    import tomllib  # here, because a loose folder does without

    try:
        return tomllib.loads(read_regular(path).decode())
    except tomllib.TOMLDecodeError as error:
        message = f"is not valid TOML: {error}"
        raise ScaffoldError(message, where="pyproject.toml", fix="mend it at that place") from error
    except RecursionError:
        message = "is not valid TOML: nested too deeply"
        raise ScaffoldError(message, where="pyproject.toml", fix="mend it at that place") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"is not UTF-8 (at line {line}), as TOML has to be"
        raise ScaffoldError(message, where="pyproject.toml", fix="save it as UTF-8") from error
    except NotReadableError as error:
        message = f"cannot be read: {error.strerror}"
        raise ScaffoldError(
            message, where="pyproject.toml", fix="leave in it what it is for, and move the rest"
        ) from error
    except ValueError:
        message = "is not valid TOML: an integer has too many digits"
        raise ScaffoldError(message, where="pyproject.toml", fix="mend it at that place") from None
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise ScaffoldError(message, where="pyproject.toml", fix="make it readable", exit_code=1) from error
