"""Check that pytest in this project can import what generated tests need, and the conftest lines that help.

Nothing is imported. The path is built as pytest builds it, and searched by Python's own finder.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path, PurePosixPath

from msgspec import Struct

from scaffold.files.fileset import Edit, File
from scaffold.files.places import read_regular
from scaffold.history.records import MODULE, SHARED, Records
from scaffold.in_project.conftest import (
    WHEEL_PATTERN,
    folders_on_path,
    path_line,
    wheel_line,
    with_path_lines,
)
from scaffold.in_project.hidden_names import hides_a_module
from scaffold.in_project.law_files import WHEEL
from scaffold.in_project.layout import Layout
from scaffold.law_wheel import PACKAGE, is_law_wheel

_HOOK = """
from pytree_laws.plugin import pytest_addoption

__all__ = ["pytest_addoption"]
"""
"""Lines that register the options of the laws with pytest, since no plugin is installed."""
_HERE = PurePosixPath(".")
_DOC = '"""Puts what the generated tests import within reach."""\n'
_READ_AT_MOST = 2000
"""Limit of test files to read. In a larger tree, the first files tell enough."""


class Reach(Struct, frozen=True):
    """Statements that put missing imports on the path, and the conftest that takes them.

    `alone` says that all tests are generated.
    """

    conftest: PurePosixPath
    exists: bool
    lines: tuple[str, ...]
    alone: bool
    ours: bool = False
    """Whether the conftest comes from the templates, which therefore update it."""
    has_hook: bool = False
    """Whether a new conftest registers the options of the laws with pytest."""

    def adapted(self, files: Iterable[File | Edit], layout: Layout) -> Iterator[File | Edit]:
        """Yield the files, with only the conftest that this project needs."""
        for file in files:
            if file.path.name != "conftest.py" or self.ours or (self.alone and not self.exists):
                yield file
        if self.lines and (self.exists or not self.alone):
            yield self._change(layout)

    def _change(self, layout: Layout) -> File | Edit:
        place, where = layout.root / self.conftest, self.conftest.as_posix()
        if self.exists:
            return Edit(self.conftest, partial(_edited, self.lines, place, where))
        imports = "import sys\nfrom pathlib import Path\n"
        lines = "".join(f"{line}\n" for line in self.lines)
        hook = _HOOK if self.has_hook else ""
        return File(self.conftest, f"{_DOC}\n{imports}\n{lines}{hook}", keep=True)

    def notes(self) -> Iterator[str]:
        """Yield a note if the conftest of a project with other tests changes."""
        if self.lines and (self.exists or not self.alone):
            yield f"{self.conftest}: puts what the tests import on the path: {'; '.join(self.lines)}"


def _edited(lines: tuple[str, ...], place: Path, where: str, source: bytes) -> bytes:
    return with_path_lines(source, lines, place, where)


def find_reach(layout: Layout) -> Reach:
    """Find which imports of the tests pytest would miss in this project.

    Raises `ScaffoldError` if a conftest that pytest loads is invalid Python.
    """
    tests = layout.root / layout.tests
    others = list(_other_tests(layout))
    path = _path(layout)
    lacks_laws = _needs_wheel(layout) and not any(_is_wheel_beside(tests, place) for place in path)
    lacks_source = not (
        _finds(path, _top(layout), layout.root / layout.import_root) or _imported(layout, others)
    )
    conftest = _conftest(layout, others)
    root_line = path_line(layout.import_root, conftest, first=_goes_first(layout, layout.import_root))
    lines = [*[root_line] * lacks_source, *[wheel_line(layout.tests, conftest)] * lacks_laws]
    exists = os.path.lexists(layout.root / conftest)
    is_ours = exists and _is_ours(layout, conftest)
    return Reach(conftest, exists, tuple(lines), not others, is_ours, has_hook=lacks_laws)


def _is_ours(layout: Layout, conftest: PurePosixPath) -> bool:
    """Whether the record says that the template wrote the conftest, even if it was edited since."""
    record = Records(layout.root).sound(f"{SHARED}conftest")
    whole = record.of(MODULE) if record is not None else None
    return whole is not None and whole.path == conftest and not whole.text.startswith(_DOC)


def _needs_wheel(layout: Layout) -> bool:
    """Whether the tests import the laws from the wheel beside them, which nothing installs."""
    return layout.laws == WHEEL and not layout.law_files.is_source_of_uv


def _is_wheel_beside(tests: Path, place: Path) -> bool:
    """Whether a place on the path is a wheel of the laws beside the tests, or a glob for it."""
    is_wheel = place.name == WHEEL_PATTERN or is_law_wheel(place.name)
    return is_wheel and place.parent == Path(os.path.realpath(tests))


def _top(layout: Layout) -> str:
    """Return the top-level module under the import root, or an empty text for a loose folder."""
    return (layout.package or "").partition(".")[0]


# -- the path, as pytest puts it together ------------------------------------------------------------------------------


def _path(layout: Layout) -> list[Path]:
    """Return the path on which pytest imports a test in the folder of tests."""
    config = layout.pytest
    said = [config.folder / folder for folder in config.pythonpath]
    conftests = [*_conftests(layout)]
    written = [folder for file in conftests for folder in folders_on_path(read_regular(file), file)]
    if config.import_mode == "importlib":
        return _real([*written, *said])
    tests = layout.root / layout.tests
    implied = [_base(folder) for folder in (tests, *(file.parent for file in conftests))]
    return _real(
        [*implied, *written, *said] if config.import_mode == "prepend" else [*written, *said, *implied]
    )


def _real(folders: Iterable[Path]) -> list[Path]:
    return [Path(os.path.realpath(folder)) for folder in folders]


def _conftests(layout: Layout) -> Iterator[Path]:
    """Yield the conftests that pytest loads for the folder of tests, the nearest first."""
    folder = layout.root / layout.tests
    for above in (folder, *folder.parents):
        if (above / "conftest.py").is_file():
            yield above / "conftest.py"
        if above == layout.root:
            return


def _base(folder: Path) -> Path:
    """Return the innermost folder above `folder` that is no package, which pytest puts on the path."""
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _finds(path: Iterable[Path], name: str, wanted: Path) -> bool:
    """Whether the first module `name` on the path lies in `wanted`, or would if written there."""
    wanted = Path(os.path.realpath(wanted))
    for folder in path:
        if folder == wanted:
            return True
        module_spec = PathFinder.find_spec(name, [str(folder)]) if name else None
        if module_spec is not None and module_spec.loader is not None:
            return False
    return False


# -- the tests that are there ------------------------------------------------------------------------------------------


def _other_tests(layout: Layout) -> Iterator[str]:
    """Yield the texts of tests that the tool did not write."""
    folders = [layout.tests, *map(PurePosixPath, layout.pytest.testpaths)]
    names = (path for folder in dict.fromkeys(folders) for path in _python_files(layout.root / folder))
    for _, path in zip(range(_READ_AT_MOST), names, strict=False):
        try:
            text = read_regular(path).decode("utf-8", "replace")
        except OSError:
            continue
        if layout.pytest.collects(path.name) and not re.search(rf"^from {PACKAGE}\b", text, re.MULTILINE):
            yield text


def _python_files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != PACKAGE)
        yield from (Path(place, name) for name in sorted(names) if name.endswith(".py"))


def _imported(layout: Layout, tests: Iterable[str]) -> bool:
    """Whether present tests already import the package, so that something puts it on the path."""
    pattern = re.compile(rf"^\s*(?:from|import) {re.escape(_top(layout))}\b", re.MULTILINE)
    return bool(_top(layout)) and any(map(pattern.search, tests))


def _conftest(layout: Layout, tests: Iterable[str]) -> PurePosixPath:
    """Return the conftest to write: beside the tests, unless a test imports `conftest` from a folder above.

    A second `conftest` would replace the first for such an import, as both have the same module name.
    """
    conftest = layout.tests / "conftest.py"
    above = (folder / "conftest.py" for folder in layout.tests.parents)
    used = re.compile(r"^\s*(?:from|import) conftest\b", re.MULTILINE)
    if not (layout.root / conftest).is_file() and any(map(used.search, tests)):
        return next((path for path in above if (layout.root / path).is_file()), conftest)
    return conftest


def _goes_first(layout: Layout, folder: PurePosixPath) -> bool:
    """Whether a folder may come first on the path without hiding installed modules from other tests."""
    if folder == layout.import_root and layout.package is not None:
        return False
    return not hides_a_module(layout.root / folder)
