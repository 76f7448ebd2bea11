"""Where things go in the user's project: the root, the package, the folders for tests and specs.

Found by looking, without a question; `[tool.scaffold]` in pyproject.toml settles what looking cannot.
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
from scaffold.in_project.pytest_config import PytestConfig, find_pytest_config, tests_folder
from scaffold.in_project.settings import STYLES, Settings

__all__ = ["STYLES", "Layout", "Settings", "find_layout"]

_HERE = PurePosixPath(".")
_NOTHING: Mapping[str, object] = {}


class Layout(Struct, frozen=True, dict=True):
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
    document: Mapping[str, object] = field(default_factory=dict[str, object])
    """What pyproject.toml says."""
    pytest: PytestConfig = PytestConfig(Path())
    laws: str = "wheel"
    """Where the tests have the laws from, one of `choices.LAWS`."""

    @cached_property
    def real_root(self) -> Path:
        """The root without symbolic links."""
        return Path(os.path.realpath(self.root))

    @cached_property
    def importable(self) -> frozenset[str]:
        """The modules and folders that lie where imports begin."""
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
        """The import name of the generated module `stem`."""
        return f"{self.package}.{stem}" if self.package else stem

    def source_file(self, stem: str) -> PurePosixPath:
        """The module itself."""
        return self.source / f"{stem}.py"

    def test_file(self, stem: str) -> PurePosixPath:
        """The tests of the module."""
        return self.tests / self.pytest.test_name(stem)

    def spec_file(self, stem: str) -> PurePosixPath:
        """The spec the module is generated from."""
        return self.specs / f"{stem}.toml"

    @property
    def law_files(self) -> LawFiles:
        """The laws that lie beside the tests."""
        return LawFiles(self.real_root, self.tests, self.document)

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
