"""The test files of a long run: each class is written when it is done."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from scaffold.adopt.journal import Journal
from scaffold.adopt.report import Outcome
from scaffold.files.fileset import Action, Plan, Step

MakePlan = Callable[[Sequence[Outcome]], Plan]


class Streamed(Struct):
    """Publishes the plan of each class, and notes in the journal that it is done."""

    make_plan: MakePlan
    publish: Callable[[Plan], Plan]
    journal: Journal
    plans: list[Plan] = field(default_factory=list[Plan])

    def begun(self) -> "Streamed":
        """The same, with a journal that is begun."""
        self.journal.begin()
        return self

    def add(self, outcome: Outcome) -> None:
        """Write the tests of a class; a run that is killed before the note does the class again."""
        self.plans.append(self.publish(self.make_plan([outcome])))
        self.journal.add(outcome)

    def plan(self, root: Path) -> Plan:
        """All that was carried out, as one plan."""
        return united(root, self.plans)


def united(root: Path, plans: Iterable[Plan]) -> Plan:
    """Plans that were carried out one after the other, as one: for each path, what was first done to it."""
    steps: dict[object, Step] = {}
    notes: dict[str, None] = {}
    for plan in plans:
        notes |= dict.fromkeys(plan.notes)
        for step in plan.steps:
            before = steps.get(step.path)
            if before is None or before.action in (Action.IDENTICAL, Action.KEEP):
                steps[step.path] = step
    return Plan(root, tuple(sorted(steps.values(), key=lambda step: step.path)), notes=tuple(notes))
