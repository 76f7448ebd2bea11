"""Where on the command line the author finds what a fault is about: the option or the field, and not a file that is not there."""

from collections.abc import Sequence
from dataclasses import replace

from scaffold.errors import ScaffoldError

COMMAND_LINE = "command line"
_OPTIONS = {
    "kind": "--kind",
    "doc": "--doc",
    "constructor": "--constructor",
    "rebuild": "--rebuild",
    "layout": "--layout",
    "save": "--save",
    "options": "--option",
    "groups": "--group",
    "call.body": "--body",
    "call.carry": "--carry",
    "call": "--call",
    "test.sizes": "--size",
    "test.backend": "--backend",
    "test.lower_for": "--lower-for",
    "name": "NAME",
}
"""The argument that gives a key of the spec; of two that fit, the longer key comes first."""


def on_command_line(error: ScaffoldError, fields: Sequence[str]) -> ScaffoldError:
    """The error with each place in the spec as the argument that said it; `fields` are those of the command line."""
    error.faults = tuple(replace(fault, where=_argument(fault.where, fields)) for fault in error.faults)
    return error


def field_place(token: str) -> str:
    """How a fault names a field of the command line."""
    return f"field `{token}`"


def _argument(where: str, fields: Sequence[str]) -> str:
    start, _, key = where.partition(": ")
    if start != COMMAND_LINE:
        return where
    if key.startswith("fields."):
        return _field(key, fields) or where
    fits = (option for name, option in _OPTIONS.items() if key == name or key.startswith(f"{name}."))
    return next(fits, "FIELDS" if key == "fields" else where)


def _field(key: str, fields: Sequence[str]) -> str | None:
    """The token that declares the field of `fields.NAME.KEY`."""
    _, name, *rest = key.split(".")
    if rest[:1] == ["preset"]:
        return "--preset"
    declares = (token for token in fields if token.partition(":")[0].strip() == name)
    return next(map(field_place, declares), None)
