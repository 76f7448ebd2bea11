"""Colours for lines of a plan."""

import click

_ACTIONS = {
    "create": "green",
    "update": "yellow",
    "merge": "yellow",
    "collide": "red",
    "conflict": "red",
    "remove": "yellow",
}
_CHANGES = {"+": "green", "-": "red", "@": "cyan"}


def of_summary(line: str) -> str:
    """Colour the action at the start of a line: `create` green, `update` yellow, `conflict` red."""
    action = line.partition(" ")[0]
    return line.replace(action, click.style(action, fg=_ACTIONS[action]), 1) if action in _ACTIONS else line


def of_diff(line: str) -> str:
    """Colour a line of a diff like git."""
    if line.startswith(("+++ ", "--- ")):
        return click.style(line, bold=True)
    colour = _CHANGES.get(line[:1])
    return click.style(line, fg=colour) if colour else line
