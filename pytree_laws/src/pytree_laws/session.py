"""Results of one run of the laws: instances, traces, compiled programs and findings of each class."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from .report import Finding

P = ParamSpec("P")
T = TypeVar("T")


@dataclasses.dataclass
class SuiteResults:
    """Findings of one suite so far."""

    findings: dict[str, Finding] = dataclasses.field(default_factory=dict)
    """Findings by test."""
    cls: type | None = None
    """Class of the instances, once there is a finding."""
    errors: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    """Law and test that reported an error of the class, by the text of the error."""
    endless: set[str] = dataclasses.field(default_factory=set)
    """Operations that do not end on the example: `build` or `call`."""
    reported: set[str] = dataclasses.field(default_factory=set)
    """Operations whose failure a test has reported, such as `build`, `call` or `backend`."""


class Session:
    """Values that the tests of one run share.

    pytest's stash keeps one session, and each `check_pytree` makes its own.
    """

    def __init__(self, reports_all: bool = False) -> None:
        self.reports_all = reports_all
        """True if each test reports its finding, whatever another test has reported."""
        self._values: dict[tuple[Any, ...], Any] = {}
        self._results: dict[type, SuiteResults] = {}
        self._parts: dict[type, Any] = {}

    def value(self, make: Callable[..., Any], suite: Any, *arguments: Any) -> Any:
        """Return `make(suite, *arguments)`, computed once for all instances of a suite."""
        key = make, type(suite), *arguments
        if key not in self._values:
            self._values[key] = make(suite, *arguments)
        return self._values[key]

    def forget(self, suite: Any, *names: str) -> None:
        """Drop the values that functions of these names made for a suite."""
        for make, *rest in [*self._values]:
            if rest[0] is type(suite) and make.__name__ in names:
                del self._values[make, *rest]

    def of(self, kind: type[T]) -> T:
        """Return the only object of a class in this run, such as its `Watch`."""
        return cast(T, self._parts.setdefault(kind, kind()))

    def all_results(self) -> list[SuiteResults]:
        """Return the results of each suite so far."""
        return [*self._results.values()]

    def results(self, suite: Any) -> SuiteResults:
        return self._results.setdefault(type(suite), SuiteResults())


def session_of(suite: Any) -> Session:
    """Return the session of a suite, or give the suite a session of its own."""
    if "session" not in vars(suite):
        suite.session = Session()
    return suite.session


def once_per_session(make: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Compute a function of a suite once per session."""

    @functools.wraps(make)
    def cached(suite: Any, *arguments: P.args, **named: P.kwargs) -> T:
        if named:
            raise TypeError(f"{make.__name__} takes its arguments by position, by which results are kept")
        return session_of(suite).value(make, suite, *arguments)

    return cached
