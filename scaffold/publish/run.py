"""Order of publication: lock, recover, compare with the disk again, write."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Plan, refresh
from scaffold.publish.carry import carry_out
from scaffold.publish.journal import LOCK
from scaffold.publish.lock import Lock, is_held, project_lock
from scaffold.publish.recovery import recover_left


def publish_plan(plan: Plan, tell: Callable[[str], None]) -> Plan:
    """Carry out the plan as `scaffold.publish.publish` describes."""
    plan.refuse_conflicts()
    root = Path(os.path.realpath(plan.root))
    if not plan.writes and not os.path.lexists(root / LOCK):
        return plan
    with _made(root), _recovered(root, tell) as lock:
        plan = refresh(plan)
        plan.refuse_conflicts()
        if plan.writes:
            carry_out(plan, root, lock)
    return plan


def recover_project(root: Path, tell: Callable[[str], None], *, dry: bool) -> bool:
    """Recover as `scaffold.publish.recover` describes."""
    root = Path(os.path.realpath(root))
    if not os.path.lexists(root / LOCK) or is_held(root):
        return False
    if dry:
        tell("an earlier run was killed: the next one that writes finishes or undoes it")
        return False
    with _recovered(root, tell):
        return True


@contextmanager
def _recovered(root: Path, tell: Callable[[str], None]) -> Generator[Lock, None, None]:
    """Hold the lock after recovery from a dead run."""
    with project_lock(root, tell) as lock:
        if lock.left and (said := recover_left(root, lock)):
            tell(said)
        lock.begin()
        yield lock


@contextmanager
def _made(root: Path) -> Generator[None, None, None]:
    """Create the root, and remove it again if an error leaves it empty."""
    made = [*takewhile(lambda folder: not folder.exists(), (root, *root.parents))]
    try:
        for folder in reversed(made):
            _make(folder)
        yield
    except BaseException:
        for folder in made:
            with suppress(OSError):  # never made, or something else is in it by now
                folder.rmdir()
        raise


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        message = f"cannot be made: {error.strerror or error}; nothing was changed"
        fix = "allow writing there, then run the command again"
        raise ScaffoldError(message, where=str(folder), fix=fix, exit_code=1) from error
