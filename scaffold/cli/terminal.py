"""Output on the terminal and its colours."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

from scaffold.errors import escaped


def can_ask() -> bool:
    """Whether stdin is an open terminal."""
    return is_terminal(sys.stdin)


def wants_colour() -> bool | None:
    """Return the environment's choice of colour, or None to let the stream decide.

    The variables are those that Python itself reads: `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def say(text: str, *, nl: bool = True, paint: Callable[[str], str] = str) -> None:
    """Print a result on stdout, with each line coloured by `paint`.

    On a terminal, control characters are escaped, so that a file's content cannot move the cursor. Elsewhere
    they stay, because a diff must have the exact bytes.
    """
    safe = escaped(text, keep="\n\t") if is_terminal(sys.stdout) else text
    click.echo("\n".join(map(paint, safe.split("\n"))), nl=nl, color=wants_colour())


def say_json(value: Any) -> None:
    """Print JSON on stdout."""
    import json

    click.echo(json.dumps(value, indent=2))


def hint(text: str) -> None:
    """Print a next step on stderr, so that stdout has only the result."""
    complain(click.style(text, dim=True))


def complain(text: str) -> None:
    """Print on stderr, and ignore a closed or full stream."""
    with suppress(OSError):
        click.echo(text, err=True, color=wants_colour())


def tolerate_any_text() -> None:
    """Let stdout escape characters that its encoding lacks, as stderr does."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def settle_stdout() -> None:
    """Flush stdout, and discard what it cannot take.

    Otherwise Python would flush again at exit and print an error of its own.
    """
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            ours = sys.stdout.fileno()
            os.dup2(os.open(os.devnull, os.O_WRONLY), ours)
    except (AttributeError, ValueError):  # closed
        return


def is_terminal(stream: Any) -> bool:
    """Whether a stream is an open terminal. Python has no stream where a process began without one."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False
