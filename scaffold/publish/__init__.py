"""Publication of a plan: all of its files or none, despite failures, concurrent writers and kills.

A run holds the project's lock (`lock.py`) while it compares the plan with the disk again and writes. Before
it replaces anything, it describes its writes in a journal (`journal.py`). A run that finds the journal of a
dead run finishes or undoes it (`recovery.py`). `carry.py` writes the files.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scaffold.files.fileset import Plan


def _silent(_: str) -> None: ...


def publish(plan: "Plan", tell: Callable[[str], None] = _silent) -> "Plan":
    """Carry out the plan, and return it as carried out.

    Edits start from the content now on disk, so that two concurrent runs both get their lines in. New files
    get the permissions of the umask. Existing files keep theirs, and symbolic links stay. `tell` receives a
    line if the run waits for another, or recovers from a killed run.

    Raises `ScaffoldError` (exit code 1), and leaves the disk as it was, for a conflict or a failed write. The
    same holds if a whole file has changed since the plan, or another run does not end.
    """
    from scaffold.publish.run import publish_plan  # here, because `scaffold --help` writes nothing

    return publish_plan(plan, tell)


def recover(root: Path, tell: Callable[[str], None] = _silent, *, dry: bool = False) -> bool:
    """Finish or undo what a killed run left below `root`, before a plan is made. Return whether it did.

    A live run is left alone. With `dry`, `tell` only receives a line that there is something to recover.
    Raises `ScaffoldError` (exit code 1), and touches nothing, if either way would lose data.
    """
    from scaffold.publish.run import recover_project

    return recover_project(root, tell, dry=dry)
