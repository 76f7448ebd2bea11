"""Files that nothing imports once classes are removed: shared modules, the laws and the conftest."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct

from scaffold.files.fileset import Action, Step
from scaffold.files.places import read_below, read_regular
from scaffold.files.texts import Text
from scaffold.history.records import AFTER, BEFORE, FOLDER, Record, Records, record_path
from scaffold.history.states import merge_python
from scaffold.in_project.conftest import OPTIONS_IMPORT
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import spec_files
from scaffold.law_wheel import PACKAGE

_CONFTEST = "conftest"
_READ_AT_MOST = 20_000


def leftovers(layout: Layout, steps: Mapping[PurePosixPath, Step]) -> dict[PurePosixPath, Step]:
    """Return the steps that remove unneeded files after `steps`."""
    remains = _Leftovers(layout, dict(steps))
    return {step.path: step for step in remains.steps()}


class _Leftovers(Struct, frozen=True, dict=True):
    layout: Layout
    planned: dict[PurePosixPath, Step]

    def steps(self) -> Iterator[Step]:
        yield from self._shared()
        if self._needs_tests:
            return
        yield from self.layout.law_files.removal()
        if self._own_conftest is not None:
            yield self._own_conftest
        yield from self._schema()

    def _read(self, path: PurePosixPath) -> bytes | None:
        return read_below(self.layout.real_root, path)

    # -- modules that classes share ------------------------------------------------------------------------------------

    def _shared(self) -> Iterator[Step]:
        """Yield removals of shared modules that nothing imports, until none is left."""
        gone: set[PurePosixPath] = set()
        left = {name: record for name, record in self._shared_records()}
        while unneeded := [name for name, record in left.items() if not self._is_needed(record, gone)]:
            for name in unneeded:
                record = left.pop(name)
                gone |= {file.path for file in record.files}
                yield from self._removed(name, record)

    def _shared_records(self) -> Iterator[tuple[str, Record]]:
        records = Records(self.layout.root)
        for name in records.shared():
            if (record := records.sound(name)) is not None:
                yield name, record

    def _is_needed(self, record: Record, gone: set[PurePosixPath]) -> bool:
        if record.stem == _CONFTEST:
            return self._needs_tests
        imports = _importing(record.module)
        own_paths = {file.path for file in record.files}
        return any(imports.search(text) for path, text in self._texts.items() if path not in gone | own_paths)

    def _removed(self, name: str, record: Record) -> Iterator[Step]:
        """Yield the removal of a module and its record, unless a user has edited the module."""
        if record.of(BEFORE) is not None:
            yield from self._undone(name, record)
            return
        for file in record.files:
            content = self._read(file.path)
            text = Text.of(content) if content is not None else None
            if content is not None and (text is None or text.text != file.text):
                return
            if content is not None:
                yield Step(file.path, Action.REMOVE, content, None)
        path = record_path(name)
        yield Step(path, Action.REMOVE, self._read(path), None, folder=FOLDER)

    # -- what the tests of all classes share ---------------------------------------------------------------------------

    @cached_property
    def _needs_tests(self) -> bool:
        """Whether any remaining test uses the laws."""
        imports = _importing(PACKAGE)
        conftest = self._own_conftest.path if self._own_conftest is not None else None
        others = (text for path, text in self._texts.items() if path != conftest)
        return any(imports.search(text.replace(OPTIONS_IMPORT, "")) for text in others)

    @cached_property
    def _texts(self) -> dict[PurePosixPath, str]:
        return staying_python(self.layout, self.planned)

    def _undone(self, name: str, record: Record) -> Iterator[Step]:
        """Yield the step that undoes the tool's edit of a user's file, and keeps later edits."""
        before, after = record.of(BEFORE), record.of(AFTER)
        content = self._read(before.path) if before is not None else None
        mine = Text.of(content) if content is not None else None
        if before is None or after is None or mine is None:
            return
        merged = merge_python(after.text, mine.text, before.text)
        if not merged.collisions:
            yield Step(before.path, Action.UPDATE, content, mine.with_text(merged.text))
            path = record_path(name)
            yield Step(path, Action.REMOVE, self._read(path), None, folder=FOLDER)

    @cached_property
    def _own_conftest(self) -> Step | None:
        """Removal of the conftest that the tool wrote, unless a user has edited it."""
        from scaffold.generate import tidy_conftest

        file = tidy_conftest(self.layout)
        content = self._read(file.path)
        is_own = content is not None and content.replace(b"\r\n", b"\n") == file.content
        return Step(file.path, Action.REMOVE, content, None) if is_own else None

    def _schema(self) -> Iterator[Step]:
        from scaffold.generate import SCHEMA_NAME, schema_text

        specs = [
            path.relative_to(self.layout.root) for path in spec_files(self.layout.root / self.layout.specs)
        ]
        if any(PurePosixPath(path.as_posix()) not in self.planned for path in specs):
            return
        path = self.layout.specs / SCHEMA_NAME
        if (content := self._read(path)) == schema_text().encode():
            yield Step(path, Action.REMOVE, content, None)


def staying_python(layout: Layout, steps: Mapping[PurePosixPath, Step]) -> dict[PurePosixPath, str]:
    """Return the project's Python files after `steps`, by path."""
    texts = dict(_python(layout.real_root, layout.law_files.folder))
    for path in texts.keys() & steps.keys():
        after = steps[path].after
        if after is None and steps[path].action is not Action.KEEP:
            del texts[path]
        elif after is not None:
            texts[path] = after.decode("utf-8", "replace")
    return texts


def _importing(module: str) -> re.Pattern[str]:
    """Return a pattern for statements that import the module, by its full name or relatively."""
    package, _, stem = module.rpartition(".")
    stem = re.escape(stem)
    named = [
        rf"(?:from|import)\s+{re.escape(module)}\b",
        rf"from\s+\.+{stem}\b",
        rf"from\s+\.+\s+import\s.*\b{stem}\b",
    ]
    named += [rf"from\s+{re.escape(package)}\s+import\s.*\b{stem}\b"] if package else []
    return re.compile(rf"^\s*(?:{'|'.join(named)})", re.MULTILINE)


def _python(root: Path, laws: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the Python files below the root, without hidden folders, environments and copied laws."""
    for number, path in enumerate(_python_paths(root, laws)):
        if number >= _READ_AT_MOST:
            return
        try:
            yield (
                PurePosixPath(path.relative_to(root).as_posix()),
                read_regular(path).decode("utf-8", "replace"),
            )
        except OSError:
            continue


def _python_paths(root: Path, laws: PurePosixPath) -> Iterator[Path]:
    left_out = {root / laws}
    for place, folders, names in os.walk(root):
        here = Path(place)
        folders[:] = sorted(name for name in folders if _is_source(here / name, left_out))
        yield from (here / name for name in sorted(names) if name.endswith(".py"))


def _is_source(folder: Path, left_out: Iterable[Path]) -> bool:
    hidden = folder.name.startswith(".") or folder.name == "__pycache__"
    return not hidden and folder not in left_out and not (folder / "pyvenv.cfg").is_file()
