"""P1, of what is left out: parameters have the defaults that are declared, and none is one object for all that can change."""

import contextlib
import dataclasses
import inspect
import sys
from typing import Any

import numpy as np

from ...engine.applicability import declares
from ...engine.registry import Checks
from ...inspect.arrays import is_array
from ...inspect.classes import defaults_of, own_functions
from ...inspect.mutations import may_change
from ...inspect.references import MUTABLE, mutables, reachable
from ...inspect.static_values import is_frozen
from ...inspect.trees import is_node, look_up
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, check, or_else

CHECKS = Checks()


@CHECKS.register(declares("defaults", "no defaults are declared"))
def test_p01_parameters_have_the_declared_defaults(subject: Suite) -> None:
    cls = type(subject.cached_instance())
    for path, declared in subject.defaults.items():
        default = _default(cls, *path.split("."))
        message = f"its default is {default!r}, declared is {declared!r}"
        hint = f"who leaves it out gets another result; if it is right as it is now, declare {default!r}"
        check(type(default) is type(declared) and default == declared, path, message, hint)


@or_else(None)
def _default(cls: type, function: str, parameter: str) -> Any:
    """The default of a parameter of a method; None where it has no such parameter."""
    return inspect.signature(getattr(cls, function)).parameters[parameter].default


@CHECKS.register()
def test_p01_instances_share_nothing_mutable(subject: Suite) -> None:
    first, second = subject.cached_instance(), subject.cached_instance(1)
    shared_ids = {id(value) for _, value in mutables(first)} - held_by_tests(subject)
    for place, value in mutables(second):
        message = f"two instances hold one and the same {type(value).__name__}"
        # Of what lies within frozen settings that both hold an author may think as of a constant.
        is_constant = _is_within_settings(first, second, place) or never_changes(subject, place)
        check(id(value) not in shared_ids, place, message, severity=ADVICE if is_constant else FAULT)


def never_changes(subject: Suite, where: str) -> bool:
    """Whether instances of an adopted class are tuples of Python, of which no code changes in place what they share."""
    is_adopted = not subject.declares_arrays() or subject.severity == FAULT
    instance = subject.cached_instance()
    return is_adopted and isinstance(instance, tuple) and not may_change(instance, where)


def _is_within_settings(first: Any, second: Any, place: str) -> bool:
    """Whether two instances hold one frozen dataclass, which is no node, on the way to a place."""
    parts = place.split(".")
    for size in range(1, len(parts)):
        with contextlib.suppress(*ANY_ERROR):  # a place of which look_up knows nothing
            held = look_up(first, ".".join(parts[:size]))
            is_settings = dataclasses.is_dataclass(held) and is_frozen(held) and not is_node(held)
            if is_settings and held is look_up(second, ".".join(parts[:size])):
                return True
    return False


def held_by_tests(subject: Suite) -> set[int]:
    """The ids of what constants of the test file hold, which the suite itself gives to all instances."""
    constants = vars(sys.modules[type(subject).__module__])
    given = [value for name, value in constants.items() if name.isupper()]
    return {id(value) for each in given for _, value in mutables(each)}


@CHECKS.register()
def test_p01_defaults_are_immutable(subject: Suite) -> None:
    instance = subject.cached_instance()
    value_ids = {id(value) for _, value in reachable(instance, "")}
    for where, function in own_functions(type(instance)):
        for name, default in defaults_of(function):
            message = f"the default of `{name}` is one {type(default).__name__} for all"
            hint = "write `None` or a tuple, and make a new one in the body"
            wrong = isinstance(default, MUTABLE) or is_array(default)
            is_kept = id(default) in value_ids and (is_array(default) or not never_changes(subject, name))
            severity = FAULT if is_kept else ADVICE
            check(not wrong or isinstance(default, np.generic), where, message, hint, severity=severity)
