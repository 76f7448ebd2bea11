"""argv, or answers (`prompts`), to the API: all that prints or sets an exit code."""

from scaffold.cli.commands import main

__all__ = ["main"]
