"""What a fault points at where there is no file: the argument of the command line."""

from collections.abc import Generator
from contextlib import contextmanager

from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError

COMMAND_LINE = "command line"
_ARGUMENTS = {
    "name": "NAME",
    "call.args": "--call",
    "call.returns": "--call",
    "call.body": "--body",
    "call.carry": "--carry",
    "call": "--call",
    "test.backend": "--backend",
    "test.lower_for": "--lower-for",
    "test.sizes": "--size",
    "test.unused": "--unused",
    "fields": "FIELDS",
    "options": "--option",
    "groups": "--group",
    **{key: f"--{key}" for key in ("kind", "template", "doc", "constructor", "rebuild", "layout", "save")},
}
"""What the command line has for a key of a spec."""


@contextmanager
def by_argument() -> Generator[None]:
    """Name the argument of the command line that a fault is about."""
    try:
        yield
    except ScaffoldError as error:
        raise ScaffoldError.of(map(argument_fault, error.faults), exit_code=error.exit_code) from None


def argument_fault(fault: Fault) -> Fault:
    """The fault at its argument, if the command line gave what is wrong."""
    file, colon, key = fault.where.partition(": ")
    return replace(fault, where=_argument(key)) if file == COMMAND_LINE and colon else fault


def _argument(key: str) -> str:
    """The argument that gave `key`: field `weight`, --body."""
    if key.startswith("fields."):
        name, _, rest = key.removeprefix("fields.").partition(".")
        return f"field `{name}`" + (f": {rest}" if rest else "")
    above = next((one for one in _ARGUMENTS if key == one or key.startswith(f"{one}.")), None)
    if above is None:
        return f"{COMMAND_LINE}: {key}"
    return f"{_ARGUMENTS[above]} {key.removeprefix(above).removeprefix('.')}".strip()
