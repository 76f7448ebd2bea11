"""The group of all commands: it reports what goes wrong in any of them, parsing included."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from scaffold.cli.failures import guarded, unknown_command
from scaffold.cli.terminal import tolerate_any_text, wants_colour


class Commands(click.Group):
    """Commands in the order in which they are defined, whose every failure has the form of a `ScaffoldError`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in self.commands:
            raise unknown_command(args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def main(
        self, args: Sequence[str] | None = None, *rest: Any, standalone_mode: bool = True, **more: Any
    ) -> Any:
        """As click's, but for how a failure is told; without `standalone_mode` the caller gets the exception."""
        run = partial(super().main, args, *rest, standalone_mode=False, **{"color": wants_colour(), **more})
        if not standalone_mode:
            return run()
        tolerate_any_text()
        sys.exit(guarded(run, sys.argv[1:] if args is None else args))
