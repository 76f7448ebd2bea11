"""Command `new-project`."""

import click

from scaffold.cli import options
from scaffold.cli.common_options import diff_option, dry_run_option, json_option
from scaffold.cli.outcome import carry_out, recovered
from scaffold.cli.terminal import can_ask, hint


@click.command(
    "new-project", cls=options.WithQuestions, short_help="Make a project: a package, tests, checks, docs."
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--data",
    multiple=True,
    type=options.ANSWERS,
    metavar="KEY=VALUE",
    help="Answer a question; repeat for several.",
)
@click.option(
    "--sharding",
    is_flag=True,
    help="With a decoder that trains on many devices; as `--data sharding=true`.",
)
@click.option("--defaults", is_flag=True, help="Ask nothing: what is not answered has its default.")
@dry_run_option
@diff_option
@click.option("--force", is_flag=True, help="Replace files that nobody has edited since they were made.")
@json_option
def new_project(
    folder: str,
    data: tuple[str, ...],
    sharding: bool,
    defaults: bool,
    dry_run: bool,
    diff: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make a project in DIR: a package with its first classes, tests, checks, documentation and workflows.

    On a terminal it asks what `--data` does not answer.
    """
    from scaffold.project import next_steps, parse_answers, plan_project, project_folder

    target = project_folder(folder)
    recovered(target, writes=not (dry_run or diff))
    ask = can_ask() and not (defaults or as_json)
    plan = plan_project(target, parse_answers([*data, *["sharding=true"] * sharding]), ask=ask, force=force)
    written = carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json)
    if written and not as_json:
        hint(f"next: {' && '.join(next_steps(written))}")
