"""Command `eject`, which copies a template for the user to adapt."""

from pathlib import Path

import click

from scaffold.cli import options
from scaffold.cli.common_options import diff_option, dry_run_option, folder_option, json_option
from scaffold.cli.outcome import carry_out, recovered_layout
from scaffold.cli.terminal import hint


@click.command("eject", short_help="Copy the template of a kind, to begin one's own from.")
@click.argument("kind", metavar="KIND", type=options.KINDS)
@click.argument("target", metavar="DIR")
@folder_option
@dry_run_option
@diff_option
@click.option("--force", is_flag=True, help="Overwrite files that differ.")
@json_option
def eject(
    kind: str, target: str, folder: Path, dry_run: bool, diff: bool, force: bool, as_json: bool
) -> None:
    """Copy the template of KIND into the folder DIR of the project."""
    from scaffold.files.fileset import make_plan
    from scaffold.rendering.own_templates import ejected

    layout = recovered_layout(folder, writes=not (dry_run or diff))
    plan = make_plan(layout.root, ejected(kind, target, layout), force=force)
    if carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json) and not as_json:
        hint(f'next: in pyproject.toml, `[tool.scaffold.templates]` with `{kind} = "{target}"`')
