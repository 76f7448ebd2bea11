"""Requests and answers of the child process, a line of JSON each."""

import contextlib
import importlib.util
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

Request = dict[str, Any]
Handler = Callable[[Request], dict[str, Any]]
OF_TOOL = Path(__file__).parents[1]
"""Folder with all code of scaffold in this process."""


def serve(load_laws: Callable[[], object], checked_types: str) -> None:
    """Answer requests until there are none. Prints of classes go to stderr."""
    requests, answers = claim_streams()
    answer(answers, {"versions": installed_versions()})  # before an import, which an old version may break
    problem = missing_library(load_laws)
    answer(answers, {"ready": not problem, "why": problem})
    handlers = {} if problem else load_handlers()
    leave_no_bytecode()
    check_types(checked_types)
    for line in requests:
        request = json.loads(line)
        answer(answers, {"id": request["id"], **handle(handlers, request)})


def claim_streams() -> tuple[TextIO, TextIO]:
    """Return the streams to the parent, and give stderr and an empty input to all other code."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


def answer(answers: TextIO, value: dict[str, Any]) -> None:
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:  # from a value of a class
        text = json.dumps({"id": value.get("id"), "error": f"its answer is no JSON: {error}"})
    answers.write(text + "\n")
    answers.flush()


def installed_versions() -> dict[str, str]:
    """Return the installed versions of jax, Equinox and Flax."""
    versions: dict[str, str] = {}
    for name in ("jax", "equinox", "flax"):
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def missing_library(load_laws: Callable[[], object]) -> str:
    """Load the laws. Return the name of a missing module, or an empty text."""
    try:
        load_laws()
    except ModuleNotFoundError as error:
        return str(error.name)
    import jax

    # Most tries fail, and to shorten the traceback takes longer than the try.
    jax.config.update("jax_traceback_filtering", "off")
    return ""


def load_handlers() -> dict[str, Handler]:
    """Return the handler of each request. Their modules import jax."""
    from ..judge.run_laws import leaf_order, run_laws
    from .adopt import adopt
    from .list_classes import list_classes
    from .locate_source import locate_source
    from .reproduce import reproduce
    from .show import show

    return {
        "list": list_classes,
        "adopt": adopt,
        "locate": locate_source,
        "run": run_laws,
        "order": leaf_order,
        "reproduce": reproduce,
        "show": show,
    }


def check_types(packages: str) -> None:
    """Check annotations at each call, if jaxtyping and the checker are installed.

    `packages` has the form of the option `--jaxtyping-packages=PACKAGE,...,CHECKER`.
    """
    *names, checker = re.split(r",(?![^(]*\))", packages)  # the checker may be a call with several arguments
    modules = ("jaxtyping", checker.strip().partition(".")[0])
    if names and all(map(importlib.util.find_spec, modules)):
        hook: Any = importlib.import_module("jaxtyping")
        hook.install_import_hook([name.strip() for name in names], checker.strip())


def leave_no_bytecode() -> None:
    """Write no bytecode to the user's folders, also in processes that a class starts."""
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def handle(handlers: Mapping[str, Handler], request: Request) -> dict[str, Any]:
    """Return the answer to a request, which describes any error."""
    from ..classes.messages import message_of

    with contextlib.redirect_stdout(sys.stderr):
        try:
            return handlers[request["do"]](request)
        except Exception as error:  # from scaffold: errors of classes are caught earlier
            message = f"{type(error).__name__}: {message_of(error)}"
            return {"error": message, "internal": place_in_tool(error)}


def place_in_tool(error: BaseException) -> str:
    """Return file and line of an error in scaffold or the laws, or an empty text for other code."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    file = Path(frame.filename)
    is_ours = OF_TOOL in file.parents or "pytree_laws" in file.parts
    return f"{file.name}:{frame.lineno}" if is_ours else ""
