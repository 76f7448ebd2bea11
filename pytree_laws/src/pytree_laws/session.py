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
    """By test."""
    errors: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    """By the text of an error that the class raised, the law and the test that reported it."""
    endless: set[str] = dataclasses.field(default_factory=set)
    """`build` or `call`, where the example does not end."""
    reported: set[str] = dataclasses.field(default_factory=set)
    """`build`, `call` or `backend`, where a test has reported that it fails."""


class Session:
    """Values that the tests of one run share; pytest's stash keeps one, and each `check_pytree` makes its own."""

    def __init__(self, reports_all: bool = False) -> None:
        self.reports_all = reports_all
        """Whether each test reports what it finds, whatever another has reported."""
        self._values: dict[tuple[Any, ...], Any] = {}
        self._results: dict[type, SuiteResults] = {}
        self._parts: dict[type, Any] = {}

    def value(self, make: Callable[..., Any], suite: Any, *arguments: Any) -> Any:
        """The result of `make(suite, *arguments)`, which is computed once for all instances of a suite."""
        key = make, type(suite), *arguments
        if key not in self._values:
            self._values[key] = make(suite, *arguments)
        return self._values[key]

    def forget(self, suite: Any, *names: str) -> None:
        """Drop the values of a suite that functions of these names have made."""
        for make, *rest in [*self._values]:
            if rest[0] is type(suite) and make.__name__ in names:
                del self._values[make, *rest]

    def of(self, kind: type[T]) -> T:
        """The one object of a class that this run has, such as its `Watch`."""
        return cast(T, self._parts.setdefault(kind, kind()))

    def results(self, suite: Any) -> SuiteResults:
        return self._results.setdefault(type(suite), SuiteResults())


def session_of(suite: Any) -> Session:
    """The session of a suite; where nobody gave it one, a session of its own."""
    if "session" not in vars(suite):
        suite.session = Session()
    return suite.session


def once_per_session(make: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Compute a function of a suite once in a session."""

    @functools.wraps(make)
    def cached(suite: Any, *arguments: P.args, **_: P.kwargs) -> T:
        return session_of(suite).value(make, suite, *arguments)

    return cached
