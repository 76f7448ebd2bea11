"""What `scaffold check` says: for each file of the plan that `update` would make, what it has become since."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scaffold.fileset import Action, Plan, Step
from scaffold.layout import Layout
from scaffold.lifecycle.project_specs import ProjectSpecs
from scaffold.lifecycle.states import State
from scaffold.lifecycle.update import plan_update

_OF_ACTIONS = {
    Action.CREATE: State.MISSING,
    Action.UPDATE: State.STALE,
    Action.MERGE: State.STALE,
    Action.REMOVE: State.STALE,
    Action.COLLIDE: State.CONFLICTING,
    Action.CONFLICT: State.CONFLICTING,
}
DRIFT = (State.STALE, State.MISSING, State.CONFLICTING)


@dataclass(frozen=True)
class Row:
    """A file, or a folder that is copied as a whole, with its state, and what is to be said of it."""

    path: str
    state: State
    why: str = ""

    def to_json(self) -> dict[str, str]:
        """The row as plain JSON."""
        return {"path": self.path, "state": str(self.state), **({"why": self.why} if self.why else {})}


@dataclass(frozen=True)
class Checked:
    """The states of all files, in order of path."""

    rows: tuple[Row, ...]

    @property
    def is_clean(self) -> bool:
        """Whether `update` would change nothing."""
        return not any(row.state in DRIFT for row in self.rows)

    def summary(self) -> str:
        """What is not clean, a line each, and the counts."""
        width = max(map(len, State))
        told = [row for row in self.rows if row.state is not State.CLEAN]
        lines = [f"{row.state:<{width}}  {row.path}{f': {row.why}' if row.why else ''}" for row in told]
        counts = Counter(row.state for row in self.rows)
        total = f"{len(self.rows)} file{'s' * (len(self.rows) != 1)}"
        states = ", ".join(f"{counts[state]} {state}" for state in State if counts[state])
        return "\n".join([*lines, f"{total}: {states}" if states else "no class is generated here"])

    def to_json(self) -> dict[str, object]:
        """The states as plain JSON."""
        return {"ok": self.is_clean, "files": [row.to_json() for row in self.rows]}


def check(layout: Layout) -> Checked:
    """The state of every generated file of a project. Raises `ScaffoldError` where its specs have faults."""
    found = ProjectSpecs(layout)
    rows = [*_rows(plan_update((), layout)), *_orphaned(found)]
    return Checked(tuple(sorted({row.path: row for row in rows}.values(), key=lambda row: row.path)))


def _rows(plan: Plan) -> Iterator[Row]:
    yield from (_row(step) for step in plan.steps if step.folder is None)
    for line in plan.lines():
        if line.files:
            state = _OF_ACTIONS.get(Action(line.action), State.CLEAN)
            yield Row(line.path, state, f"edited: {', '.join(line.edited[:3])}" if line.edited else "")


def _row(step: Step) -> Row:
    state = State(step.state) if step.state else _OF_ACTIONS.get(step.action, State.CLEAN)
    return Row(str(step.path), state, step.why)


def _orphaned(found: ProjectSpecs) -> Iterator[Row]:
    """What was generated of classes that no spec describes any more."""
    renamed = found.renamed({}).values()
    for name, record in found.orphans.items():
        why = f"no spec describes `{name}` any more (`scaffold destroy {name}`)"
        there = [one.path for one in record.files if (found.layout.root / one.path).is_file()]
        yield from (Row(str(path), State.STALE, why) for path in there if name not in renamed)
