"""The commands about what lies behind a class: `show`, and `eject`, which gives a template to begin one's own from."""

from pathlib import Path

import click

from scaffold.cli import options
from scaffold.cli.common_options import diff_option, dry_run_option, folder_option, json_option
from scaffold.cli.outcome import carry_out, recovered_layout
from scaffold.cli.terminal import hint, say, say_json


@click.command("show", short_help="Print what would be generated.")
@click.argument("target", metavar="NAME|SPEC", type=options.CLASSES)
@folder_option
@click.option("--context", is_flag=True, help="Print, as JSON, what the templates are given.")
@json_option
def show(target: str, folder: Path, context: bool, as_json: bool) -> None:
    """Print what would be generated, and write nothing."""
    from scaffold.generate import shown_contexts, shown_files
    from scaffold.in_project.layout import find_layout

    layout = find_layout(folder)
    if context:
        from scaffold.own_templates import described

        say_json(described(shown_contexts(target, layout)))
        return
    files = shown_files(target, layout)
    if as_json:
        say_json({"files": [{"path": str(file.path), "text": file.text} for file in files]})
    else:
        say("\n".join(f"# --- {file.path}\n{file.text}" for file in files), nl=False)
        hint("next: `scaffold new-module --spec` with its spec writes it")


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
    from scaffold.own_templates import ejected

    layout = recovered_layout(folder, writes=not (dry_run or diff))
    found = make_plan(layout.root, ejected(kind, target, layout), force=force)
    if carry_out(found, dry_run=dry_run, diff=diff, as_json=as_json) and not as_json:
        hint(f'next: in pyproject.toml, `[tool.scaffold.templates]` with `{kind} = "{target}"`')
