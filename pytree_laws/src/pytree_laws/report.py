"""What a law finds, and how it is told."""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .errors import is_of_types, message_of, place_in_laws

SEVERITIES = FAULT, COST, ADVICE = "fault", "cost", "advice"
"""It is wrong or will crash; it compiles or copies too often; the class may be so on purpose."""
LAW_SETS = ("0.1", "0.2")
"""The versions that brought new laws."""
NOT_TRIED = "not tried: "
"""How the reason begins for which a test of a method is skipped whose example does not fit."""
DECLARED = "declared not to hold"
"""How the reason of a skip begins that a suite declares."""


class Law(NamedTuple):
    """What a law demands, the usual mistake behind a failure, and its fix."""

    number: str
    name: str
    statement: str
    mistake: str
    fix: str
    severity: str = FAULT
    """Of what its checks find that say no other."""
    rests_on: Sequence[str] = ()
    """How the names of tests begin without which this law says nothing."""
    rests_there_on: Sequence[str] = ()
    """As `rests_on`, where both find something at the same place."""
    protects: str = ""
    """What goes wrong without it, in the words of jax and Equinox."""
    since: str = LAW_SETS[0]
    """The set that it came with."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a law found of a class: where, and what it means."""

    law: Law
    test: str
    where: str
    what: str
    hint: str = ""
    severity: str = FAULT
    raised_at: str = ""
    """The line of the class that raised an error: its file, number and source."""
    method: str = ""
    """The method that the suite uses as the call, where it is another than `__call__`."""

    @property
    def place(self) -> str:
        """Where it is, for people: `call` with the method that is called."""
        return f"`{self.where}`" + f" (`{self.method}`)" * bool(self.method)

    def brief(self) -> str:
        """The finding as a warning says it, of which a run may have many: without the law, and with one way out."""
        law = self.law
        hint = f"look for: {self.hint}" if self.hint else f"usual fix: {law.fix}"
        lines = [f"{law.number} {law.name}, at {self.place}: {self.what}"]
        lines += [f"  raised at: {self.raised_at}"] if self.raised_at else []
        return "\n".join([*lines, f"  {hint} ({self.severity})"])

    def __str__(self) -> str:
        law = self.law
        lines = [f"{law.number} {law.name}, at {self.place}: {self.what}"]
        lines += [f"  raised at: {self.raised_at}"] if self.raised_at else []
        lines += [f"  look for: {self.hint}"] if self.hint else []
        lines += [f"  severity: {self.severity}"] if self.severity != FAULT else []
        # What is known of this place is better than the usual.
        usual = [] if self.hint else [f"  usual mistake: {law.mistake}", f"  usual fix: {law.fix}"]
        return "\n".join([*lines, f"  law: {law.statement}", *usual])

    def to_json(self) -> dict[str, str]:
        """The finding as plain JSON."""
        law = {"law": self.law.number, "name": self.law.name, "fix": self.law.fix}
        fields = {"test": self.test, "where": self.where, "place": self.place, "what": self.what}
        return {**law, **fields, "hint": self.hint, "severity": self.severity, "raised_at": self.raised_at}


# Whatever the class under test raises is a finding about it, and no error of the suite.
ANY_ERROR: tuple[type[Exception], ...] = (Exception,)
P = ParamSpec("P")
T = TypeVar("T")


def or_else(result: Any, *errors: type[BaseException]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have a function give a result of its own where it raises: any error, or one of these."""

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
    """What a function gives, or the error that it raises."""
    try:
        return run(*arguments)
    except ANY_ERROR as error:
        return error


def result_or_raise(result: Any) -> Any:
    """A result of `result_or_error`; raises where it is an error."""
    if isinstance(result, Exception):
        raise result
    return result


class LawBroken(AssertionError):
    """A class breaks a law; `finding` says the same as data."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class LawWarning(UserWarning):
    """A class breaks a law that is less severe than what fails a test of its suite."""


CHECKED_ANNOTATIONS = (
    "the checks of annotations that these tests add (`--jaxtyping-packages`), without which nothing is raised here: "
    "an annotation that says too little, or a constructor of a dataclass that unflatten calls with what is no array"
)
"""What an error of a checker of annotations comes of: no line of the class raises it."""
UNDER_TEST = "the class under test"
"""What is said to have raised an error that no law speaks of."""
OF_LAWS = "of pytree_laws, and no line of the class,"
"""The same where a line of a law raised it, or jax did for it, whose frames jax takes out; behind that line."""
HOW_TO_REPORT = (
    "what jax does not take of the class, or what the suite declares and is not so; "
    "or else a mistake of the law: report it with this line and the class"
)


class Fault(Exception):
    """What a law found, and where; `guarded` makes a `LawBroken` of it."""

    def __init__(
        self, where: str, message: str, hint: str = "", *, law: str = "", severity: str = ""
    ) -> None:
        super().__init__(where, message, hint)
        self.where, self.what, self.hint = where, message, hint
        self.law = law
        """The number of the law that speaks, where that is not the law of the test."""
        self.severity = severity
        """How much it matters, where that is not as much as all that the check finds."""


def check(holds: bool, where: str, message: str, hint: str = "", *, severity: str = "") -> None:
    __tracebackhide__ = True
    if not holds:
        raise Fault(where, message, hint, severity=severity)


def check_each(check_part: Callable[..., None], parts: Iterable[Sequence[Any]]) -> None:
    """Checks all parts, and raises the first fault; where there is none, the first of what matters less."""
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
    """Says what was being done when the class under test raised an error."""
    return telling(where, lambda _: (action, hint), severity)


def under_test(where: str) -> contextlib.AbstractContextManager[None]:
    """Says of an error that no law speaks of whether the class under test raised it, or the law."""

    def who(error: Exception) -> tuple[str, str]:
        place = place_in_laws(error)
        return (f"{place} {OF_LAWS}", HOW_TO_REPORT) if place else (UNDER_TEST, "")

    return telling(where, who)


@contextlib.contextmanager
def telling(
    where: str, say: Callable[[Exception], tuple[str, str]], severity: str = ""
) -> Generator[None, None, None]:
    """Makes a fault of an error: `say` gives what raised it, and a hint."""
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
