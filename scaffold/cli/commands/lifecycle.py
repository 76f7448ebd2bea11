"""Commands for generated classes: `update`, `check` and `destroy`."""

import re
import sys
from pathlib import Path

import click

from scaffold.cli import options
from scaffold.cli.common_options import diff_option, dry_run_option, folder_option, json_option
from scaffold.cli.outcome import carry_out, recovered_layout
from scaffold.cli.progress import progress
from scaffold.cli.terminal import hint, say, say_json
from scaffold.errors import ScaffoldError


@click.command("update", short_help="Bring classes to what specs and templates say now; edits stay.")
@click.argument("names", nargs=-1, metavar="[NAME]...", type=options.CLASSES)
@click.option(
    "--rename",
    multiple=True,
    metavar="OLD=NEW",
    help="A class, or a field `Class.field`, that has another name now; repeat for several.",
)
@folder_option
@dry_run_option
@diff_option
@click.option("--force", is_flag=True, help="Replace edited files, and keep a copy of each.")
@json_option
def update(
    names: tuple[str, ...],
    rename: tuple[str, ...],
    folder: Path,
    dry_run: bool,
    diff: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Generate the classes NAME, or all, anew. Edits in them stay.

    If an edit and the new text change the same place, the file gets both between markers. The exit code is
    then 1.
    """
    from scaffold.lifecycle.update import plan_update

    layout = recovered_layout(folder, writes=not (dry_run or diff))
    renamed = dict(map(_pair, rename))
    with progress(as_json=as_json):
        plan = plan_update(names, layout, force=force, rename=renamed)
    carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json)


def _pair(text: str) -> tuple[str, str]:
    old, separator, new = text.partition("=")
    is_field = re.fullmatch(r"\w+\.\w+", old) and re.fullmatch(r"\w+(\.\w+)*", new)
    if not (separator and (is_field or (old.isidentifier() and new.isidentifier()))):
        fix = "write `--rename Affine=Dense`, or `--rename Affine.weight=kernel` of a field"
        raise ScaffoldError(f"`{text}` is not OLD=NEW", where="--rename", fix=fix)
    return old, new


@click.command("check", short_help="Say which generated files are not what would be generated.")
@folder_option
@json_option
def check(folder: Path, as_json: bool) -> None:
    """Say of each generated file whether it is clean, edited, stale, missing or conflicting.

    The exit code is 1 where `scaffold update` would change something.
    """
    from scaffold.lifecycle.check import check as checked

    layout = recovered_layout(folder, writes=False)
    with progress(as_json=as_json):
        report = checked(layout)
    if as_json:
        say_json(report.to_json())
    else:
        say(report.summary())
    if not report.is_clean:
        if not as_json:
            hint(f"next: {report.next_step()}")
        sys.exit(1)


@click.command("destroy", short_help="Remove classes, their tests, specs, records and imports.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=options.CLASSES)
@folder_option
@dry_run_option
@diff_option
@click.option(
    "--force", is_flag=True, help="Remove edited files too, and keep a copy of each; remove classes in use."
)
@json_option
def destroy(
    names: tuple[str, ...], folder: Path, dry_run: bool, diff: bool, force: bool, as_json: bool
) -> None:
    """Remove the classes NAME, their tests, specs, records and imports, and what only they needed.

    Nothing is removed if a file was edited since it was generated. The same holds if other code or another
    spec uses a class.
    """
    from scaffold.lifecycle.destroy import plan_destroy

    layout = recovered_layout(folder, writes=not (dry_run or diff))
    carry_out(plan_destroy(names, layout, force=force), dry_run=dry_run, diff=diff, as_json=as_json)
