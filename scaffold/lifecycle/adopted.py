"""The tests of classes that are the user's own: what `scaffold adopt` wrote, which is known without a look at the class."""

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
    """Whether a record is about tests alone."""
    return record.name.startswith(ADOPTED)


def class_of(record: Record) -> str:
    """The name of the class in its module."""
    return record.name.removeprefix(ADOPTED).removeprefix(f"{record.module}.")


def classes_of(record: Record) -> tuple[str, ...]:
    """The names of the classes in their module, which was generated or adopted."""
    return (class_of(record),) if is_adopted(record) else record.names


def target_of(record: Record) -> str:
    """The class, as `scaffold adopt` is told it."""
    return f"{record.module}:{class_of(record)}"


def stem_of(path: PurePosixPath) -> str:
    """The name of a test file without what makes it one."""
    return path.stem.removeprefix("test_").removesuffix("_test")


def adopted_files(module: str, name: str, path: PurePosixPath) -> ClassFiles:
    """What is ours of such a class."""
    return ClassFiles(adopted_key(module, name), module.rpartition(".")[2], "", {path: TEST}, module)


class AdoptedTests(Struct, frozen=True, dict=True):
    """The adopted classes of a project, by their records."""

    layout: Layout

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records that can be read."""
        records = Records(self.layout.root)
        candidates = (records.sound(name) for name in records.adopted())
        return tuple(record for record in candidates if record is not None)

    @property
    def is_any(self) -> bool:
        """Whether there is a record, also one that cannot be read."""
        return bool(Records(self.layout.root).adopted())

    def damaged(self) -> Iterator[tuple[PurePosixPath, str]]:
        """Those that cannot, and why."""
        records = Records(self.layout.root)
        for name in records.adopted():
            try:
                records.find(name)
            except DamagedError as error:
                yield record_path(name), f"is damaged: {error}"

    def called(self, name: str) -> tuple[Record, ...]:
        """The records of the classes with a name: that of the class, or with its module before a colon."""
        return tuple(record for record in self.records if name in (class_of(record), target_of(record)))

    def beside(self, generated: Iterable[Record]) -> Iterator[tuple[Record, Generated]]:
        """The tests as they were written last, but for those in whose place a generated class has its own."""
        taken = {file.path for record in generated for file in record.files}
        tests = ((record, record.of(TEST)) for record in self.records)
        yield from ((record, test) for record, test in tests if test is not None and test.path not in taken)

    def path(self, test: Generated) -> PurePosixPath:
        """Where a test belongs now."""
        return self.layout.test_file(stem_of(test.path))


def stems_by_class(records: Iterable[Record]) -> Mapping[tuple[str, str], str]:
    """The names of the test files that there are, by module and class."""
    tests = ((record, record.of(TEST)) for record in records)
    return {
        (record.module, name): stem_of(test.path)
        for record, test in tests
        if test is not None
        for name in classes_of(record)
    }
