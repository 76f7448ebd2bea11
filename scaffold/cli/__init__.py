"""argv to the API: with `scaffold.cli.prompts`, all that prints or sets an exit code."""

from scaffold.cli.commands import main
from scaffold.cli.conversion import convert
from scaffold.cli.lifecycle import check, destroy, update
from scaffold.cli.templates import eject, show

__all__ = ["check", "convert", "destroy", "eject", "main", "show", "update"]
