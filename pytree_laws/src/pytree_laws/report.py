"""Laws and findings, the errors that carry them, and their wording."""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .errors import is_of_types, message_of, place_in_laws

SEVERITIES = FAULT, COST, ADVICE = "fault", "cost", "advice"
"""A fault is wrong or will crash. A cost compiles or copies too often. Advice may be on purpose."""
LAW_SETS = ("0.1", "0.2")
"""Versions that brought new laws."""
NOT_TRIED = "not tried: "
"""Prefix of the skip reason for a method whose example does not fit."""
DECLARED = "declared not to hold"
"""Prefix of the skip reason for a test that a suite declares not to hold."""


class Law(NamedTuple):
    """Statement of a law, the usual mistake behind a failure, and its fix."""

    number: str
    name: str
    statement: str
    mistake: str
    fix: str
    severity: str = FAULT
    """Severity of findings whose check sets no other."""
    rests_on: Sequence[str] = ()
    """Prefixes of the tests whose failure explains a failure of this law."""
    rests_there_on: Sequence[str] = ()
    """Like `rests_on`, if both tests find something at the same place."""
    protects: str = ""
    """Harm that the law prevents, in the words of jax and Equinox."""
    since: str = LAW_SETS[0]
    """Set of laws that introduced this one."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """A broken law: the place in the class, what is wrong there, and what to look for."""

    law: Law
    test: str
    where: str
    what: str
    hint: str = ""
    severity: str = FAULT
    raised_at: str = ""
    """Line of the class that raised an error: file, number and source."""
    method: str = ""
    """Method that the suite uses as the call, if other than `__call__`."""
    made_at: str = ""
    """Line of the class that makes a wrong value, if no error was raised."""

    @property
    def place(self) -> str:
        """Return the place for readers: `call` is followed by the name of the method."""
        return f"`{self.where}`" + f" (`{self.method}`)" * bool(self.method)

    @property
    def line(self) -> str:
        """Return the line of the class behind the finding, by which a part and the whole are alike."""
        return self.raised_at or self.made_at

    def brief(self) -> str:
        """Return the text of a warning: without the law, and with one way out.

        A run may have many warnings.
        """
        hint = f"look for: {self.hint}" if self.hint else f"usual fix: {self.law.fix}"
        return "\n".join([*self._head(), f"  {hint} ({self.severity})"])

    def _head(self) -> list[str]:
        """Return lines with the law, the place, what was found, and the line of the class behind it."""
        line = [f"  {'raised' if self.raised_at else 'made'} at: {self.line}"] if self.line else []
        return [f"{self.law.number} {self.law.name}, at {self.place}: {self.what}", *line]

    def __str__(self) -> str:
        law = self.law
        lines = self._head()
        lines += [f"  look for: {self.hint}"] if self.hint else []
        lines += [f"  severity: {self.severity}"] if self.severity != FAULT else []
        # What is known of this place is better than the usual.
        usual = [] if self.hint else [f"  usual mistake: {law.mistake}", f"  usual fix: {law.fix}"]
        return "\n".join([*lines, f"  law: {law.statement}", *usual])

    def to_json(self) -> dict[str, str]:
        """Return the finding as plain JSON."""
        law = {"law": self.law.number, "name": self.law.name, "fix": self.law.fix}
        fields = {"test": self.test, "where": self.where, "place": self.place, "what": self.what}
        lines = {"raised_at": self.raised_at, "made_at": self.made_at}
        return {**law, **fields, "hint": self.hint, "severity": self.severity, **lines}


# Whatever the class under test raises is a finding about it, and no error of the suite.
ANY_ERROR: tuple[type[Exception], ...] = (Exception,)
P = ParamSpec("P")
T = TypeVar("T")


def or_else(result: Any, *errors: type[BaseException]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make the decorated function return `result` where it raises one of `errors`, or any error if none."""

    caught = errors or ANY_ERROR

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def run(*arguments: P.args, **named: P.kwargs) -> T:
            try:
                return function(*arguments, **named)
            except caught:
                return result

        return run

    return decorate


