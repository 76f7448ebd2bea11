"""Click group that reports every failure of its commands, of parsing too."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from scaffold.cli.failures import guarded, unknown_command
from scaffold.cli.terminal import tolerate_any_text, wants_colour


class Commands(click.Group):
    """Group of commands in the order of `homes`, whose failures all take the form of a `ScaffoldError`.

    `homes` maps each command to its module, which is imported for a call or for help.
    """

    def __init__(self, *args: Any, homes: Mapping[str, str], **more: Any):
        super().__init__(*args, **more)
        self.homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = self.homes.get(cmd_name)
        return None if home is None else getattr(import_module(home), cmd_name.replace("-", "_"))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in self.homes:
            raise unknown_command(args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def main(
        self, args: Sequence[str] | None = None, *rest: Any, standalone_mode: bool = True, **more: Any
    ) -> Any:
        """Run like click's `main`, but report failures in this tool's form.

        Without `standalone_mode`, exceptions reach the caller.
        """
        run = partial(super().main, args, *rest, standalone_mode=False, **{"color": wants_colour(), **more})
        if not standalone_mode:
            return run()
        tolerate_any_text()
        sys.exit(guarded(run, sys.argv[1:] if args is None else args))
