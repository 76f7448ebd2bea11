"""Entry point of `python -m scaffold` and of the installed commands."""

import atexit
import gc
import os
from contextlib import ExitStack


def main(prog_name: str | None = None) -> None:
    """Run the command line with the garbage collector off, because the process is short."""
    gc.disable()  # before the imports, which make most of the objects
    ending = ExitStack()
    atexit.register(ending.close)  # the first, and so the last to run
    from scaffold.cli import main as commands

    try:
        commands(prog_name=prog_name)
    except SystemExit as end:
        # All is flushed by then; as mypy does it, since Python would free each object first.
        ending.callback(os._exit, int(end.code or 0))
        raise


if __name__ == "__main__":
    main(prog_name="scaffold")
