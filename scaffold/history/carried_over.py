"""History of a plan's classes: their records, and steps that carry edits over into new text."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import Action, File, Plan, Step
from scaffold.files.places import Places
from scaffold.files.texts import Text
from scaffold.history.ancestry import Ancestry, ClassFiles
from scaffold.history.file_steps import FileSteps, Wanted
from scaffold.history.records import (
    AFTER,
    BEFORE,
    FOLDER,
    MODULE,
    SHARED,
    SPEC,
    TEST,
    UNITS,
    Generated,
    Record,
    Records,
    adopted_key,
)
from scaffold.history.renames import carried_names
from scaffold.history.replaced import ReplacedSteps
from scaffold.history.states import outcome
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import described_by
from scaffold.registration.exports import Export

_NO_RECORD = "exists, and differs from what would be generated, and `.scaffold/` does not say what was generated before"
_OF_ADOPT = (
    "exists, and differs from what would be generated: `scaffold adopt` wrote it, and it was edited since"
)
_RESTORE = "bring `.scaffold/` back from version control; without it,"


class History(Struct, frozen=True, dict=True):
    """Records of the classes of a plan. `renamed` maps a class to its former name.

    Of the `adopted` classes, only the tests are generated.
    """

    layout: Layout
    classes: Sequence[ClassFiles]
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    force: bool = False
    adopted: Sequence[ClassFiles] = ()
    found: dict[str, Record | str | None] = field(default_factory=dict[str, Record | str | None])
    """Records read so far, by name of the module."""

    @cached_property
    def records(self) -> Records:
        return Records(self.layout.root)

    @cached_property
    def ancestry(self) -> Ancestry:
        return Ancestry(self.layout, self.classes, self.renamed, self.found)

    @cached_property
    def files(self) -> FileSteps:
        taken = frozenset(path for class_files in self.classes for path in class_files.roles)
        return FileSteps(Places(self.layout.real_root), taken, self.force)

    def check_records(self) -> None:
        """Raise `ScaffoldError` for damage, or for a class that its former spec still describes."""
        fix = "remove one of the two, or give one class another name"
        faults = [
            Fault(class_files.spec, f"describes `{name}`, as {record.spec} does", fix)
            for class_files in self.classes
            for record in {*self.ancestry.before(class_files), *self.ancestry.holding(class_files)}
            if record.spec not in ("", class_files.spec)
            for name in described_by(self.layout.root / record.spec)
            if name in class_files.names and name in record.names
        ]
        if faults:
            raise ScaffoldError.of(faults)
        if damage := [*self.ancestry.damage()]:
            raise ScaffoldError.of(damage, exit_code=1)

    # -- what the package imports --------------------------------------------------------------------------------------

    def departed(self) -> Iterator[Record]:
        """Yield the records of classes that left a module or a name, whose exports must go."""
        for class_files in self.classes:
            for record in self.ancestry.before(class_files):
                is_here = record.module == self.layout.module(class_files.stem)
                gone = tuple(name for name in record.names if not (is_here and name in class_files.names))
                if gone:
                    yield replace(record, classes=gone)

    def to_register(self, register: bool | None) -> list[Export]:
        """Return the classes that the package imports. None keeps the choice made when they were new."""
        return [
            Export(class_files.stem, name)
            for class_files in self.classes
            for name in class_files.names
            if self._registers(class_files, name, register)
        ]

    def _registers(self, class_files: ClassFiles, name: str, register: bool | None) -> bool:
        before = self.ancestry.before(class_files)
        if register is not None or not before:
            return register is not False
        module = self.layout.module(class_files.stem)
        was_here = any(record.module == module and name in record.names for record in before)
        return not was_here and any(record.registered for record in before)

    # -- the plan ------------------------------------------------------------------------------------------------------

    def applied(self, plan: Plan, register: bool | None) -> Plan:
        """Return the plan with edits preserved and with the records written."""
        steps = {step.path: step for step in plan.steps}
        history = replace(self, classes=(*self.classes, *self.adopted, *self._shared(plan)))
        for class_files in history.classes:
            wanted = [
                history._wanted(class_files, role, steps[path]) for path, role in class_files.roles.items()
            ]
            done = (
                replace(
                    step,
                    state=str(file.found.state),
                    fix=step.fix or history._fix(class_files, file, is_update=register is None),
                )
                for file in wanted
                for step in history.files.of(file)
            )
            for step in (*done, *history._record_steps(class_files, wanted, register)):
                steps[step.path] = step
        replaced = ReplacedSteps(self.ancestry, history.files)
        steps |= {step.path: step for planned_files in self.classes for step in replaced.of(planned_files)}
        steps |= {step.path: step for step in (*replaced.numbers(), *self._edited(plan))}
        ordered = tuple(sorted(steps.values(), key=lambda step: step.path))
        return replace(plan, steps=ordered, notes=(*plan.notes, *replaced.notes()))

    def _shared(self, plan: Plan) -> Iterator[ClassFiles]:
        """Yield the modules that classes share, if they are new or have a record."""
        for step in plan.steps:
            name = f"{SHARED}{step.path.stem}"
            match step.requests:
                case [File(keep=True)] if step.path.suffix == ".py":
                    if self._is_recorded(step) or self.records.content(name) is not None:
                        yield ClassFiles(name, step.path.stem, "", {step.path: MODULE})
                case _:
                    pass

    @staticmethod
    def _is_recorded(step: Step) -> bool:
        """Whether a shared module gets a record: a new file, except the conftest, which no version
        replaces."""
        return step.action is Action.CREATE and step.path.name != "conftest.py"

    def _edited(self, plan: Plan) -> Iterator[Step]:
        """Yield records of a user's conftest before and after an edit, so that the edit can be undone."""
        for step in plan.steps:
            before, after = Text.of(step.before or b""), Text.of(step.after or b"")
            is_ours = step.path.name == "conftest.py" and step.action is Action.UPDATE and before and after
            name = f"{SHARED}{step.path.stem}"
            if is_ours and before and after and self.records.content(name) is None:
                pair = (Generated(AFTER, step.path, after.text), Generated(BEFORE, step.path, before.text))
                yield self._written(Record(name, "", step.path.stem, pair))

    def _wanted(self, class_files: ClassFiles, role: str, step: Step) -> Wanted:
        former = self.ancestry.former(class_files)
        adopted = self._adopted(class_files, step.path)
        before = former.of(role) if isinstance(former, Record) else None
        before = before or self._unedited(adopted)
        lies = self.files.place(step, before)
        there = self.files.read(lies)
        base, mine = before.text if before else None, there
        if isinstance(former, Record) and (pairs := self._called_anew(class_files, former)):
            names = carried_names(base or "", step.asked, *pairs, (former.stem, class_files.stem))
            base, mine = base and names.applied(base), _renamed(mine, names.applied)
        lost = former if isinstance(former, str) else _OF_ADOPT if adopted else _NO_RECORD
        become = outcome(base, mine, step.asked, self.layout.root / lies, lost=lost)
        return Wanted(role, step, before, lies, there, become)

    def _adopted(self, class_files: ClassFiles, path: PurePosixPath) -> Record | None:
        """Return the record of tests that `adopt` wrote to a path, for a class that had no example."""
        module = class_files.module or self.layout.module(class_files.stem)
        keys = (adopted_key(module, name) for name in class_files.names if class_files not in self.adopted)
        records = filter(None, map(self.records.sound, keys))
        return next((each for each in records if (test := each.of(TEST)) and test.path == path), None)

    def _unedited(self, adopted: Record | None) -> Generated | None:
        """Return the tests that `adopt` wrote if they are as it wrote them."""
        test = adopted.of(TEST) if adopted is not None else None
        there = Text.of(self.files.read(test.path) or b"") if test is not None else None
        return test if test is not None and there is not None and there.text == test.text else None

    def _fix(self, class_files: ClassFiles, file: Wanted, *, is_update: bool) -> str:
        """Return the fix for a conflict of a file, or an empty text if the plan's remedy serves."""
        is_conflict = file.found.action is Action.CONFLICT
        if file.found.fix or not (is_conflict and is_update and class_files.spec):
            return file.found.fix
        command = f"`scaffold update {class_files.name.removeprefix(UNITS)} --force`"
        force = f"{command} overwrites it, and keeps a copy; --diff shows the difference"
        return force if file.before is not None else f"{_RESTORE} {force}"

    def _called_anew(self, class_files: ClassFiles, former: Record) -> list[tuple[str, str]]:
        """Return former and new names of renamed classes."""
        pairs = [(self.renamed[name], name) for name in class_files.names if name in self.renamed]
        is_moved = not (class_files.classes or former.classes) and former.name != class_files.name
        return pairs or [(former.name, class_files.name)] * is_moved

    def _record_steps(
        self, class_files: ClassFiles, wanted: Iterable[Wanted], register: bool | None
    ) -> Iterator[Step]:
        former, before = self.ancestry.record(class_files), self.ancestry.before(class_files)
        files = [Generated(file.role, file.step.path, file.step.asked) for file in wanted]
        files += self._kept(former, class_files) if former is not None else ()
        was = not before or any(record.registered for record in before)
        registered = was if register is None else register
        registered = registered and class_files not in self.adopted
        module = class_files.module or self.layout.module(class_files.stem)
        files.sort(key=lambda file: (file.role, file.path))
        record = Record(
            class_files.name, class_files.spec, module, tuple(files), registered, class_files.classes
        )
        yield self._written(record)
        for path in class_files.roles:
            if adopted := self._adopted(class_files, path):
                yield Step(
                    adopted.path, Action.REMOVE, self.records.content(adopted.name), None, folder=FOLDER
                )
        if former is not None and former.name != class_files.name:
            yield Step(former.path, Action.REMOVE, self.records.content(former.name), None, folder=FOLDER)

    def _kept(self, former: Record, class_files: ClassFiles) -> Iterator[Generated]:
        """Yield files that are no longer generated but still exist, because they may be generated again."""
        for file in former.files:
            is_there = file.role == SPEC or self.files.read(file.path) is not None
            if file.role not in class_files.roles.values() and file.path not in self.files.taken and is_there:
                yield file

    def _written(self, record: Record) -> Step:
        before, after = self.records.content(record.name), record.text().encode()
        same = before is not None and before.replace(b"\r\n", b"\n") == after
        action = Action.IDENTICAL if same else Action.CREATE if before is None else Action.UPDATE
        return Step(record.path, action, before, after, (File(record.path, after.decode()),), folder=FOLDER)


def _renamed(content: bytes | None, rename: Callable[[str], str]) -> bytes | None:
    text = Text.of(content) if content is not None else None
    return content if text is None else text.with_text(rename(text.text))
