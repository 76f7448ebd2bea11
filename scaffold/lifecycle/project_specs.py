"""Specs of a project, the classes that they describe, and renames of classes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.history.records import FOLDER, Record, Records
from scaffold.in_project.layout import Layout
from scaffold.in_project.packages import table
from scaffold.in_project.spec_files import described_by, spec_files
from scaffold.lifecycle.adopted import AdoptedTests, target_of
from scaffold.spec import ModuleSpec
from scaffold.spec.files import read_spec_files


class ProjectSpecs(Struct, frozen=True, dict=True):
    """All specs in the project's folder, and recorded specs elsewhere."""

    layout: Layout

    @cached_property
    def records(self) -> dict[str, Record]:
        """Sound records by name."""
        records = Records(self.layout.root)
        records_by_name = {name: records.sound(name) for name in records.names()}
        return {name: record for name, record in records_by_name.items() if record is not None}

    @cached_property
    def by_class(self) -> dict[str, Record]:
        """Sound records by class."""
        return {name: record for record in self.records.values() for name in record.names}

    @cached_property
    def adopted(self) -> AdoptedTests:
        """Tests of users' own classes, which have no spec."""
        return AdoptedTests(self.layout)

    @cached_property
    def described(self) -> dict[str, tuple[str, ...]]:
        """Classes that each file describes, by its path from the root."""
        usual = [self.shown(path) for path in spec_files(self.layout.root / self.layout.specs)]
        more = sorted({record.spec for record in self.records.values()} - {*usual})
        there = [path for path in (*usual, *more) if (self.layout.root / path).is_file()]
        return {path: described_by(self.layout.root / path) for path in there}

    def shown(self, path: Path) -> str:
        """Return the path relative to the root."""
        return path.relative_to(self.layout.root).as_posix() if path.is_absolute() else path.as_posix()

    @cached_property
    def classes(self) -> dict[str, str]:
        """File of each class. Raises `ScaffoldError` for a class in two files."""
        paths_by_class: dict[str, str] = {}
        faults: list[Fault] = []
        for path, names in self.described.items():
            for name in names:
                if paths_by_class.setdefault(name, path) != path:
                    message = f"describes `{name}`, as {paths_by_class[name]} does"
                    faults.append(
                        Fault(path, message, "remove one of the two, or give one class another name")
                    )
        if faults:
            raise ScaffoldError.of(faults)
        return paths_by_class

    def specs(self, names: Sequence[str]) -> tuple[ModuleSpec, ...]:
        """Read the specs of these classes and of their modules, or all specs if `names` is empty.

        Raises a single `ScaffoldError` for all faults.
        """
        unknown = [name for name in names if name not in {**self.units, **self.classes}]
        if unknown:
            raise ScaffoldError.of(self._unknown(name) for name in unknown)
        wanted = self._files_of(names) if names else {*self._files_of_specs()}
        return read_spec_files([self.layout.root / path for path in sorted(wanted)], self.shown)

    @cached_property
    def units(self) -> dict[str, str]:
        """Skeletons with several classes, by name of the module."""
        return {Path(path).stem: path for path, names in self.described.items() if len(names) > 1}

    def _files_of(self, names: Iterable[str]) -> set[str]:
        """Return the files of these classes and modules, and of classes that shared a module with them."""
        files = {self.classes.get(name) or self.units[name] for name in names}
        while more := {*self._parted_from(files)} - files:
            files |= more
        return files

    def _parted_from(self, files: Iterable[str]) -> Iterator[str]:
        for name in (name for path in files for name in self.described[path]):
            beside = self.by_class[name].names if name in self.by_class else ()
            yield from (self.classes[class_name] for class_name in beside if class_name in self.classes)

    def _files_of_specs(self) -> Iterator[str]:
        """Yield the files that hold specs. A TOML file without a class counts, as a faulty spec."""
        yield from (path for path, names in self.described.items() if names or path.endswith(".toml"))

    def _unknown(self, name: str) -> Fault:
        legal = tuple(sorted(self.classes))
        if name in self.by_class:
            spec = self.by_class[name].spec
            message = f"no spec describes `{name}` any more; it was {spec}"
            return Fault("NAME", message, f"`scaffold destroy {name}`, or bring its spec back", legal)
        if adopted := self.adopted.called(name):
            message = "is adopted: what its tests are to say is only known by looking at the class"
            return Fault(name, message, f"`scaffold adopt {target_of(adopted[0])}`")
        message = f"there is no spec of `{name}` in {self.layout.specs}/"
        return Fault("NAME", message, suggestion(name, legal, "write the name of a class"), legal)

    def check_any(self) -> None:
        """Raise `ScaffoldError` if nothing is generated here, because the folder may be wrong."""
        is_set_up = "scaffold" in table(self.layout.document, "tool")
        if is_set_up or self.described or Records(self.layout.root).names() or self.adopted.is_any:
            return
        message = (
            f"no class is generated here: there is no spec in {self.layout.specs}/, no record in {FOLDER}/"
        )
        message = f"{message}, and no `[tool.scaffold]` in a pyproject.toml"
        fix = "name the folder of the project, as in `--folder path/to/project`, or generate a class first"
        raise ScaffoldError(message, where=str(self.layout.root), fix=fix)

    @cached_property
    def orphans(self) -> dict[str, Record]:
        """Records of modules without any class that a spec describes, by name."""
        records = self.records.items()
        return {name: record for name, record in records if not self.classes.keys() & {*record.names}}

    def renamed(self, said: Mapping[str, str]) -> dict[str, str]:
        """Return the former name of each renamed class, as stated or inferred.

        A rename is inferred if a spec lost exactly one class and gained exactly one class without a record.
        """
        former_names = {now: old for old, now in said.items()}
        for path, names in self.described.items():
            recorded = (name for name, record in self.by_class.items() if record.spec == path)
            gone = [name for name in recorded if name not in self.classes]
            new = [name for name in names if name not in self.by_class]
            if len(gone) == len(new) == 1 and gone[0] not in former_names.values():
                former_names.setdefault(new[0], gone[0])
        return former_names


def check_renames(said: Mapping[str, str], specs: ProjectSpecs) -> None:
    """Raise `ScaffoldError` for stated renames that do not fit records and specs."""
    faults = [*_rename_faults(said, specs)]
    if faults:
        raise ScaffoldError.of(faults)


def _rename_faults(said: Mapping[str, str], specs: ProjectSpecs) -> Iterable[Fault]:
    for old, now in said.items():
        if old not in specs.by_class:
            legal = tuple(name for name in specs.by_class if name not in specs.classes)
            fix = suggestion(old, legal, "write a class that was generated before")
            yield Fault("--rename", f"there is no record of `{old}`", fix, legal)
        elif old in specs.classes:
            message = f"`{old}` is described by {specs.classes[old]}"
            yield Fault("--rename", message, "rename the class in its spec first")
        elif now not in specs.classes:
            legal = tuple(specs.classes)
            yield Fault(
                "--rename", f"no spec describes `{now}`", suggestion(now, legal, "write a class"), legal
            )
