"""argv to the API: with `scaffold.prompts`, all that prints or sets an exit code."""

from scaffold.cli.commands import main

__all__ = ["main"]
