"""Checks as functions of a subject and a session, registered with their law; suites make tests of them.

    CHECKS = Checks(LAW)

    @CHECKS.register(OTHER)
    def test_p17_the_treedef_names_the_class(subject: HasTwins, session: Session) -> None: ...

    @with_tests_of(CHECKS)
    class PytreeLaws(PytreeSuite): ...

A test made of a check is a method of the suite with the name of the function, so that a suite
overrides, skips and selects it by name.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..report import Law
from ..session import Session, session_of
from .applicability import Condition, applies_where
from .runner import guarded

Check = Callable[..., None]
C = TypeVar("C", bound=Check)
Suite = TypeVar("Suite", bound=type)


class Checks:
    """The checks of one law, in the order of their registration."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self._checks: list[Check] = []

    def register(self, *conditions: Condition) -> Callable[[C], C]:
        """Register a check with what a class must have for it."""

        def add(check: C) -> C:
            self._checks.append(applies_where(*conditions)(check))
            return check

        return add

    def __iter__(self) -> Iterator[Check]:
        return iter(self._checks)


def with_tests_of(*laws: Checks) -> Callable[[Suite], Suite]:
    """Give a suite these laws, where it words them no other way, and a test for each check that it does not define itself."""

    def add(suite: Suite) -> Suite:
        cls: Any = suite
        own = {each.law.number: each.law for each in laws}
        cls.laws_by_number = {**own, **cls.laws_by_number}
        for check in (check for law in laws for check in law):
            if check.__name__ not in vars(suite):
                setattr(suite, check.__name__, guarded(as_method(check)))
        return suite

    return add


def as_method(check: Check) -> Callable[..., None]:
    """A method that runs a check on a suite, and takes the fixtures that the check names besides."""
    takes = list(inspect.signature(check).parameters.values())
    subject, _, *fixtures = takes

    def test(self: Any, **named: Any) -> None:
        __tracebackhide__ = True
        session: Session = session_of(self)
        check(self, session, **named)

    # pytest reads the fixtures off the signature; `__wrapped__` would show it the session.
    test.__name__, test.__qualname__ = check.__name__, check.__qualname__
    test.__module__, test.__doc__ = check.__module__, check.__doc__
    vars(test).update(vars(check))
    setattr(  # noqa: B010
        test, "__signature__", inspect.Signature([subject.replace(name="self"), *fixtures])
    )
    return test
