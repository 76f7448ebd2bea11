"""Copies of files that `--force` replaces or removes, in `.scaffold/kept/`, which git ignores."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from scaffold.files.fileset import Action, File, Plan, Step
from scaffold.files.places import place_of, read_regular
from scaffold.history.records import FOLDER

KEPT = FOLDER / "kept"
_IGNORE = File(KEPT / ".gitignore", "*\n", keep=True)


def with_copies(plan: Plan) -> Plan:
    """Return the plan with a copy of each file that force replaces or removes, and a note of its place."""
    forced = [step for step in plan.writes if step.forced and step.before]
    if not forced:
        return plan
    copies = {step: _copy_of(plan.root, step) for step in forced}
    steps = {step.path: step for copy in copies.values() for step in _missing(plan.root, copy)}
    notes = [f"{step.path}: what was there is kept in {copy.path}" for step, copy in copies.items()]
    steps |= {step.path: step for step in plan.steps}
    ordered = tuple(sorted(steps.values(), key=lambda step: step.path))
    return replace(plan, steps=ordered, notes=(*plan.notes, *notes))


def _copy_of(root: Path, step: Step) -> Step:
    """Return the step of a copy, under a name at which nothing lies but maybe the same bytes."""
    name = f"{step.path}.{sha256(step.before or b'').hexdigest()[:12]}"
    names = (KEPT / (name if number == 1 else f"{name}-{number}") for number in count(1))
    path = next(path for path in names if _is_free_for(place_of(root.resolve(), path), step.before))
    return Step(path, Action.CREATE, None, step.before, folder=KEPT, like=step.path)


def _missing(root: Path, copy: Step) -> Iterator[Step]:
    if not (root / _IGNORE.path).exists():
        yield Step(_IGNORE.path, Action.CREATE, None, _IGNORE.content, (_IGNORE,), folder=KEPT)
    if not (root / copy.path).exists():
        yield copy


def _is_free_for(place: Path, content: bytes | None) -> bool:
    """Whether `place` is free or holds exactly these bytes."""
    try:
        return read_regular(place) == content
    except FileNotFoundError:
        return True
    except OSError:
        return False
