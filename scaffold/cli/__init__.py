"""Command line: the only place that prints or sets an exit code."""

from scaffold.cli.commands import main

__all__ = ["main"]
