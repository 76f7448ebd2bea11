"""Publication or display of a plan, with the exit code for conflicts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scaffold.cli import paint
from scaffold.cli.failures import fault_texts, faults_json
from scaffold.cli.progress import progress
from scaffold.cli.terminal import complain, hint, say, say_json

if TYPE_CHECKING:
    from scaffold.cli.run_tests import Results, Tests
    from scaffold.files.fileset import Plan
    from scaffold.in_project.layout import Layout


def recovered(root: Path, *, writes: bool) -> bool:
    """Finish or undo a killed run, and return whether it left anything. Without `writes`, only report it."""
    from scaffold.publish import recover

    return recover(root, complain, dry=not writes)


def recovered_layout(folder: Path, *, writes: bool) -> "Layout":
    """Return the layout of the project around `folder`, after recovery from a killed run."""
    from scaffold.in_project.layout import find_layout

    layout = find_layout(folder)
    return find_layout(folder) if recovered(layout.root, writes=writes) else layout


def carry_out(
    plan: "Plan", *, dry_run: bool, diff: bool, as_json: bool, tests: "Tests | None" = None
) -> "Plan | None":
    """Publish or show the plan, then run `tests`. Return the published plan, or None if nothing was written.

    Exits with 1 on conflicts, on merges that need a decision, and on failed tests.
    """
    written = not (dry_run or diff)
    if written:
        with progress(as_json=as_json):
            plan = published(plan)
    collides = bool(plan.conflicts or plan.collisions)
    tests = tests if written and not collides else None
    if as_json:
        results = tests.run(as_json=True) if tests else None
        _show_json(plan, results, written=written)
    else:
        _show(plan, diff=diff)
        results = tests.run(as_json=False) if tests else None
        if results and results.adopted:
            say(results.adopted.text())
        if results and results.untried:
            say(results.untried)
    if collides or (results and not results.ok):
        if collides and written and not as_json:
            complain("\n".join(fault_texts(plan.faults())))
        sys.exit(1)
    if not (written or as_json):
        hint("nothing is written yet: run it without " + ("--diff" if diff else "--dry-run"))
    return plan if written else None


def published(plan: "Plan") -> "Plan":
    """Run the plan's commands and publish it."""
    from scaffold.publish import publish

    if plan.commands:
        from scaffold.fit.add_dependencies import run_commands

        run_commands(plan)
    return publish(plan, complain)


def _show_json(plan: "Plan", results: "Results | None", *, written: bool) -> None:
    faults = faults_json(plan.faults())
    faults = faults if faults["faults"] else {}
    tests = {"tests": results.to_json()} if results else {}
    ok = not faults and (results is None or results.ok)
    say_json({"ok": ok, "written": written, **faults, **plan.to_json(), **tests})


def _show(plan: "Plan", *, diff: bool) -> None:
    if diff:
        say(plan.diff(), nl=False, paint=paint.of_diff)
    else:
        say(plan.summary() or "no class is generated here", paint=paint.of_summary)
