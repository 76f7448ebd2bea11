"""Copies of what `--force` replaces or removes: below `.scaffold/kept/`, which git does not see."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath

from scaffold.files.fileset import Action, File, Plan, Step
from scaffold.lifecycle.records import FOLDER

KEPT = FOLDER / "kept"


def with_copies(plan: Plan) -> Plan:
    """The plan that keeps a copy of everything that is replaced or removed by force, and says where."""
    forced = [step for step in plan.writes if step.forced and step.before]
    if not forced:
        return plan
    copies = {
        step.path: step for one in forced for step in _copies(one) if not (plan.root / step.path).exists()
    }
    notes = [f"{one.path}: what was there is kept in {copy_of(one)}" for one in forced]
    steps = {step.path: step for step in (*copies.values(), *plan.steps)}
    ordered = tuple(sorted(steps.values(), key=lambda step: step.path))
    return replace(plan, steps=ordered, notes=(*plan.notes, *notes))


def copy_of(step: Step) -> PurePosixPath:
    """Where the copy lies: below the path that the file had, so that each of its contents has one of its own."""
    return KEPT / f"{step.path}.{sha256(step.before or b'').hexdigest()[:12]}"


def _copies(step: Step) -> Iterator[Step]:
    ignore = File(KEPT / ".gitignore", "*\n", keep=True)
    yield Step(ignore.path, Action.CREATE, None, ignore.content, (ignore,), folder=KEPT)
    yield Step(copy_of(step), Action.CREATE, None, step.before, folder=KEPT, like=step.path)
