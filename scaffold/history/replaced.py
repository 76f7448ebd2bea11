"""Steps for files of records that a module replaces, as when classes join a module or leave it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from scaffold.files.fileset import Action, Step
from scaffold.files.texts import Text
from scaffold.history.ancestry import Ancestry, ClassFiles
from scaffold.history.file_steps import FileSteps
from scaffold.history.records import FOLDER, SPEC, TEST, Generated, Record
from scaffold.source.text import listed


class ReplacedSteps(Struct, frozen=True):
    """Steps for former files beside the present files of a module."""

    ancestry: Ancestry
    files: FileSteps

    def of(self, class_files: ClassFiles) -> Iterator[Step]:
        """Yield the removal of former files and records. Edited files become conflicts."""
        former = self.ancestry.record(class_files)
        for record in self.ancestry.before(class_files):
            if record != former:
                yield from (step for file in record.files for step in self._file(file, record, class_files))
                content = self.ancestry.records.content(record.name)
                yield Step(record.path, Action.REMOVE, content, None, folder=FOLDER)

    def notes(self) -> Iterator[str]:
        """Yield a note for each set of classes that changed its module."""
        for class_files in self.ancestry.classes:
            modules = {record.module: record for record in self.ancestry.before(class_files)}
            now = class_files.module or self.ancestry.layout.module(class_files.stem)
            parted = class_files.classes or any(record.classes for record in modules.values())
            for record in (record for module, record in modules.items() if parted and module != now):
                moved = listed(f"`{name}`" for name in record.names if name in class_files.names)
                yield f"{moved}: in the module `{now}` now, not in `{record.module}`"

    def _file(self, file: Generated, record: Record, class_files: ClassFiles) -> Iterator[Step]:
        content = None if file.role == SPEC or file.path in self.files.taken else self.files.read(file.path)
        if content is None:
            return
        text = Text.of(content)
        edited = text is None or text.text != file.text
        if edited and not self.files.force:
            classes = listed(f"`{name}`" for name in record.names if name in class_files.names)
            why = f"was edited since it was generated, and {classes} is in `{class_files.stem}.py` now"
            why = f"{why}: move what is yours there, then delete this file"
            yield Step(file.path, Action.CONFLICT, content, content, why=why)
        else:
            yield Step(file.path, Action.REMOVE, content, None, forced=edited)

    def numbers(self) -> Iterator[Step]:
        """Yield steps that move recorded numbers to the new test file, if it has none."""
        taken: dict[Numbers, set[str]] = {}
        for class_files in self.ancestry.classes:
            new = class_files.path(TEST)
            parts = [*self._parted_numbers(class_files)] if new is not None else []
            text = joined_numbers(parts, new, class_files.names) if new is not None else ""
            if new is not None and text and self.files.read(numbers_of(new)) is None:
                yield Step(numbers_of(new), Action.CREATE, None, text.encode())
                for part in parts:
                    taken.setdefault(part, set()).update(class_files.names)
        gone = {
            test.path
            for class_files in self.ancestry.classes
            for record in self.ancestry.before(class_files)
            if (test := record.of(TEST)) is not None
        }
        # What is not planned may be about other classes still.
        planned = (part for part in taken if part.test in gone | self.files.taken)
        yield from (self._rest(part, taken[part]) for part in planned)

    def _parted_numbers(self, class_files: ClassFiles) -> Iterator["Numbers"]:
        """Yield the numbers in other test files that cover classes of the module."""
        before, holding = self.ancestry.before(class_files), self.ancestry.holding(class_files)
        for record in dict.fromkeys((*before, *holding)):
            test = record.of(TEST)
            content = self.files.read(numbers_of(test.path)) if test is not None else None
            if test is not None and test.path != class_files.path(TEST) and content is not None:
                text = content.decode("utf-8", "replace")
                yield Numbers(test.path, text, (*_names_now(record, class_files).items(),))

    def _rest(self, part: "Numbers", taken: Iterable[str]) -> Step:
        """Return the step that removes the taken numbers from a test file."""
        there = [
            name for each in self.ancestry.classes if each.path(TEST) == part.test for name in each.names
        ]
        rest = joined_numbers([part], part.test, [name for name in there if name not in taken])
        path = numbers_of(part.test)
        action = Action.UPDATE if rest else Action.REMOVE
        return Step(path, action, self.files.read(path), rest.encode() or None)


def _names_now(record: Record, class_files: ClassFiles) -> dict[str, str]:
    """Map the classes of a record to their present names. Only a class alone can have been renamed."""
    if len(record.names) == len(class_files.names) == 1:
        return {record.names[0]: class_files.names[0]}
    return {name: name for name in record.names}


class Numbers(Struct, frozen=True):
    """Numbers that the laws recorded for the tests of a module."""

    test: PurePosixPath
    text: str
    classes: tuple[tuple[str, str], ...]
    """Pairs of the recorded and the present name of each class."""

    def head(self, test: PurePosixPath) -> str:
        """Return the lines above the sections, adapted to another test file."""
        return self.text.partition("\n[")[0].replace(self.test.name, test.name).rstrip()

    def sections(self, classes: Iterable[str]) -> Iterator[str]:
        """Yield the sections of these classes, renamed. A section begins with `Test` and the class's name."""
        for section in self.text.split("\n[")[1:]:
            owner = max((n for n, _ in self.classes if section.startswith(f"Test{n}")), key=len, default="")
            now = dict(self.classes).get(owner)
            if now is not None and now in classes:
                yield f"[Test{now}{section.removeprefix(f'Test{owner}').rstrip()}"


def numbers_of(test: PurePosixPath) -> PurePosixPath:
    """Return the file in which the laws keep the numbers of a test file."""
    return test.parent / "numbers" / f"{test.stem.removeprefix('test_')}.txt"


def joined_numbers(parts: Sequence[Numbers], test: PurePosixPath, classes: Sequence[str]) -> str:
    """Join the numbers of these classes for a test file.

    If the parts differ in dtype or format, the result is empty.
    """
    heads = {part.head(test) for part in parts}
    sections = [section for part in parts for section in part.sections(classes)]
    return "\n\n".join([*heads, *sections]) + "\n" if len(heads) == 1 and sections else ""
