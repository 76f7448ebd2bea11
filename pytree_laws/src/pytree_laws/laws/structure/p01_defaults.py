"""P1, of what is left out: parameters have the defaults that are declared."""

import inspect
from typing import Any

from ...engine.applicability import declares
from ...engine.registry import Checks
from ...kinds.suite import Suite
from ...report import ANY_ERROR, check

CHECKS = Checks()


@CHECKS.register(declares("defaults", "no defaults are declared"))
def test_p01_parameters_have_the_declared_defaults(subject: Suite) -> None:
    cls = type(subject.cached_instance())
    for path, declared in subject.defaults.items():
        default = _default(cls, *path.split("."))
        message = f"its default is {default!r}, declared is {declared!r}"
        hint = f"who leaves it out gets another result; if it is right as it is now, declare {default!r}"
        check(type(default) is type(declared) and default == declared, path, message, hint)


def _default(cls: type, function: str, parameter: str) -> Any:
    """The default of a parameter of a method; None where it has no such parameter."""
    try:
        return inspect.signature(getattr(cls, function)).parameters[parameter].default
    except ANY_ERROR:
        return None
