"""argv to the API: with `scaffold.prompts`, all that prints or sets an exit code."""

from scaffold.cli.commands import main
from scaffold.cli.conversion import convert
from scaffold.cli.lifecycle import check, destroy, update

__all__ = ["check", "convert", "destroy", "main", "update"]
