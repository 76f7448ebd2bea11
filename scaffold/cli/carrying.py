"""Carrying a plan out, or showing it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scaffold.cli import paint
from scaffold.cli.terminal import complain, hint, say, say_json

if TYPE_CHECKING:
    from scaffold.fileset import Plan


def recovered(root: Path, *, writes: bool) -> bool:
    """Whether what a killed run left was finished or undone; a run that writes nothing only tells of it."""
    from scaffold.publish import recover

    return recover(root, complain, dry=not writes)


def carry_out(plan: "Plan", *, dry_run: bool, diff: bool, as_json: bool) -> "Plan | None":
    """Publish the plan, or show it; the plan as it was carried out, None where nothing is written."""
    from scaffold.publish import publish

    written = not (dry_run or diff)
    if written:
        if plan.commands:
            from scaffold.add_dependencies import run_commands

            run_commands(plan)
        plan = publish(plan, complain)
    if as_json:
        say_json({"ok": not plan.conflicts, "written": written, **plan.to_json()})
    elif diff:
        say(plan.diff(), nl=False, paint=paint.of_diff)
    else:
        say(plan.summary(), paint=paint.of_summary)
    if plan.conflicts:
        sys.exit(1)
    if not (written or as_json):
        hint("nothing is written yet: run it without " + ("--diff" if diff else "--dry-run"))
    return plan if written else None