def result_or_error(run: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function, or the error that the function raises."""
    try:
        return run(*arguments)
    except ANY_ERROR as error:
        return error


def result_or_raise(result: Any) -> Any:
    """Return a result of `result_or_error`, or raise the error that was returned."""
    if isinstance(result, Exception):
        raise result
    return result


class LawBroken(AssertionError):
    """Failure of a test because a class breaks a law. `finding` holds the report as data."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class LawWarning(UserWarning):
    """Warning of a broken law that is too mild to fail a test of the suite."""


CHECKED_ANNOTATIONS = (
    "the checks of annotations that these tests add (`--jaxtyping-packages`), without which nothing is raised here: "
    "an annotation that says too little, or a constructor of a dataclass that unflatten calls with what is no array"
)
"""Cause of an error that a run-time type checker raises, from no line of the class."""
UNDER_TEST = "the class under test"
"""Subject of the message for an error that no law expects."""
OF_LAWS = "of pytree_laws, and no line of the class,"
"""Subject of that message if a line of the laws raised the error, or jax below that line.

The message puts file and line first. jax takes its own frames out of a traceback.
"""
HOW_TO_REPORT = (
    "what jax does not take of the class, or what the suite declares and is not so; "
    "or else a mistake of the law: report it with this line and the class"
)


class Fault(Exception):
    """Failure of a check, with its place. `guarded` turns a fault into a `LawBroken`."""

    def __init__(
        self,
        where: str,
        message: str,
        hint: str = "",
        *,
        law: str = "",
        severity: str = "",
        made_at: str = "",
    ) -> None:
        super().__init__(where, message, hint)
        self.where, self.what, self.hint = where, message, hint
        self.law = law
        """Number of the law to report, if other than the law of the test."""
        self.severity = severity
        """Severity of this fault, if other than that of the check."""
        self.made_at = made_at


def check(holds: bool, where: str, message: str, hint: str = "", *, severity: str = "") -> None:
    __tracebackhide__ = True
    if not holds:
        raise Fault(where, message, hint, severity=severity)


def check_each(check_part: Callable[..., None], parts: Iterable[Sequence[Any]]) -> None:
    """Check all parts, and raise the first fault, or else the first finding of less severity."""
    __tracebackhide__ = True
    lesser: Fault | None = None
    for part in parts:
        try:
            check_part(*part)
        except Fault as fault:
            if fault.severity in ("", FAULT):
                raise
            lesser = lesser or fault
    if lesser is not None:
        raise lesser


def doing(
    where: str, action: str, hint: str = "", *, severity: str = ""
) -> contextlib.AbstractContextManager[None]:
    """Turn an error of the class into a fault that names the action during which it occurred."""
    return telling(where, lambda _: (action, hint), severity)


def under_test(where: str) -> contextlib.AbstractContextManager[None]:
    """Turn an error that no law expects into a fault that blames the class under test, or the law."""

    def who(error: Exception) -> tuple[str, str]:
        place = place_in_laws(error)
        return (f"{place} {OF_LAWS}", HOW_TO_REPORT) if place else (UNDER_TEST, "")

    return telling(where, who)


@contextlib.contextmanager
def telling(
    where: str, say: Callable[[Exception], tuple[str, str]], severity: str = ""
) -> Generator[None, None, None]:
    """Turn an error into a fault. `say(error)` returns the subject of the message and a hint."""
    __tracebackhide__ = True
    try:
        yield
    except Fault:
        raise
    except ANY_ERROR as error:
        action, hint = say(error)
        message = f"{action} raised {type(error).__name__}: {message_of(error)[:500]}"
        hint = CHECKED_ANNOTATIONS if is_of_types(error) else hint
        raise Fault(where, message, hint, severity=severity) from error
