"""Which records the modules of a plan come from: classes that were modules of their own and are one now, and the other way."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.history.records import DamagedError, Record, Records, record_path
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import described_by


class ClassFiles(Struct, frozen=True):
    """A module of a plan, with the spec that it comes from and the role of each of its files.

    It bears the name of its class, or its own, where it has several. Without a spec it is a module that classes share, or
    the tests of a class of the user's own, which lies in `module`.
    """

    name: str
    stem: str
    spec: str
    roles: Mapping[PurePosixPath, str]
    module: str = ""
    classes: tuple[str, ...] = ()
    """The classes, where it has several."""

    @property
    def names(self) -> tuple[str, ...]:
        """The classes."""
        return self.classes or (self.name,)

    def path(self, role: str) -> PurePosixPath | None:
        """The file with this role."""
        return next((path for path, its_role in self.roles.items() if its_role == role), None)


class Ancestry(Struct, frozen=True, dict=True):
    """The records of the modules of a plan. `renamed` has the former name of a class that has another now."""

    layout: Layout
    classes: Sequence[ClassFiles]
    renamed: Mapping[str, str]
    known: dict[str, Record | str | None]
    """The records that were read."""

    @cached_property
    def records(self) -> Records:
        return Records(self.layout.root)

    def former(self, class_files: ClassFiles) -> Record | str | None:
        """The record that a module continues, or what is to be said of one that was damaged."""
        if class_files.name not in self.known:
            self.known[class_files.name] = self._former(class_files)
        return self.known[class_files.name]

    def record(self, class_files: ClassFiles) -> Record | None:
        """The same, where there is a sound one."""
        former = self.former(class_files)
        return former if isinstance(former, Record) else None

    def before(self, class_files: ClassFiles) -> list[Record]:
        """All records of the classes of a module: the one that it continues, and those that it takes the place of."""
        former = self.record(class_files)
        others = [record for record in self._replaced(class_files) if record != former]
        return [*([former] if former is not None else []), *others]

    def damage(self) -> Iterator[Fault]:
        """The records of classes that are in one module now, which do not say what is to be removed."""
        for name in (name for class_files in self.classes for name in class_files.classes):
            try:
                self.records.find(name)
            except DamagedError as error:
                message = f"is damaged: {error}; it does not say any more what was generated"
                fix = f"bring it back from version control, or remove it with the module of `{name}` and its tests"
                yield Fault(str(record_path(name)), message, fix)

    def _former(self, class_files: ClassFiles) -> Record | str | None:
        name = (
            class_files.name if class_files.classes else self.renamed.get(class_files.name, class_files.name)
        )
        try:
            return self.records.find(name) or self._continued(class_files)
        except DamagedError as error:
            return f"exists, and differs from what would be generated, and {record_path(name)} is damaged: {error}"

    def _continued(self, class_files: ClassFiles) -> Record | None:
        """Of the records that a new module takes the place of, that of the same module, or else the only one."""
        replaced = self._replaced(class_files)
        same = [record for record in replaced if record.module == self.layout.module(class_files.stem)]
        if same or len(replaced) != 1:
            return same[0] if same else None
        others = (other for other in self.classes if other.name != class_files.name)
        return None if any(replaced[0] in self._replaced(other) for other in others) else replaced[0]

    def holding(self, class_files: ClassFiles) -> list[Record]:
        """The records in which classes of a module are, but for that of its own name."""
        former = [self.renamed.get(name, name) for name in class_files.names]
        singles = (self.records.sound(name) for name in former if class_files.classes)
        records = (*singles, *(self.records.units.get(name) for name in former))
        return [
            *dict.fromkeys(
                record for record in records if record is not None and record.name != class_files.name
            )
        ]

    def _replaced(self, class_files: ClassFiles) -> list[Record]:
        """Those of them that have no class any more which is not planned."""
        return [record for record in self.holding(class_files) if self._is_gone(record)]

    def _is_gone(self, record: Record) -> bool:
        if record.name in {class_files.name for class_files in self.classes}:
            return False
        described = described_by(self.layout.root / record.spec)
        return all(name in self._planned or name not in described for name in record.names)

    @cached_property
    def _planned(self) -> set[str]:
        names = {name for class_files in self.classes for name in class_files.names}
        return names | {self.renamed[name] for name in names if name in self.renamed}
