"""Option `--step` of `adopt`, which writes a suite for an existing training step."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import click

from scaffold.cli.outcome import carry_out, recovered_layout
from scaffold.cli.run_tests import tests_of
from scaffold.errors import Fault, ScaffoldError


class StepOptions(TypedDict):
    """Options of a training step, including those shared with classes."""

    step: str
    state: str
    batch: str
    frozen: tuple[str, ...]
    call: str
    force: bool


_OPTIONS = (
    click.option(
        "--step", default="", metavar="PKG.MOD:FUNCTION", help="Adopt a training step, not classes."
    ),
    click.option("--state", default="", metavar="EXPR", help="With --step: a new state, over `seed`."),
    click.option("--batch", default="", metavar="EXPR", help="With --step: a batch, over `seed`."),
    click.option(
        "--frozen", multiple=True, metavar="PATH", help="With --step: a leaf that no step moves; repeatable."
    ),
)


def step_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of training steps to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_step(targets: tuple[str, ...], step: str, **options: object) -> bool:
    """Whether the arguments name a training step.

    Raises `ScaffoldError` for targets beside a step, for options of a step without it, and if both are
    missing.
    """
    faults = [
        Fault(f"--{name}", "is for a training step", "give `--step PKG.MOD:FUNCTION` too")
        for name, value in options.items()
        if value and not step
    ]
    if targets and step:
        faults.append(Fault("--step", "is given beside targets", "run the command once for each"))
    if not targets and not step:
        faults.append(Fault("TARGET", "is missing", "name a module, a class, or `--step PKG.MOD:FUNCTION`"))
    if faults:
        raise ScaffoldError.of(faults)
    return bool(step)


def adopt_step(options: "StepOptions", folder: Path, *, dry_run: bool, diff: bool, as_json: bool) -> None:
    """Write the suite of a training step, and run it with the project's interpreter."""
    from scaffold.adopt.emit.training_step import StepWanted, plan_step_tests

    writes = not (dry_run or diff)
    layout = recovered_layout(folder, writes=writes)
    plan = plan_step_tests(StepWanted(**options), layout, folder)
    tests = tests_of(plan, layout) if writes else None
    carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json, tests=tests)
