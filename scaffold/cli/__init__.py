"""argv to the API: with `scaffold.prompts`, all that prints or sets an exit code."""

from scaffold.cli.commands import main
from scaffold.cli.conversion import convert

__all__ = ["convert", "main"]
