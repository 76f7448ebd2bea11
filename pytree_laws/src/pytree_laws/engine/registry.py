"""Registry of checks, which are functions of a subject that suites turn into tests.

    CHECKS = Checks(LAW)

    @CHECKS.register(OTHER)
    def test_p17_the_treedef_names_the_class(subject: HasTwins) -> None: ...

    @with_tests_of(CHECKS)
    class PytreeLaws(PytreeSuite): ...

The annotation of the subject, an adapter or a protocol, says which suites can answer the check. Such a suite
gets a method with the name of the function. It can override, skip and select the method by this name. A
parameter `session` receives the session of the run. Other parameters are fixtures of pytest.
"""

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from ..report import Law
from ..session import session_of
from .applicability import Condition, applies_where
from .law_sets import number_of
from .runner import guarded, skippable

Check = Callable[..., None]
Guard = Callable[[Check, str], Callable[..., None]]
C = TypeVar("C", bound=Check)
Suite = TypeVar("Suite", bound=type)


class Checks:
    """Checks in order of registration, of one law, or of several laws by the numbers in their names."""

    def __init__(self, law: Law | None = None) -> None:
        self.law = law
        self._checks: list[Check] = []

    def register(
        self,
        *conditions: Condition,
        severity: str = "",
        rests_on: tuple[str, ...] = (),
        of_dtypes: bool = False,
    ) -> Callable[[C], C]:
        """Register a check with the conditions under which it applies.

        `severity` overrides the severity of the law. `rests_on` extends the law's list of prefixes of tests
        whose failure explains a failure of this check. `of_dtypes` marks a check of dtypes other than jax's
        default, which a class need not support.
        """

        def add(check: C) -> C:
            setattr(check, "severity", severity)  # noqa: B010
            setattr(check, "rests_on", rests_on)  # noqa: B010
            setattr(check, "of_dtypes", of_dtypes)  # noqa: B010
            self._checks.append(applies_where(*conditions)(check))
            return check

        return add

    def __iter__(self) -> Iterator[Check]:
        return iter(self._checks)

    @property
    def number(self) -> str:
        """Number of the law for checks without a number in their names, or empty."""
        return self.law.number if self.law else ""


def with_tests_of(*groups: Checks, guard: Guard = guarded) -> Callable[[Suite], Suite]:
    """Give a suite the laws of these groups, and a test for each check that it can answer.

    A test that the suite defines itself stays. The suite may reword the laws. `guard` turns failures of
    numbered laws into findings.
    """

    def add(suite: Suite) -> Suite:
        cls: Any = suite
        names: Mapping[str, str] = getattr(cls, "renamed_tests", {})
        answered = {
            check: number_of(check.__name__) or group.number
            for group in groups
            for check in group
            if is_answered(suite, check)
        }
        for check, number in answered.items():
            name = names.get(check.__name__, check.__name__)
            if name not in vars(suite):
                test = as_method(check)
                test.__name__ = name
                setattr(suite, name, guard(test, number) if number else skippable(test))
        wording: Mapping[str, Mapping[str, Any]] = getattr(cls, "wording", {})
        numbers = {*answered.values()}
        laws = [group.law for group in groups if group.law and group.law.number in numbers]
        added = {law.number: law._replace(**wording.get(law.number, {})) for law in laws}
        cls.laws_by_number = {**added, **cls.laws_by_number}
        return suite

    return add


def is_answered(suite: type, check: Check) -> bool:
    """Whether a suite is the adapter that a check asks for, or has all members of a protocol."""
    asked: Any = next(iter(typing.get_type_hints(check).values()))
    if not getattr(asked, "_is_protocol", False):
        return asked is Any or issubclass(suite, asked)
    owners = [owner for owner in asked.__mro__ if getattr(owner, "_is_protocol", False)]
    return all(hasattr(suite, name) for owner in owners for name in vars(owner) if name[0] != "_")


def as_method(check: Check) -> Callable[..., None]:
    """Return a method that runs a check on a suite, with the fixtures among the parameters of the check."""
    subject, *others = inspect.signature(check).parameters.values()
    fixtures = [parameter for parameter in others if parameter.name != "session"]

    def test(self: Any, **named: Any) -> None:
        __tracebackhide__ = True
        asks_session = {"session": session_of(self)} if len(fixtures) < len(others) else {}
        check(self, **asks_session, **named)

    # pytest reads the fixtures off the signature; `__wrapped__` would show it the session.
    test.__name__, test.__qualname__ = check.__name__, check.__qualname__
    test.__module__, test.__doc__ = check.__module__, check.__doc__
    vars(test).update(vars(check))
    setattr(test, "__signature__", inspect.Signature([subject.replace(name="self"), *fixtures]))  # noqa: B010
    return test
