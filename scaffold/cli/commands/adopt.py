"""Command `adopt`, which writes suites for existing classes."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from scaffold.cli.commands.adopt_step import StepOptions, adopt_step, is_step, step_options
from scaffold.cli.common_options import folder_option, imports_option, json_option
from scaffold.cli.failures import fault_texts, faults_json
from scaffold.cli.outcome import published, recovered_layout
from scaffold.cli.progress import class_progress
from scaffold.cli.terminal import complain, hint, say, say_json
from scaffold.errors import ScaffoldError

if TYPE_CHECKING:
    from scaffold.adopt import Wanted
    from scaffold.files.fileset import Plan

MAX_FILES = 8
"""Limit of lines about written files, because a library has hundreds of classes."""


@click.command("adopt", short_help="Write and run the tests of classes that exist.")
@click.argument("targets", nargs=-1, metavar="TARGET...")
@step_options
@click.option("--python", metavar="PATH", help="The interpreter of your project, or its environment.")
@click.option(
    "--build",
    default="",
    metavar="EXPR",
    help="How the class is built, over `seed`: 'Net(3, key=jax.random.key(seed))'.",
)
@click.option(
    "--call",
    default="",
    metavar="CALL",
    help="What is called: a method, or with arguments 'mv(sample(seed, (3,)))'.",
)
@click.option(
    "--set", "sets", multiple=True, metavar="NAME=VALUE", help="The value of an argument; repeat for several."
)
@imports_option
@click.option("--baseline", is_flag=True, help="Leave out what is found, with its text as the reason.")
@click.option(
    "--no-record", is_flag=True, help="Leave what the classes compute to the first run of their tests."
)
@click.option(
    "-n",
    "processes",
    type=click.IntRange(1),
    help="How many processes (default: as many as cores, at most 4; fewer for a few classes).",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(1),
    default=60.0,
    metavar="SECONDS",
    help="For each class, and each test; twice that for imports (default: 60).",
)
@click.option(
    "--memory",
    type=click.FloatRange(0.1),
    metavar="GIB",
    help="For each process (default: 2).",
)
@click.option("--resume", is_flag=True, help="Go on with the run of these targets that was ended.")
@folder_option
@click.option("--dry-run", is_flag=True, help="Run the tests and print the plan, and write nothing.")
@click.option("--diff", is_flag=True, help="Print the tests as a diff, and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite tests that differ.")
@click.option(
    "--spec",
    "as_spec",
    is_flag=True,
    help="Print the class as a spec, and what its tests leave out; write nothing.",
)
@click.option(
    "--check",
    "checks",
    is_flag=True,
    help="Say, without jax, which classes have no suite; write nothing; exit code 1 where one has none.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.md",
    help="Write all that is said to a file as well.",
)
@json_option
def adopt(
    targets: tuple[str, ...],
    python: str | None,
    build: str,
    call: str,
    sets: tuple[str, ...],
    imports: tuple[str, ...],
    baseline: bool,
    no_record: bool,
    processes: int | None,
    time_limit: float,
    memory: float | None,
    resume: bool,
    folder: Path,
    dry_run: bool,
    diff: bool,
    force: bool,
    as_spec: bool,
    checks: bool,
    report_file: Path | None,
    as_json: bool,
    **of_step: Any,
) -> None:
    """Write the tests of classes that exist, run them, and say what is wrong.

    A TARGET is `pkg.mod:Class`, `pkg.mod` with all that is below it, or `path.py`. The interpreter of your
    project shows how a class is built and called. Nothing is installed there. For what cannot be found, the
    report names the option that gives it.

    With `--step` it writes the tests of a training step: `--step pkg.train:train_step --state 'create(seed)'
    --batch 'batch_of(seed)'`.
    """
    from scaffold.adopt import Wanted
    from scaffold.adopt.targets.imports_said import checked_imports

    if is_step(targets, **of_step):
        adopt_step(
            StepOptions(**of_step, call=call, force=force),
            folder,
            dry_run=dry_run,
            diff=diff,
            as_json=as_json,
        )
        return
    if checks:
        _check(targets, folder, as_json=as_json)
        return
    wanted = Wanted(targets, python, build, call, pairs(sets), baseline, processes or 0, time_limit, force)
    wanted = replace(
        wanted, memory=memory or 0.0, resume=resume, records=not no_record, imports=checked_imports(imports)
    )
    if as_spec:
        _print_specs(wanted, folder, as_json=as_json)
        return
    _adopt_classes(wanted, folder, report_file, dry_run=dry_run, diff=diff, as_json=as_json)


def _adopt_classes(
    wanted: "Wanted", folder: Path, report_file: Path | None, *, dry_run: bool, diff: bool, as_json: bool
) -> None:
    """Write and run the tests of classes, and print the report."""
    from scaffold.adopt import adopt as find

    writes = not (dry_run or diff)
    layout = recovered_layout(folder, writes=writes)
    plan, report = find(wanted, layout, folder, class_progress, published if writes else None)
    collides = bool(plan.conflicts or plan.collisions)
    if report_file is not None:
        report_file.write_text(report.markdown(), encoding="utf-8", newline="\n")
        report = replace(report, whole=str(report_file))
        hint(f"wrote {report_file}")
    if as_json:
        faults = faults_json(plan.faults()) if collides else {}
        ok = report.ok and not collides
        say_json({"ok": ok, "written": writes, **report.to_json(), **faults, **plan.to_json()})
    else:
        files = ["", *_first_files(plan)] if dry_run else []
        say(plan.diff() if diff else "\n".join([report.text(), *files]))
        if collides:
            complain("\n".join(fault_texts(plan.faults())))
        hint(
            "\n".join(_written(plan, layout.tests.as_posix()))
            if writes
            else "nothing of the plan is written yet"
        )
    if collides or not report.ok:
        sys.exit(1 if collides else report.exit_code)


def _check(targets: tuple[str, ...], folder: Path, *, as_json: bool) -> None:
    """Print the classes without a suite and the suites that were changed. Exit with 1 if there are any."""
    from scaffold.adopt.targets.coverage import check_coverage

    coverage = check_coverage(targets, recovered_layout(folder, writes=False), folder)
    if as_json:
        say_json(coverage.to_json())
    else:
        say(coverage.summary())
    if not coverage.is_clean:
        if not as_json:
            hint(
                f"next: scaffold adopt {' '.join(coverage.without)}"
                if coverage.without
                else "next: scaffold update"
            )
        sys.exit(1)


def _print_specs(wanted: "Wanted", folder: Path, *, as_json: bool) -> None:
    """Print the specs on stdout, for a file to take, and on stderr what their tests leave out."""
    from scaffold.adopt.as_spec.flow import specs

    report = specs(wanted, recovered_layout(folder, writes=False), folder, class_progress)
    if as_json:
        say_json({"ok": report.ok, **report.to_json()})
    else:
        if report.text():
            say(report.text())
        complain(report.notes())
    if not report.ok:
        sys.exit(1)


def pairs(sets: tuple[str, ...]) -> dict[str, str]:
    """Return the values of `--set` by name. Raises `ScaffoldError` for malformed pairs."""
    wrong = [
        assignment
        for assignment in sets
        if not assignment.partition("=")[0].isidentifier() or "=" not in assignment
    ]
    if wrong:
        raise ScaffoldError(
            f"`{wrong[0]}` sets nothing", where="--set", fix="write NAME=VALUE, such as num_heads=2"
        )
    return {name: value for name, _, value in (assignment.partition("=") for assignment in sets)}


def _written(plan: "Plan", tests: str) -> Iterator[str]:
    """Yield the first written files and the command that runs the tests."""
    yield from _first_files(plan)
    yield f"next: pytest {Path(plan.root.name) / tests if plan.root != Path.cwd() else tests}"


def _first_files(plan: "Plan") -> Iterator[str]:
    """Yield the first lines of the plan's summary and a count of the others."""
    lines = plan.summary().splitlines()
    yield from lines[:MAX_FILES]
    if len(lines) > MAX_FILES:
        yield f"and {len(lines) - MAX_FILES} more"
