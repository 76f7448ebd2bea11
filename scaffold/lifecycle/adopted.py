"""Tests of users' own classes that `scaffold adopt` wrote, known from their records alone."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

from msgspec import Struct

from scaffold.history.ancestry import ClassFiles
from scaffold.history.records import (
    ADOPTED,
    TEST,
    DamagedError,
    Generated,
    Record,
    Records,
    adopted_key,
    record_path,
)
from scaffold.in_project.layout import Layout


def is_adopted(record: Record) -> bool:
    """Whether a record only covers the tests of a user's class."""
    return record.name.startswith(ADOPTED)


def class_of(record: Record) -> str:
    """Return the name of the adopted class in its module."""
    return record.name.removeprefix(ADOPTED).removeprefix(f"{record.module}.")


def classes_of(record: Record) -> tuple[str, ...]:
    """Return the names of the generated or adopted classes in their module."""
    return (class_of(record),) if is_adopted(record) else record.names


def target_of(record: Record) -> str:
    """Return the adopted class as a target of `scaffold adopt`."""
    return f"{record.module}:{class_of(record)}"


def stem_of(path: PurePosixPath) -> str:
    """Return the name of a test file without its prefix `test_` or suffix `_test`."""
    return path.stem.removeprefix("test_").removesuffix("_test")


def adopted_files(module: str, name: str, path: PurePosixPath) -> ClassFiles:
    """Return the generated files of an adopted class: its tests."""
    return ClassFiles(adopted_key(module, name), module.rpartition(".")[2], "", {path: TEST}, module)


class AdoptedTests(Struct, frozen=True, dict=True):
    """Adopted classes of a project, read from their records."""

    layout: Layout

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """Sound records."""
        records = Records(self.layout.root)
        candidates = (records.sound(name) for name in records.adopted())
        return tuple(record for record in candidates if record is not None)

    @property
    def is_any(self) -> bool:
        """Whether there is a record, sound or damaged."""
        return bool(Records(self.layout.root).adopted())

    def damaged(self) -> Iterator[tuple[PurePosixPath, str]]:
        """Yield the path of each damaged record with the reason."""
        records = Records(self.layout.root)
        for name in records.adopted():
            try:
                records.find(name)
            except DamagedError as error:
                yield record_path(name), f"is damaged: {error}"

    def called(self, name: str) -> tuple[Record, ...]:
        """Return the records of the class `name`, or `module:name`."""
        return tuple(record for record in self.records if name in (class_of(record), target_of(record)))

    def beside(self, generated: Iterable[Record]) -> Iterator[tuple[Record, Generated]]:
        """Yield recorded tests, except at paths that belong to a generated class."""
        taken = {file.path for record in generated for file in record.files}
        tests = ((record, record.of(TEST)) for record in self.records)
        yield from ((record, test) for record, test in tests if test is not None and test.path not in taken)

    def path(self, test: Generated) -> PurePosixPath:
        """Return the present path of a test."""
        return self.layout.test_file(stem_of(test.path))


def stems_by_class(records: Iterable[Record]) -> Mapping[tuple[str, str], str]:
    """Map module and class to the stem of the test file."""
    tests = ((record, record.of(TEST)) for record in records)
    return {
        (record.module, name): stem_of(test.path)
        for record, test in tests
        if test is not None
        for name in classes_of(record)
    }
