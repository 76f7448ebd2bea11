"""Requests and answers: a line of JSON each."""

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
"""The folder of all that the tool brings into this process."""


def serve(load_laws: Callable[[], object], checked_types: str) -> None:
    """Answers requests until there are none. What classes print goes to stderr."""
    requests, answers = claim_streams()
    answer(answers, {"versions": installed_versions()})  # before anything of them is imported
    problem = missing_library(load_laws)
    answer(answers, {"ready": not problem, "why": problem})
    handlers = {} if problem else load_handlers()
    leave_no_bytecode()
    check_types(checked_types)
    for line in requests:
        request = json.loads(line)
        answer(answers, {"id": request["id"], **handle(handlers, request)})


def claim_streams() -> tuple[TextIO, TextIO]:
    """The streams to the tool; whoever prints or reads in this process gets others."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


def answer(answers: TextIO, value: dict[str, Any]) -> None:
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:  # of what a class gave for a text
        text = json.dumps({"id": value.get("id"), "error": f"its answer is no JSON: {error}"})
    answers.write(text + "\n")
    answers.flush()


def installed_versions() -> dict[str, str]:
    """The versions of the libraries that classes are made of, as far as they are installed."""
    versions: dict[str, str] = {}
    for name in ("jax", "equinox", "flax"):
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def missing_library(load_laws: Callable[[], object]) -> str:
    """The module that this interpreter lacks, of those that the laws need; nothing else."""
    try:
        load_laws()
    except ModuleNotFoundError as error:
        return str(error.name)
    import jax

    # Most of what is tried fails, and to shorten the traceback takes longer than the try.
    jax.config.update("jax_traceback_filtering", "off")
    return ""


def load_handlers() -> dict[str, Handler]:
    """What answers each request, which jax has to be there for."""
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
    """Have annotations checked at each call, as jaxtyping does for `--jaxtyping-packages=PACKAGE,...,CHECKER`, where both are installed."""
    *names, checker = re.split(r",(?![^(]*\))", packages)  # the checker may be a call with several arguments
    modules = ("jaxtyping", checker.strip().partition(".")[0])
    if names and all(map(importlib.util.find_spec, modules)):
        hook: Any = importlib.import_module("jaxtyping")
        hook.install_import_hook([name.strip() for name in names], checker.strip())


def leave_no_bytecode() -> None:
    """Write none from here on, in processes that a class starts either: the folders of what is looked at stay as they are."""
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def handle(handlers: Mapping[str, Handler], request: Request) -> dict[str, Any]:
    """The answer to a request; whatever a class raises is part of it."""
    from ..classes.messages import message_of

    with contextlib.redirect_stdout(sys.stderr):
        try:
            return handlers[request["do"]](request)
        except Exception as error:  # of the tool: what classes raise is caught where they run
            message = f"{type(error).__name__}: {message_of(error)}"
            return {"error": message, "internal": place_in_tool(error)}


def place_in_tool(error: BaseException) -> str:
    """The file and line of the tool that raised an error; empty where a class or a library did."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    file = Path(frame.filename)
    is_ours = OF_TOOL in file.parents or "pytree_laws" in file.parts
    return f"{file.name}:{frame.lineno}" if is_ours else ""
