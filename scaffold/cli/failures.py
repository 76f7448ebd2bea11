"""Conversion of every failure of a command to a `ScaffoldError`, and its printing."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import click

from scaffold.cli.terminal import complain, say_json, settle_stdout
from scaffold.errors import Fault, ScaffoldError, shown, suggestion
from scaffold.publish.signals import Stopped

TRACEBACK = "SCAFFOLD_TRACEBACK"
"""Environment variable that makes an internal error print its traceback."""
FAULT_OF_THE_TOOL = 70
"""Exit code of an internal error: `EX_SOFTWARE` of `sysexits.h`."""
_MOST_PLACES = 20
_MOST_FAULTS = 50


def guarded(run: Callable[[], Any], arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    Print any failure, as JSON if `--json` is among the arguments.
    """
    try:
        code = run()
    except BrokenPipeError:
        return 1  # who reads has had enough
    except Stopped as stop:
        complain(str(stop))
        raise
    except Exception as error:
        return _refuse(_as_scaffold_error(error, arguments), as_json="--json" in arguments)
    finally:
        settle_stdout()
    return code if isinstance(code, int) else 0


def _refuse(error: ScaffoldError, *, as_json: bool) -> int:
    if as_json:
        with suppress(OSError):
            say_json(error_json(error))
    else:
        complain("\n".join(fault_texts(error.faults)))
    return error.exit_code


def error_json(error: ScaffoldError) -> dict[str, Any]:
    """Return the JSON of an error for `--json`."""
    return {"ok": False, **faults_json(error.faults)}


def faults_json(faults: Sequence[Fault]) -> dict[str, Any]:
    """Return the first faults and a count of the others."""
    first = [fault.to_json() for fault in faults[:_MOST_FAULTS]]
    more = len(faults) - len(first)
    return {"faults": first, **({"left_out": more} if more else {})}


def fault_texts(faults: Sequence[Fault]) -> list[str]:
    """Format the faults. Faults with the same cause, fix and legal values are merged."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[Fault]] = {}
    for fault in faults:
        alike.setdefault((fault.what, fault.fix, fault.legal), []).append(fault)
    groups = list(alike.values())
    texts = [
        _fault_text(first, [other.place for other in others]) for first, *others in groups[:_MOST_FAULTS]
    ]
    more = sum(map(len, groups[_MOST_FAULTS:]))
    return [*texts, f"and {more} more faults"] if more else texts


def _fault_text(fault: Fault, others: Sequence[str]) -> str:
    """Format a fault with the other places where it occurs."""
    first, *rest = str(fault).split("\n")
    places = list(dict.fromkeys(others))
    more = [f"and {len(places) - _MOST_PLACES} more"] if len(places) > _MOST_PLACES else []
    also = [f"  also: {', '.join([*map(shown, places[:_MOST_PLACES]), *more])}"] if places else []
    return "\n".join([click.style("error: ", fg="red") + first, *also, *rest])


def _as_scaffold_error(error: Exception, arguments: Sequence[str]) -> ScaffoldError:
    match error:
        case ScaffoldError():
            return error
        case click.Abort():
            return ScaffoldError(
                "Aborted! Nothing was written", where="scaffold", fix="run it again", exit_code=1
            )
        case click.ClickException():
            return _usage_error(error, arguments)
        case OSError():
            return _refused_by_the_system(error)
        case RecursionError() | MemoryError():
            message = "something in what it was given is nested too deeply, goes in a circle, or is too large"
            return ScaffoldError(message, where="scaffold", fix="make it smaller")
        case _:
            return _fault_of_the_tool(error)


def _refused_by_the_system(error: OSError) -> ScaffoldError:
    message = f"the system refuses: {error.strerror or error}"
    place = str(error.filename or "output")
    fix = "mend that, and run the command again"
    return ScaffoldError(message, where=place, fix=fix, exit_code=1)


def _fault_of_the_tool(error: Exception) -> ScaffoldError:
    if os.environ.get(TRACEBACK):
        import traceback

        complain(traceback.format_exc())
    message = f"a fault of the tool, and not of what you wrote: {type(error).__name__}: {error}"
    fix = f"report it, with what {TRACEBACK}=1 shows when the command runs again"
    return ScaffoldError(message, where="scaffold", fix=fix, exit_code=FAULT_OF_THE_TOOL)


# -- usage -------------------------------------------------------------------------------------------------------------


def unknown_command(name: str, commands: Sequence[str]) -> ScaffoldError:
    """Return the error for an unknown command, with the nearest known name."""
    fix = suggestion(name, commands, "`scaffold --help` says what each does")
    return ScaffoldError(f"there is no command `{name}`", where="scaffold", fix=fix, legal=commands)


def _usage_error(error: click.ClickException, arguments: Sequence[str]) -> ScaffoldError:
    context = getattr(error, "ctx", None) or _context(arguments)
    fix = f"`{context.command_path} --help` says what it takes"
    match error:
        case click.NoSuchOption():
            options = [
                name
                for parameter in context.command.get_params(context)
                for name in parameter.opts
                if name[0] == "-"
            ]
            takes_names = any(isinstance(parameter, click.Argument) for parameter in context.command.params)
            if error.option_name == "--spec" and takes_names:  # as `new-module` has it
                fix = f"name the class or its file without an option: `{context.command_path} NAME`"
            message = f"there is no option `{error.option_name}`"
            fix = suggestion(error.option_name, options, fix)
        case click.MissingParameter(param=click.Parameter() as missing):
            message = f"`{missing.metavar or missing.human_readable_name}` is missing"
        case _:
            message = error.format_message().rstrip(".")
    return ScaffoldError(message, where=context.command_path, fix=fix)


def _context(arguments: Sequence[str]) -> click.Context:
    """Create a context for errors that click raises without it."""
    path = " ".join(["scaffold", *(word for word in arguments[:1] if word[:1] != "-")])
    return click.Context(click.Command(path), info_name=path)
