"""What is printed, and in which colours."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

from scaffold.errors import escaped


def can_ask() -> bool:
    """Whether somebody is there to answer: stdin is a terminal, and not closed."""
    return _is_terminal(sys.stdin)


def wants_colour() -> bool | None:
    """What the environment says of colour; None where that is for the stream to say.

    As Python itself decides it: https://no-color.org, https://force-color.org, and terminals that know no colours.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def say(text: str, *, nl: bool = True, paint: Callable[[str], str] = str) -> None:
    """Print a result on stdout, each line as `paint` colours it.

    On a terminal, what a file holds cannot move the cursor; elsewhere, a diff has to be the file's own bytes.
    """
    safe = escaped(text, keep="\n\t") if _is_terminal(sys.stdout) else text
    click.echo("\n".join(map(paint, safe.split("\n"))), nl=nl, color=wants_colour())


def say_json(value: Any) -> None:
    """Print JSON on stdout."""
    import json

    click.echo(json.dumps(value, indent=2))


def hint(text: str) -> None:
    """Print on stderr what may be done next, so that stdout has the result alone."""
    complain(click.style(text, dim=True))


def complain(text: str) -> None:
    """Print on stderr; whoever has closed or filled it wants to hear nothing."""
    with suppress(OSError):
        click.echo(text, err=True, color=wants_colour())


def tolerate_any_text() -> None:
    """Let stdout take characters that its encoding lacks, as stderr does: an escape is better than no word."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def settle_stdout() -> None:
    """Send what stdout cannot take nowhere: Python would try once more at its end, and fail in words of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            ours = sys.stdout.fileno()
            os.dup2(os.open(os.devnull, os.O_WRONLY), ours)
    except (AttributeError, ValueError):  # closed
        return


def _is_terminal(stream: Any) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False
