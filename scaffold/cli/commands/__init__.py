"""Group of all commands, each imported when it is called."""

import click

from scaffold.cli.examples import FIRST_CLASS
from scaffold.cli.group import Commands
from scaffold.publish.signals import stoppable

LEAVES = """
\b
It writes affine.py with its tests and spec. `scaffold new-module NAME` begins
a class with methods; `scaffold COMMAND --help` says more.
"""
COMMANDS = {
    "new-module": "new_module",
    "new-project": "new_project",
    "adopt": "adopt",
    "kinds": "listings",
    "schema": "listings",
    "laws": "listings",
    "convert": "conversion",
    "update": "lifecycle",
    "check": "lifecycle",
    "destroy": "lifecycle",
    "show": "show",
    "eject": "templates",
}
"""Module of this room that defines each command."""


@click.group(
    "scaffold",
    cls=Commands,
    homes={name: f"scaffold.cli.commands.{module}" for name, module in COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=FIRST_CLASS.format(title="A first class:") + LEAVES,
    invoke_without_command=True,
)
@click.version_option(package_name="jax-scaffold", prog_name="scaffold")
@click.pass_context
def main(context: click.Context) -> None:
    """Write JAX modules from a short spec, with the tests that prove them."""
    context.with_resource(stoppable())
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
