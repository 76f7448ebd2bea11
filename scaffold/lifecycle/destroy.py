"""Removal of classes with their tests, specs, records and imports, and with all that only they needed."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError, shown, suggestion
from scaffold.files.fileset import Action, Plan, Step, make_plan
from scaffold.files.places import read_below
from scaffold.files.texts import Text
from scaffold.history.copies import with_copies
from scaffold.history.records import FOLDER, SPEC, TEST, UNITS, DamagedError, Generated, Record, Records
from scaffold.history.replaced import numbers_of
from scaffold.history.withdrawals import withdrawals
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import described_by, is_spec_of
from scaffold.lifecycle.adopted import AdoptedTests, is_adopted, target_of
from scaffold.lifecycle.leftovers import leftovers
from scaffold.lifecycle.users import users
from scaffold.source.text import listed

_REMEDY = "--force removes it, and keeps a copy; or bring it back to what was generated"


class _Going(Struct, frozen=True):
    """Classes to remove."""

    layout: Layout
    records: Sequence[Record]
    force: bool

    @property
    def generated(self) -> list[Record]:
        """Records of generated classes, without adopted classes."""
        return [record for record in self.records if not is_adopted(record)]

    def steps(self) -> Iterator[Step]:
        for record in self.records:
            for file in record.files:
                if file.role != SPEC:
                    yield from self._file(file)
            yield from self._spec(record)
            content = Records(self.layout.root).content(record.name)
            yield Step(record.path, Action.REMOVE, content, None, folder=FOLDER)

    def _file(self, file: Generated) -> Iterator[Step]:
        content = self._read(file.path)
        if content is None:
            return
        edited = not _has_text(content, file.text)
        if edited and not self.force:
            yield Step(file.path, Action.CONFLICT, content, content, why="was edited since it was generated")
        else:
            yield Step(file.path, Action.REMOVE, content, None, forced=edited)
            yield from self._numbers(file)

    def _numbers(self, file: Generated) -> Iterator[Step]:
        """Yield the removal of the recorded numbers beside a test file."""
        path = numbers_of(file.path)
        if file.role == TEST and (content := self._read(path)) is not None:
            yield Step(path, Action.REMOVE, content, None)

    def _spec(self, record: Record) -> Iterator[Step]:
        """Yield the removal of the spec, unless it describes other classes.

        A handwritten spec is copied first.
        """
        path = PurePosixPath(record.spec)
        if (
            is_adopted(record)
            or self._others(record)
            or ".." in path.parts
            or (content := self._read(path)) is None
        ):
            return
        written = record.of(SPEC)
        by_hand = written is None or not _has_text(content, written.text)
        yield Step(path, Action.REMOVE, content, None, forced=by_hand)

    def notes(self) -> Iterator[str]:
        """Yield notes on specs to edit by hand."""
        for record in self.records:
            if not is_adopted(record) and self._others(record):
                yield f"{record.spec}: still describes `{record.title}`, beside others; take it out there"

    def _others(self, record: Record) -> set[str]:
        return {*described_by(self.layout.root / record.spec)} - {
            name for removed in self.records for name in removed.names
        }

    def _read(self, path: PurePosixPath) -> bytes | None:
        return read_below(self.layout.real_root, path)


def _has_text(content: bytes, text: str) -> bool:
    decoded = Text.of(content)
    return decoded is not None and decoded.text == text


def plan_destroy(names: Sequence[str], layout: Layout, *, force: bool = False) -> Plan:
    """Plan the removal of these classes.

    Raises `ScaffoldError` for a name without a record and, without `force`, for a class in use.
    """
    going = _Going(layout, _records(names, layout), force)
    edits = [*withdrawals(going.generated, layout)]
    plan = make_plan(layout.root, edits)
    steps = {step.path: step for step in (*plan.steps, *going.steps())}
    steps |= leftovers(layout, steps)
    ordered = tuple(sorted(steps.values(), key=lambda step: step.path))
    plan = replace(plan, steps=ordered, notes=tuple(going.notes()), remedy=_REMEDY)
    using = [*users(going.generated, layout, steps)]
    if using and not force:
        raise ScaffoldError.of([*plan.faults(), *using], exit_code=1)
    left = (f"{fault.where}: {fault.what}, which goes" for fault in using)
    return with_copies(replace(plan, notes=(*plan.notes, *left)))


def _records(names: Collection[str], layout: Layout) -> list[Record]:
    records = Records(layout.root)
    records_by_name: dict[str, Record] = {}
    faults: list[Fault] = []
    damaged = 0
    for name in dict.fromkeys(names):
        try:
            record = records.find(name) or _unit(name, names, records) or _adopted(name, layout)
            _check_spec(record, layout)
        except DamagedError as error:
            message = f"is damaged: {error}; it does not say any more what was generated"
            fix = "bring it back from version control, or remove the class by hand"
            faults.append(Fault(f"{FOLDER}/{name}.txt", message, fix))
            damaged += 1
            continue
        if record is None:
            legal = (*_legal(records), *map(target_of, AdoptedTests(layout).records))
            fix = suggestion(name, legal, "write the name of a class that was generated here")
            faults.append(Fault("NAME", f"there is no record of `{name}`", fix, legal))
        else:
            records_by_name[record.name] = record
    if faults:
        raise ScaffoldError.of(faults, exit_code=1 if damaged == len(faults) else 2)
    return [*records_by_name.values()]


def _unit(name: str, names: Collection[str], records: Records) -> Record | None:
    """Return the record of a module that is named, or whose classes are all named.

    Raises `ScaffoldError` if only some of its classes are named.
    """
    record = records.find(f"{UNITS}{name}") or records.units.get(name)
    if record is None or record.title == name or {*record.names} <= {*names}:
        return record
    others = listed(f"`{class_name}`" for class_name in record.names if class_name not in names)
    message = f"`{name}` is in one module with {others}, `{record.stem}.py`, which goes as a whole"
    fix = f"`scaffold destroy {record.title}` removes it; or take `{name}` out of {record.spec}, then `scaffold update`"
    raise ScaffoldError(message, where="NAME", fix=fix)


def _legal(records: Records) -> list[str]:
    return [name.removeprefix(UNITS) for name in records.names()]


def _check_spec(record: Record | None, layout: Layout) -> None:
    """Raise `DamagedError` if the recorded spec is a file that describes no class."""
    if record is None or not record.spec:
        return
    place = layout.root / record.spec
    is_spec = any(is_spec_of(place, name) for name in record.names) if place.exists() else True
    if not is_spec and not {*described_by(place)} - {*record.names}:
        raise DamagedError(f"`{shown(record.spec)}` is no spec of `{record.title}`")


def _adopted(name: str, layout: Layout) -> Record | None:
    """Return the record of an adopted class. Raises `ScaffoldError` if several have the name."""
    records = AdoptedTests(layout).called(name)
    if len(records) > 1:
        targets = tuple(map(target_of, records))
        message = f"`{name}` is the name of {len(records)} classes that were adopted"
        raise ScaffoldError(message, where="NAME", fix=f"write which, as in `{targets[0]}`", legal=targets)
    return records[0] if records else None
