"""Run of scripts that should show a finding by an error of their last statement."""

import ast
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from pytree_laws.engine.timeout import TooLong, time_limit

from ..classes.lookup import add_to_path
from ..classes.messages import message_of

NAME = "<reproduction>"
SECONDS = 20.0
"""Time limit for a script."""
SAY_THE_SAME = {"Leaked trace": "tracer", "unhashable": "static"}
"""Words of errors, each with the word of a finding that does not name the error."""


def reproduce(request: dict[str, Any]) -> dict[str, Any]:
    """Return the place and the error of the first script that shows a finding."""
    add_to_path(request["folders"])
    for place, script in enumerate(request["scripts"]):
        error = raised_by(script)
        if error is not None and is_of_last_statement(error, script) and is_expected(error, request["what"]):
            return {"place": place, "error": f"{type(error).__name__}: {message_of(error)}"}
    return {"place": None}


def raised_by(script: str) -> Exception | None:
    """Run a script and return its error, or None if there is none or time runs out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with time_limit(SECONDS, "reproduce"):
                exec(compile(script, NAME, "exec"), {"__name__": NAME})
        except TooLong:
            return None
        except Exception as error:
            return error
    return None


def is_of_last_statement(error: Exception, script: str) -> bool:
    """Whether the last statement raised the error. Statements above only make an instance."""
    statements: Sequence[ast.stmt] = ast.parse(script).body
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if frame.filename == NAME]
    return bool(lines) and lines[0] >= statements[-1].lineno


def is_expected(error: Exception, finding: str) -> bool:
    """Whether the error is an `AssertionError`, or a finding of this text names or describes it."""
    words = [word for word, of in SAY_THE_SAME.items() if of in finding]
    return (
        type(error) is AssertionError
        or type(error).__name__ in finding
        or any(word in str(error) for word in words)
    )
