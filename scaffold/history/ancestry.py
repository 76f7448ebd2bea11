"""Link between the modules of a plan and the records that they continue or replace.

Classes may have moved from modules of their own into a shared module, or back.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.history.records import DamagedError, Record, Records, record_path
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import described_by


class ClassFiles(Struct, frozen=True):
    """Module of a plan, with its spec and the role of each file.

    `name` is the name of its class, or its own if it holds several classes. Without a spec, it is a module
    that classes share, or the tests of a user's class in `module`.
    """

    name: str
    stem: str
    spec: str
    roles: Mapping[PurePosixPath, str]
    module: str = ""
    classes: tuple[str, ...] = ()
    """Names of the classes if there are several."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.classes or (self.name,)

    def path(self, role: str) -> PurePosixPath | None:
        """Return the file with this role, or None."""
        return next((path for path, its_role in self.roles.items() if its_role == role), None)


class Ancestry(Struct, frozen=True, dict=True):
    """Records behind the modules of a plan. `renamed` maps a class to its former name."""

    layout: Layout
    classes: Sequence[ClassFiles]
    renamed: Mapping[str, str]
    known: dict[str, Record | str | None]
    """Records read so far, by name of the module."""

    @cached_property
    def records(self) -> Records:
        return Records(self.layout.root)

    def former(self, class_files: ClassFiles) -> Record | str | None:
        """Return the record that a module continues, or the message for a damaged record."""
        if class_files.name not in self.known:
            self.known[class_files.name] = self._former(class_files)
        return self.known[class_files.name]

    def record(self, class_files: ClassFiles) -> Record | None:
        """Return the record that a module continues, or None if it is missing or damaged."""
        former = self.former(class_files)
        return former if isinstance(former, Record) else None

    def before(self, class_files: ClassFiles) -> list[Record]:
        """Return the record that a module continues, followed by the records that it replaces."""
        former = self.record(class_files)
        others = [record for record in self._replaced(class_files) if record != former]
        return [*([former] if former is not None else []), *others]

    def damage(self) -> Iterator[Fault]:
        """Find damaged records of classes that moved into a shared module. Their files cannot be removed."""
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
        """Return the replaced record of the same module, or else the only replaced record.

        If another module of the plan replaces the only record too, the result is None.
        """
        replaced = self._replaced(class_files)
        same = [record for record in replaced if record.module == self.layout.module(class_files.stem)]
        if same or len(replaced) != 1:
            return same[0] if same else None
        others = (other for other in self.classes if other.name != class_files.name)
        return None if any(replaced[0] in self._replaced(other) for other in others) else replaced[0]

    def holding(self, class_files: ClassFiles) -> list[Record]:
        """Return the records, except for the module's own, that list any of its classes."""
        former = [self.renamed.get(name, name) for name in class_files.names]
        singles = (self.records.sound(name) for name in former if class_files.classes)
        records = (*singles, *(self.records.units.get(name) for name in former))
        return [
            *dict.fromkeys(
                record for record in records if record is not None and record.name != class_files.name
            )
        ]

    def _replaced(self, class_files: ClassFiles) -> list[Record]:
        """Return the records of `holding` all of whose classes are planned or gone."""
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
