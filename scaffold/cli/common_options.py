"""Options with the same meaning in every command."""

from pathlib import Path

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where to begin to look for the project (default: here).",
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Print the plan and write nothing.")
diff_option = click.option("--diff", is_flag=True, help="Print the plan as a diff and write nothing.")
imports_option = click.option(
    "--with",
    "imports",
    multiple=True,
    metavar="IMPORT",
    help="What the other options may name: 'import ott.geometry as g'; repeat for several.",
)
