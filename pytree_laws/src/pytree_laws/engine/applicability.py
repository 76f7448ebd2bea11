"""Conditions under which a law applies to a class, from declarations of its suite or from an instance.

    @applies_where(CARRIES)
    def test_p11_the_carry_advances(self) -> None: ...

If declarations show that a test does not apply, it is not collected. Otherwise the run drops it.
"""

import contextlib
import dataclasses
import typing
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import pytest
from _pytest.outcomes import Skipped

from ..inspect.classes import has_helper, is_of_library
from ..report import or_else

Test = TypeVar("Test", bound=Callable[..., Any])


class NotApplicable(Skipped):
    """Raised by a law that does not apply to a class. The run does not report its test."""

    __module__ = "builtins"  # pytest prints its name, as that of `Skipped`


def not_applicable(reason: str) -> NoReturn:
    __tracebackhide__ = True
    raise NotApplicable(reason)


def need(condition: object, reason: str) -> None:
    """Drop a test from the run, with a reason, unless the condition holds."""
    __tracebackhide__ = True
    if not condition:
        not_applicable(reason)


def skip_as_resting_on(law: str) -> NoReturn:
    """Skip a test whose failure follows from a broken law."""
    __tracebackhide__ = True
    pytest.skip(f"it rests on {law}, which is broken")


@dataclasses.dataclass(frozen=True)
class Condition:
    """A property that a class must have for a law to apply."""

    reason: str
    """Reason why a law does not apply if the condition is not met."""
    is_met: Callable[[Any], bool]
    """Whether a suite meets the condition."""
    declaration: str = ""
    """Attribute that a suite declares to meet the condition, or empty if the class decides."""
    is_known: Callable[[Any], bool] = lambda suite: True
    """Whether the declarations of a suite are enough to decide, without an instance."""


def applies_where(*conditions: Condition) -> Callable[[Test], Test]:
    """Mark a test with the conditions under which it applies."""

    def mark(test: Test) -> Test:
        setattr(test, "conditions", conditions)  # noqa: B010
        return test

    return mark


def conditions_of(test: Any) -> Sequence[Condition]:
    return getattr(test, "conditions", ())


def require_conditions(suite: Any, test: Any) -> None:
    """Drop a test from the run unless all of its conditions are met."""
    for condition in conditions_of(test):
        need(condition.is_met(suite), condition.reason)


def unmet(suite: Any, test: Any) -> Condition | None:
    """Return the first condition that a suite, by its declarations, does not meet, or None."""
    for condition in conditions_of(test):
        with contextlib.suppress(Exception):  # the test itself will tell
            if condition.is_known(suite) and not condition.is_met(suite):
                return condition
    return None


def declares(name: str, reason: str) -> Condition:
    """Return the condition that a suite gives an attribute a value that is not empty."""

    def is_met(suite: Any) -> bool:
        value = getattr(suite, name, None)
        return value is not None and value is not False and value not in ((), [], {})

    return Condition(reason, is_met, name)


# What the class itself has, as `build` is annotated with it, or as its instance is.


@or_else(None)  # a name that only type checkers know
def declared_class(suite: Any) -> type | None:
    """Return the class in the return annotation of `build`, or None if an instance may be of a subclass."""
    cls = typing.get_type_hints(suite.build).get("return")
    if not isinstance(cls, type) or is_of_library(cls) or cls.__subclasses__():
        return None
    return None if cls in (object, Any) else cls  # `Any` is a class


def class_of(suite: Any) -> type:
    return declared_class(suite) or type(suite.cached_instance())


def of_class(reason: str, is_met: Callable[[type], bool]) -> Condition:
    """Return a condition on the class, whatever an instance holds."""
    return Condition(
        reason,
        lambda suite: is_met(class_of(suite)),
        is_known=lambda suite: declared_class(suite) is not None,
    )


def has_method(name: str, reason: str) -> Condition:
    """Return the condition that a class has a method."""
    return of_class(reason, lambda cls: hasattr(cls, name))


def has_helper_named(name: str, reason: str) -> Condition:
    """Return the condition that a class has a method that takes the instance alone."""
    return of_class(reason, lambda cls: has_helper(cls, name))


# What a run alone shows.


def of_examples(reason: str, is_met: Callable[[Any], bool]) -> Condition:
    """Return a condition on the examples of a suite."""
    return Condition(reason, is_met, is_known=lambda suite: False)


CALLED = of_examples("the class is not called", lambda suite: suite.can_be_called())
TAKES_KEYS = of_examples("the constructor takes no key", lambda suite: suite.takes_keys())


# What the leaves are declared to be.


def of_leaves(reason: str, is_met: Callable[[Any], bool], declaration: str = "") -> Condition:
    """Return the condition that some leaf is declared to have a property."""
    return Condition(
        reason,
        lambda suite: any(map(is_met, suite.manifest())),
        declaration,
        lambda suite: suite.declares_arrays(),
    )


def of_methods(reason: str, is_met: Callable[[Any], bool], declaration: str = "") -> Condition:
    """Return the condition that some method is declared to have a property."""
    return Condition(reason, lambda suite: any(map(is_met, suite.methods)), declaration)


ARRAYS_DECLARED = Condition(
    "nothing is declared, and it may be there for others", lambda suite: suite.declares_arrays(), "leaves"
)
STATICS_DECLARED = Condition(
    "no static configuration is declared", lambda suite: suite.declares_statics(), "static"
)
OTHER = declares("other", "no other configuration is declared")
DTYPES = declares("dtypes", "no dtypes are declared besides the default one")
ACCEPTED = declares("accepted", "no bounds are declared")
ABSENT = declares("absent", "no part is optional")
KEPT = declares("kept", "no inputs are declared that are held as they are given")
CARRIES = declares("carry", "no carry is declared")
PLATFORMS = declares("lower_for", "no platform is declared in `lower_for`")
METHODS = declares("methods", "there is no method beside the call")
TAKES_DTYPE = declares("takes_dtype", "the constructor takes no dtype")
LOADS = has_method("load", "the class has no load")
