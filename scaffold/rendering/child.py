"""Process that renders a project's templates. Requests and answers are lines of JSON."""

import json
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

MEMORY = 2**30
"""Limit of memory in bytes, because a template can request any amount of text."""
LONGEST = 4 * 2**20
"""Limit of characters in a file."""


def main() -> None:
    """Answer requests until the input ends."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    _limit_memory()
    for line in sys.stdin:
        request = json.loads(line)
        _end_in(request["seconds"])
        print(json.dumps(_answer(request["sources"], request["context"])), flush=True)
        _end_in(0)


def _answer(sources: list[tuple[str, str]], context: dict[str, Any]) -> dict[str, Any]:
    from scaffold.rendering.render import compiled, line_of

    files: list[tuple[str, str]] = []
    for path, text in sources:
        try:
            target, rendered = compiled(path).render(context), compiled(text).render(context)
            if len(rendered) > LONGEST:
                raise MemoryError
            files.append((target, rendered))
        except MemoryError:
            return {"path": path, "what": "what it lays out is too large", "line": None}
        except Exception as error:  # a filter or an operator raises what it likes
            message = str(error) or type(error).__name__
            return {"path": path, "what": message, "line": getattr(error, "lineno", None) or line_of(error)}
    return {"files": files}


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _end_in(seconds: int) -> None:
    """End this process after that time, since the tool may have been killed. Zero cancels it."""
    with suppress(AttributeError):  # Windows has no such signal
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
