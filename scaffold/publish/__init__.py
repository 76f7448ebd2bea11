"""Carry a plan out: every file of it, or none, whatever fails, whoever else writes, and whenever it is killed.

A run holds the project's lock (`lock.py`) while it compares the plan with the disk once more and writes. Before it replaces
anything, a journal says what it is about to do (`journal.py`); a run that finds the journal of a dead one finishes that, or
undoes it (`recovery.py`). The writing itself is in `carry.py`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scaffold.files.fileset import Plan


def _silent(_: str) -> None: ...


def publish(plan: "Plan", tell: Callable[[str], None] = _silent) -> "Plan":
    """Write what the plan creates and updates, remove what it removes, and return the plan that was carried out; nothing else is touched.

    Edits are made of what is on disk now, so that two runs at once both have their line. New files get the permissions the
    umask gives, existing ones keep theirs, and a symbolic link stays a link. `tell` is given a line where another run has to
    be waited for, or an earlier one that was killed is finished or undone.

    Raises `ScaffoldError` (exit code 1), and leaves the disk as it was, where a conflict holds up the plan, where a whole file is no
    longer what it was when the plan was made, where something cannot be written, or where another run does not end.
    """
    from scaffold.publish.run import publish_plan  # here, because `scaffold --help` writes nothing

    return publish_plan(plan, tell)


def recover(root: Path, tell: Callable[[str], None] = _silent, *, dry: bool = False) -> bool:
    """Finish or undo what a killed run left below `root`, and say whether anything was; for use before a plan is made.

    A run that is still at work is left alone. With `dry`, nothing is written, and `tell` is given a line where there is
    something to finish or to undo. Raises `ScaffoldError` (exit code 1), and touches nothing, where neither can be done
    without losing something.
    """
    from scaffold.publish.run import recover_project

    return recover_project(root, tell, dry=dry)
