"""What `scaffold check` says: for each file of the plan that `update` would make, what it has become since."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from scaffold.files.fileset import Action, Plan, Step
from scaffold.history.states import State
from scaffold.in_project.layout import Layout
from scaffold.lifecycle.project_specs import ProjectSpecs
from scaffold.lifecycle.update import plan_update_of

_OF_ACTIONS = {
    Action.CREATE: State.MISSING,
    Action.UPDATE: State.STALE,
    Action.MERGE: State.STALE,
    Action.REMOVE: State.STALE,
    Action.COLLIDE: State.CONFLICTING,
    Action.CONFLICT: State.CONFLICTING,
}
_UPDATE = "scaffold update"
_BOTH_SIDES = "which shows what both sides changed; scaffold update leaves both between markers"
DRIFT = (State.STALE, State.MISSING, State.CONFLICTING)


class Row(Struct, frozen=True):
    """A file, or a folder that is shown as one, with its state, and what is to be said of it."""

    path: str
    state: State
    why: str = ""
    is_refused: bool = False
    """Whether `update` writes nothing before somebody has changed it."""

    def to_json(self) -> dict[str, str]:
        """The row as plain JSON."""
        return {"path": self.path, "state": str(self.state), **({"why": self.why} if self.why else {})}


class Checked(Struct, frozen=True):
    """The states of all files, in order of path."""

    rows: tuple[Row, ...]
    adopted: int = 0
    """How many classes are the user's own, whose tests are compared with what was written last."""

    @property
    def is_clean(self) -> bool:
        """Whether `update` would change nothing."""
        return not any(row.state in DRIFT for row in self.rows)

    def next_step(self) -> str:
        """What to do where something is not clean: the next command, and what it does to what conflicts."""
        conflicts = [row for row in self.rows if row.state is State.CONFLICTING]
        if any(row.is_refused for row in conflicts):
            return (
                f"{_UPDATE}, which says how to resolve each conflict, and writes nothing before that is done"
            )
        return f"{_UPDATE} --diff, {_BOTH_SIDES}" if conflicts else _UPDATE

    def summary(self) -> str:
        """What is not clean, a line each, and the counts."""
        width = max(map(len, State))
        rows = [row for row in self.rows if row.state is not State.CLEAN]
        lines = [f"{row.state:<{width}}  {row.path}{f': {row.why}' if row.why else ''}" for row in rows]
        counts = Counter(row.state for row in self.rows)
        total = f"{len(self.rows)} file{'s' * (len(self.rows) != 1)}"
        states = ", ".join(f"{counts[state]} {state}" for state in State if counts[state])
        lines.append(f"{total}: {states}" if states else "no class is generated here")
        return "\n".join([*lines, *self._adopted_notes()])

    def _adopted_notes(self) -> Iterator[str]:
        """What a clean state does not say of adopted tests."""
        if self.adopted:
            classes = f"{self.adopted} class{'es are' if self.adopted > 1 else ' is'} adopted"
            explanation = "tests are compared with what was written last, and `scaffold adopt` looks anew"
            yield f"{classes}: their {explanation}"

    def to_json(self) -> dict[str, object]:
        """The states as plain JSON."""
        return {"ok": self.is_clean, "adopted": self.adopted, "files": [row.to_json() for row in self.rows]}


def check(layout: Layout) -> Checked:
    """The state of every generated file of a project. Raises `ScaffoldError` where its specs have faults."""
    project_specs = ProjectSpecs(layout)
    rows = [*_rows(plan_update_of(project_specs)), *_orphaned(project_specs), *_damaged(project_specs)]
    ordered = sorted({row.path: row for row in rows}.values(), key=lambda row: row.path)
    return Checked(tuple(ordered), len(project_specs.adopted.records))


def _rows(plan: Plan) -> Iterator[Row]:
    yield from (_row(step) for step in plan.steps if step.folder is None)
    for line in plan.lines():
        if line.files:
            state = _OF_ACTIONS.get(Action(line.action), State.CLEAN)
            yield Row(line.path, state)


def _row(step: Step) -> Row:
    state = State(step.state) if step.state else _OF_ACTIONS.get(step.action, State.CLEAN)
    return Row(str(step.path), state, step.why, step.action is Action.CONFLICT)


def _damaged(project_specs: ProjectSpecs) -> Iterator[Row]:
    """The records of adopted tests that cannot be read."""
    for path, why in project_specs.adopted.damaged():
        yield Row(str(path), State.CONFLICTING, f"{why}; `scaffold adopt` writes it anew")


def _orphaned(project_specs: ProjectSpecs) -> Iterator[Row]:
    """What was generated of classes that no spec describes any more."""
    renamed = project_specs.renamed({}).values()
    for record in project_specs.orphans.values():
        why = f"no spec describes `{record.title}` any more (`scaffold destroy {record.title}`)"
        there = [file.path for file in record.files if (project_specs.layout.root / file.path).is_file()]
        yield from (Row(str(path), State.STALE, why) for path in there if not {*record.names} & {*renamed})
