"""States of generated files, as `scaffold check` reports them from the plan of `update`."""

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
    """State of a file, or of a folder that stands for its files, with a remark."""

    path: str
    state: State
    why: str = ""
    is_refused: bool = False
    """Whether `update` writes nothing until a user resolves it."""

    def to_json(self) -> dict[str, str]:
        """Return the row as plain JSON."""
        return {"path": self.path, "state": str(self.state), **({"why": self.why} if self.why else {})}


class Checked(Struct, frozen=True):
    """States of all files, in order of path."""

    rows: tuple[Row, ...]
    adopted: int = 0
    """Number of adopted classes, whose tests are compared with the last generated text."""

    @property
    def is_clean(self) -> bool:
        """Whether `update` would change nothing."""
        return not any(row.state in DRIFT for row in self.rows)

    def next_step(self) -> str:
        """Return the command to run if not everything is clean, and its effect on conflicts."""
        conflicts = [row for row in self.rows if row.state is State.CONFLICTING]
        if any(row.is_refused for row in conflicts):
            return (
                f"{_UPDATE}, which says how to resolve each conflict, and writes nothing before that is done"
            )
        return f"{_UPDATE} --diff, {_BOTH_SIDES}" if conflicts else _UPDATE

    def summary(self) -> str:
        """Return a line for each file that is not clean, and the counts."""
        width = max(map(len, State))
        rows = [row for row in self.rows if row.state is not State.CLEAN]
        lines = [f"{row.state:<{width}}  {row.path}{f': {row.why}' if row.why else ''}" for row in rows]
        counts = Counter(row.state for row in self.rows)
        total = f"{len(self.rows)} file{'s' * (len(self.rows) != 1)}"
        states = ", ".join(f"{counts[state]} {state}" for state in State if counts[state])
        lines.append(f"{total}: {states}" if states else "no class is generated here")
        return "\n".join([*lines, *self._adopted_notes()])

    def _adopted_notes(self) -> Iterator[str]:
        """Yield the caveat that adopted classes may have changed since their tests were written."""
        if self.adopted:
            classes = f"{self.adopted} class{'es are' if self.adopted > 1 else ' is'} adopted"
            explanation = "tests are compared with what was written last, and `scaffold adopt` looks anew"
            yield f"{classes}: their {explanation}"

    def to_json(self) -> dict[str, object]:
        """Return the states as plain JSON."""
        return {"ok": self.is_clean, "adopted": self.adopted, "files": [row.to_json() for row in self.rows]}


def check(layout: Layout) -> Checked:
    """Return the state of every generated file. Raises `ScaffoldError` if specs have faults."""
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
    """Yield rows for damaged records of adopted tests."""
    for path, why in project_specs.adopted.damaged():
        yield Row(str(path), State.CONFLICTING, f"{why}; `scaffold adopt` writes it anew")


def _orphaned(project_specs: ProjectSpecs) -> Iterator[Row]:
    """Yield rows for files of classes that no spec describes any more."""
    renamed = project_specs.renamed({}).values()
    for record in project_specs.orphans.values():
        why = f"no spec describes `{record.title}` any more (`scaffold destroy {record.title}`)"
        there = [file.path for file in record.files if (project_specs.layout.root / file.path).is_file()]
        yield from (Row(str(path), State.STALE, why) for path in there if not {*record.names} & {*renamed})
