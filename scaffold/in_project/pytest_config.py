"""Configuration of pytest in a project: its file, and its settings of paths and names."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import cast

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.places import read_regular
from scaffold.in_project.packages import table

IMPORT_MODES = ("prepend", "append", "importlib")


class PytestConfig(Struct, frozen=True):
    """Configuration that pytest uses in a project, with pytest's defaults.

    `folder` holds the configuration file `file`, or is the root if there is none. `pythonpath` and
    `testpaths` are relative to `folder`.
    """

    folder: Path
    file: str = ""
    import_mode: str = "prepend"
    pythonpath: tuple[str, ...] = ()
    testpaths: tuple[str, ...] = ()
    python_files: tuple[str, ...] = ("test_*.py", "*_test.py")
    python_classes: tuple[str, ...] = ("Test",)
    python_functions: tuple[str, ...] = ("test",)
    checked_types: str = ""
    """Value of `--jaxtyping-packages`: packages whose annotations are checked, and the checker."""

    def test_name(self, stem: str) -> str:
        """Return a file name for the tests of `stem` that pytest collects."""
        usual = f"test_{stem}.py"
        if any(fnmatch(usual, pattern) for pattern in self.python_files):
            return usual
        fitting = (pattern for pattern in self.python_files if pattern.count("*") == 1 and "/" not in pattern)
        pattern = next(fitting, None)
        return usual if pattern is None else pattern.replace("*", stem)

    def collects(self, name: str) -> bool:
        """Whether pytest collects a file of this name."""
        return any(fnmatch(name, pattern) for pattern in self.python_files)

    def blind_spots(self, cls: str, method: str) -> Iterator[str]:
        """Yield the settings that hide a method or its class from pytest."""
        if not _is_named(cls, self.python_classes):
            yield "python_classes"
        if not _is_named(method, self.python_functions):
            yield "python_functions"


def _is_named(name: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches the name, as a prefix or as a glob."""
    return any(
        name.startswith(pattern) or (any(sign in pattern for sign in "*?[") and fnmatch(name, pattern))
        for pattern in patterns
    )


def find_pytest_config(root: Path, document: Mapping[str, object]) -> PytestConfig:
    """Return the configuration of pytest in `root`, from the nearest file upwards.

    `document` is the `pyproject.toml` of `root`. Raises `ScaffoldError` if a file cannot be read.
    """
    for folder in upwards(root):
        for name, read in _FILES:
            if (folder / name).is_file():
                pyproject = document if folder == root and name == "pyproject.toml" else None
                settings = read(folder / name, pyproject)
                if settings is not None:
                    return _config(folder, name, settings)
    return PytestConfig(root)


def upwards(root: Path) -> Iterator[Path]:
    """Yield the folder and its parents, up to its checkout or the user's home."""
    home = os.path.expanduser("~")
    for folder in (root, *root.parents):
        yield folder
        if os.path.exists(folder / ".git") or str(folder) == home:
            return


def _config(folder: Path, name: str, options: Mapping[str, object]) -> PytestConfig:
    default, added = PytestConfig(folder), _words(options.get("addopts"))
    modes = [mode for mode in _values_of("--import-mode", added) if mode in IMPORT_MODES]
    return PytestConfig(
        folder,
        name,
        modes[-1] if modes else default.import_mode,
        _words(options.get("pythonpath")),
        _words(options.get("testpaths")),
        _words(options.get("python_files")) or default.python_files,
        _words(options.get("python_classes")) or default.python_classes,
        _words(options.get("python_functions")) or default.python_functions,
        ["", *_values_of("--jaxtyping-packages", added)][-1],
    )


def _words(value: object) -> tuple[str, ...]:
    """Return the strings of a list, or split a string as a shell does."""
    if isinstance(value, list):
        return tuple(word for word in cast("list[object]", value) if isinstance(word, str))
    try:
        return tuple(shlex.split(value)) if isinstance(value, str) else ()
    except ValueError:
        return tuple(value.split()) if isinstance(value, str) else ()


def _values_of(option: str, words: Sequence[str]) -> list[str]:
    """Return the values of an option, given as `--option=value` or `--option value`."""
    pairs = zip(words, [*words, ""][1:], strict=True)
    return [
        word.partition("=")[2] if "=" in word else after
        for word, after in pairs
        if word.partition("=")[0] == option
    ]


# -- the files, first come first served --------------------------------------------------------------------------------


def _read_toml(path: Path) -> Mapping[str, object]:
    import tomllib  # here, because a loose folder does without

    try:
        return tomllib.loads(read_regular(path).decode())
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, error) from error


def _read_ini(path: Path, section: str) -> Mapping[str, object] | None:
    from configparser import ConfigParser, Error  # here, because most projects have none

    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(read_regular(path).decode())
    except (OSError, ValueError, Error) as error:
        raise _unreadable(path, error) from error
    return dict(parser[section]) if parser.has_section(section) else None


def _unreadable(path: Path, error: Exception) -> ScaffoldError:
    message = f"cannot be read, though pytest is configured there: {str(error).splitlines()[0]}"
    return ScaffoldError(message, where=path.name, fix="mend it; pytest would stop at it too")


_Reader = Callable[[Path, Mapping[str, object] | None], Mapping[str, object] | None]


def _pytest_toml(path: Path, document: Mapping[str, object] | None) -> Mapping[str, object] | None:
    return table(_read_toml(path), "pytest")


def _pyproject(path: Path, document: Mapping[str, object] | None) -> Mapping[str, object] | None:
    document = _read_toml(path) if document is None else document
    return table(document, "tool", "pytest", "ini_options") or table(document, "tool", "pytest") or None


def _pytest_ini(path: Path, document: Mapping[str, object] | None) -> Mapping[str, object] | None:
    return _read_ini(path, "pytest") or {}  # configures pytest even where it is empty


def _tox_ini(path: Path, document: Mapping[str, object] | None) -> Mapping[str, object] | None:
    return _read_ini(path, "pytest")


def _setup_cfg(path: Path, document: Mapping[str, object] | None) -> Mapping[str, object] | None:
    return _read_ini(path, "tool:pytest")


_FILES: tuple[tuple[str, _Reader], ...] = (
    ("pytest.toml", _pytest_toml),
    (".pytest.toml", _pytest_toml),
    ("pytest.ini", _pytest_ini),
    (".pytest.ini", _pytest_ini),
    ("pyproject.toml", _pyproject),
    ("tox.ini", _tox_ini),
    ("setup.cfg", _setup_cfg),
)


# -- the folder of the tests -------------------------------------------------------------------------------------------


def tests_folder(
    root: Path, config: PytestConfig, source: PurePosixPath, package: str | None
) -> PurePosixPath:
    """Return the folder for tests where no setting names it: from `testpaths`, or where tests lie already."""
    usual = PurePosixPath("tests")
    inside = [PurePosixPath(os.path.relpath(config.folder / path, root)) for path in config.testpaths]
    folders = [path for path in inside if ".." not in path.parts and path.parts and (root / path).is_dir()]
    if folders:
        return next((path for path in folders if usual == path), folders[0])
    beside = [PurePosixPath("test"), *([source / "tests", source / "test"] if package else [])]
    if not (root / usual).is_dir():
        return next((path for path in beside if _has_tests(root / path, config)), usual)
    return usual


def _has_tests(folder: Path, config: PytestConfig) -> bool:
    return folder.is_dir() and any(map(config.collects, os.listdir(folder)))
