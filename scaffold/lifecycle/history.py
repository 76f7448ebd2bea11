"""What the classes of a plan were before: their records, and the steps that carry what was edited over to what is generated now."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import Action, File, Plan, Step
from scaffold.files.places import read_below
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import described_by
from scaffold.lifecycle.records import (
    AFTER,
    BEFORE,
    FOLDER,
    MODULE,
    SHARED,
    SPEC,
    DamagedError,
    Generated,
    Record,
    Records,
    record_path,
)
from scaffold.lifecycle.renames import carried_names
from scaffold.lifecycle.states import Outcome, outcome
from scaffold.lifecycle.texts import Text
from scaffold.registration.exports import Export

_NO_RECORD = "exists, and differs from what would be generated, and `.scaffold/` does not say what was generated before"


@dataclass(frozen=True)
class ClassFiles:
    """A class of a plan, the spec that it comes from, and the role of each of its files.

    Without a spec it is a module that classes share, or the tests of a class of the user's own, which lies in `module`.
    """

    name: str
    stem: str
    spec: str
    roles: Mapping[PurePosixPath, str]
    module: str = ""


@dataclass(frozen=True)
class Wanted:
    """A generated file as the plan has it now, and as it was: what was generated, where it lies, and what is to be done."""

    role: str
    step: Step
    before: Generated | None
    lies: PurePosixPath
    found: Outcome


@dataclass(frozen=True)
class History:
    """The records of the classes of a plan. `renamed` has the former name of a class that has another now.

    Of the `adopted` it is the tests alone: nothing else is ours.
    """

    layout: Layout
    classes: Sequence[ClassFiles]
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    force: bool = False
    adopted: Sequence[ClassFiles] = ()
    found: dict[str, Record | str | None] = field(
        default_factory=dict[str, Record | str | None], repr=False, compare=False
    )
    """The records that were read."""

    @cached_property
    def records(self) -> Records:
        return Records(self.layout.root)

    def former(self, name: str) -> Record | str | None:
        """The record of a class, or what is to be said of one that was damaged."""
        if name not in self.found:
            self.found[name] = self._former(self.renamed.get(name, name))
        return self.found[name]

    def _former(self, name: str) -> Record | str | None:
        try:
            return self.records.find(name)
        except DamagedError as error:
            return f"exists, and differs from what would be generated, and {record_path(name)} is damaged: {error}"

    def record(self, name: str) -> Record | None:
        """The record of a class, where there is a sound one."""
        found = self.former(name)
        return found if isinstance(found, Record) else None

    def check_specs(self) -> None:
        """Raises `ScaffoldError` for a class that another spec describes as well, from which it was generated."""
        fix = "remove one of the two, or give one class another name"
        faults = [
            Fault(one.spec, f"describes `{one.name}`, as {record.spec} does", fix)
            for one in self.classes
            if (record := self.record(one.name)) is not None and record.spec not in ("", one.spec)
            if record.name == one.name and one.name in described_by(self.layout.root / record.spec)
        ]
        if faults:
            raise ScaffoldError.of(faults)

    # -- what the package imports --------------------------------------------------------------------------------------

    def departed(self) -> Iterator[Record]:
        """The records of classes that were imported from another module, or by another name."""
        for one in self.classes:
            record = self.record(one.name)
            if record is not None and (record.name, record.module) != (
                one.name,
                self.layout.module(one.stem),
            ):
                yield record

    def to_register(self, register: bool | None) -> list[Export]:
        """The classes that the package is to import. Where that is not said, as it was said when they were new."""
        return [Export(one.stem, one.name) for one in self.classes if self._registers(one, register)]

    def _registers(self, one: ClassFiles, register: bool | None) -> bool:
        record = self.record(one.name)
        if register is not None or record is None:
            return register is not False
        return record.registered and record in self.departed()

    # -- the plan ------------------------------------------------------------------------------------------------------

    def applied(self, plan: Plan, register: bool | None) -> Plan:
        """The plan in which nothing that was edited is replaced, and in which the records are written."""
        steps = {step.path: step for step in plan.steps}
        history = replace(self, classes=(*self.classes, *self.adopted, *self._shared(plan)))
        for one in history.classes:
            wanted = [history._wanted(one, role, steps[path]) for path, role in one.roles.items()]
            for step in (*history._own_steps(wanted), *history._record_steps(one, wanted, register)):
                steps[step.path] = step
        steps |= {step.path: step for step in self._edited(plan)}
        return replace(plan, steps=tuple(sorted(steps.values(), key=lambda step: step.path)))

    def _shared(self, plan: Plan) -> Iterator[ClassFiles]:
        """The modules that classes share: those that are written now, and those of which there is a record."""
        for step in plan.steps:
            name = f"{SHARED}{step.path.stem}"
            match step.requests:
                case [File(keep=True)] if step.path.suffix == ".py":
                    if step.action is Action.CREATE or self.records.content(name) is not None:
                        yield ClassFiles(name, step.path.stem, "", {step.path: MODULE})
                case _:
                    pass

    def _edited(self, plan: Plan) -> Iterator[Step]:
        """The records of files of the user's that are edited so that the tests are found, by which that is undone."""
        for step in plan.steps:
            before, after = Text.of(step.before or b""), Text.of(step.after or b"")
            is_ours = step.path.name == "conftest.py" and step.action is Action.UPDATE and before and after
            name = f"{SHARED}{step.path.stem}"
            if is_ours and before and after and self.records.content(name) is None:
                pair = (Generated(AFTER, step.path, after.text), Generated(BEFORE, step.path, before.text))
                yield self._written(Record(name, "", step.path.stem, pair))

    def _own_steps(self, wanted: Iterable[Wanted]) -> Iterator[Step]:
        for file in wanted:
            yield from (replace(step, state=str(file.found.state)) for step in self._steps(file))

    def _wanted(self, one: ClassFiles, role: str, step: Step) -> Wanted:
        former = self.former(one.name)
        before = former.of(role) if isinstance(former, Record) else None
        lies = self._place(step, before)
        base, mine = before.text if before else None, self._read(lies)
        if isinstance(former, Record) and former.name != one.name:
            names = carried_names(base or "", step.asked, (former.name, one.name), (former.stem, one.stem))
            base, mine = base and names.applied(base), _renamed(mine, names.applied)
        lost = former if isinstance(former, str) else _NO_RECORD
        return Wanted(
            role, step, before, lies, outcome(base, mine, step.asked, self.layout.root / lies, lost=lost)
        )

    def _place(self, step: Step, before: Generated | None) -> PurePosixPath:
        """Where the file lies: where it was generated before, as long as it has not come to where it is to be."""
        if (
            before is None
            or before.path == step.path
            or step.before is not None
            or self._is_taken(before.path)
        ):
            return step.path
        return before.path if self._read(before.path) is not None else step.path

    def _is_taken(self, path: PurePosixPath) -> bool:
        return any(path in one.roles for one in self.classes)

    def _read(self, path: PurePosixPath) -> bytes | None:
        return read_below(self.layout.real_root, path)

    def _steps(self, file: Wanted) -> Iterator[Step]:
        found, step = file.found, file.step
        if file.role == SPEC and found.action in (Action.MERGE, Action.COLLIDE, Action.KEEP):
            why = "was edited since the command line wrote it, and would now say something else"
            found = replace(found, action=Action.CONFLICT, why=why)
        if self.force and found.action in (Action.CONFLICT, Action.MERGE, Action.COLLIDE, Action.KEEP):
            found = Outcome(found.state, Action.UPDATE, step.asked.encode())
            step = replace(step, forced=True)
        if file.lies != step.path:
            yield from self._carried(step, file.lies, found)
        else:
            yield self._in_place(step, found)
        yield from self._left_behind(file)

    def _in_place(self, step: Step, found: Outcome) -> Step:
        """A file that stays where it is; one that names what has another name now is written for that."""
        there = self._read(step.path)
        says_the_same = found.after == there
        if found.action is Action.CREATE or step.forced:
            return replace(step, action=found.action, before=there, after=found.after)
        if found.action is Action.KEEP and says_the_same:
            return Step(step.path, Action.KEEP, None, None)
        renamed = {Action.IDENTICAL: Action.UPDATE, Action.KEEP: Action.MERGE}
        action = found.action if says_the_same else renamed.get(found.action, found.action)
        return Step(step.path, action, there, found.after, why=found.why)

    def _carried(self, step: Step, lies: PurePosixPath, found: Outcome) -> Iterator[Step]:
        """A file that goes from one place to another, with what was edited in it."""
        action = found.action if found.action in (Action.COLLIDE, Action.CONFLICT) else Action.CREATE
        yield Step(step.path, action, None, found.after, why=found.why, like=lies)
        if action is not Action.CONFLICT:
            yield Step(lies, Action.REMOVE, self._read(lies), None, forced=step.forced)

    def _left_behind(self, file: Wanted) -> Iterator[Step]:
        """What lies where the file was generated before, although it is where it is to be as well."""
        before = file.before
        if before is None or before.path in (file.step.path, file.lies) or self._is_taken(before.path):
            return
        content = self._read(before.path)
        text = Text.of(content) if content is not None else None
        if text is not None and text.text == before.text:
            yield Step(before.path, Action.REMOVE, content, None)
        elif content is not None:
            why = f"is where `{file.step.path}` was generated before, and both are there"
            yield Step(before.path, Action.CONFLICT, content, content, why=why)

    def _record_steps(
        self, one: ClassFiles, wanted: Iterable[Wanted], register: bool | None
    ) -> Iterator[Step]:
        former = self.record(one.name)
        files = [Generated(file.role, file.step.path, file.step.asked) for file in wanted]
        if former is not None and (spec := former.of(SPEC)) and SPEC not in one.roles.values():
            files.append(spec)
        registered = register if register is not None else former is None or former.registered
        registered = registered and one not in self.adopted
        module = one.module or self.layout.module(one.stem)
        files.sort(key=lambda file: (file.role, file.path))
        record = Record(one.name, one.spec, module, tuple(files), registered=registered)
        yield self._written(record)
        if former is not None and former.name != one.name:
            yield Step(former.path, Action.REMOVE, self.records.content(former.name), None, folder=FOLDER)

    def _written(self, record: Record) -> Step:
        before, after = self.records.content(record.name), record.text().encode()
        same = before is not None and before.replace(b"\r\n", b"\n") == after
        action = Action.IDENTICAL if same else Action.CREATE if before is None else Action.UPDATE
        return Step(record.path, action, before, after, (File(record.path, after.decode()),), folder=FOLDER)


def _renamed(content: bytes | None, rename: Callable[[str], str]) -> bytes | None:
    text = Text.of(content) if content is not None else None
    return content if text is None else text.with_text(rename(text.text))
