"""Test files of a long run, each written as soon as its class is done."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from scaffold.adopt.journal import Journal
from scaffold.adopt.report import Outcome
from scaffold.files.fileset import Action, Plan, Step

MakePlan = Callable[[Sequence[Outcome]], Plan]


class Streamed(Struct):
    """Publisher of the plan of each class, which notes finished classes in the journal."""

    make_plan: MakePlan
    publish: Callable[[Plan], Plan]
    journal: Journal
    plans: list[Plan] = field(default_factory=list[Plan])

    def begun(self) -> "Streamed":
        """Begin the journal, and return this object."""
        self.journal.begin()
        return self

    def add(self, outcome: Outcome) -> None:
        """Write the tests of a class, then note it in the journal.

        A run killed in between repeats the class.
        """
        self.plans.append(self.publish(self.make_plan([outcome])))
        self.journal.add(outcome)

    def plan(self, root: Path) -> Plan:
        """Return all published plans as a single plan."""
        return united(root, self.plans)


def united(root: Path, plans: Iterable[Plan]) -> Plan:
    """Merge plans carried out in turn. Each path keeps its first step that wrote something."""
    steps: dict[object, Step] = {}
    notes: dict[str, None] = {}
    for plan in plans:
        notes |= dict.fromkeys(plan.notes)
        for step in plan.steps:
            before = steps.get(step.path)
            if before is None or before.action in (Action.IDENTICAL, Action.KEEP):
                steps[step.path] = step
    return Plan(root, tuple(sorted(steps.values(), key=lambda step: step.path)), notes=tuple(notes))
