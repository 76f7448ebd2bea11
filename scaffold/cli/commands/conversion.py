"""Command `convert`."""

from pathlib import Path

import click

from scaffold.cli.common_options import diff_option, dry_run_option, folder_option, json_option
from scaffold.cli.outcome import carry_out, recovered_layout

SPEC = click.Path(path_type=Path)


@click.command("convert", short_help="Write a spec in its other form: TOML, or Python.")
@click.argument("source", metavar="SPEC", type=SPEC)
@click.argument("target", metavar="FILE|DIR", type=SPEC)
@folder_option
@dry_run_option
@diff_option
@click.option("--force", is_flag=True, help="Overwrite files that differ.")
@json_option
def convert(
    source: Path, target: Path, folder: Path, dry_run: bool, diff: bool, force: bool, as_json: bool
) -> None:
    """Write the spec SPEC in its other form: `affine.toml` as `affine.py`, or the other way.

    Where the second argument is a folder, each class gets a file there.
    """
    from scaffold.convert.plan import plan_conversion

    layout = recovered_layout(folder, writes=not (dry_run or diff))
    plan = plan_conversion(source, target, layout, force=force)
    carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json)
