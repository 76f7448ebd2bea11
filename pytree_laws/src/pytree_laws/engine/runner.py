"""Runs the tests of a suite so that each failure says which law it is, and each cause is told once."""

import contextlib
import dataclasses
import functools
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pytest

from ..inspect.global_state import FirstUse, first_use
from ..report import DECLARED, Fault, Finding, LawBroken, doing
from ..values.closeness import UNSETTLED, Tolerance, tolerating
from ..values.example_sizes import hint_of
from ..values.precision import tolerated
from .applicability import need
from .timeout import TooLong, time_limit

Guarded = TypeVar("Guarded", bound=type)


@dataclasses.dataclass
class Told:
    """What was found of one class so far."""

    findings: dict[str, Finding] = dataclasses.field(default_factory=dict)
    """By test."""
    errors: dict[str, str] = dataclasses.field(default_factory=dict)
    """By an error that the class raised, the law that told it."""


TOLD: dict[type, Told] = {}
DECLARATION = (
    "test_p02_leaves_are_",
    "test_p02_the_state_is_",
    "test_p02_variables_are_",
    "test_p05_static_values_are_",
    "test_p07_outputs_are_",
)
"""How the tests begin that hold a class to what the suite declares of it."""
_TELLS_ALL = [False]


@contextlib.contextmanager
def telling_all() -> Generator[None, None, None]:
    """Within it each test says what it finds, whatever was found before."""
    before, _TELLS_ALL[0] = _TELLS_ALL[0], True
    try:
        yield
    finally:
        _TELLS_ALL[0] = before


def guarded(test: Callable[..., None]) -> Callable[..., None]:
    """A law whose every failure says which law it is, and what to do."""
    number, name = f"P{int(test.__name__[6:8])}", test.__name__

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        skip_what_is_declared(name, getattr(self, "skips", ()))
        skip_what_rests_on_a_broken_law(self, number, name)
        try:
            hold(
                self,
                number,
                functools.partial(if_it_applies, test, self, *args, **kwargs),
            )
        except Fault as fault:
            specimen.cache_clear()  # it may be what is broken
            where, what, hint, *other = fault.args
            if where == type(self).__name__ and not hint:
                hint = hint_of(self, fault.__cause__)
            law = self.laws[other[0] if other else number]
            finding = Finding(law, name, where, what, hint)
            tell(self, finding, fault.__cause__)
            failure = LawBroken(finding)
            raise failure.with_traceback(fault.__traceback__) from fault.__cause__

    return run


def if_it_applies(
    test: Callable[..., None], suite: Any, *args: Any, **kwargs: Any
) -> None:
    __tracebackhide__ = True
    need(suite, test)
    test(suite, *args, **kwargs)


def skip_what_is_declared(name: str, skips: Sequence[str] | Mapping[str, str]) -> None:
    """Skips a test that a suite says does not hold for its class, with the reason that it gives."""
    told = skips.items() if isinstance(skips, Mapping) else _reasons(skips)
    for part, why in told:
        if part in name:
            pytest.skip(f"{DECLARED}: {why}".removesuffix(": "))


def _reasons(skips: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Parts of names and reasons, of texts such as `p17_: its twin is meant`."""
    for one in skips:
        part, _, why = one.partition(":")
        yield part.strip(), why.strip()


def hold(suite: Any, number: str, test: Callable[[], None]) -> None:
    """Runs a test; whatever the class raises is a finding, and so is a call without end."""
    __tracebackhide__ = True
    laws: Any = type(suite)
    told = f"{number} of {laws.__name__} took more than {suite.time_limit:.0f} seconds"
    under_test = doing(laws.__name__, "the class under test")
    try:
        with (
            one_failure_of_calls(suite),
            under_test,
            tolerating(declared_by(suite)),
            time_limit(suite.time_limit, told),
        ):
            stop_if_broken(suite, "P1", "build", first_build(laws).error)
            test()
    except TooLong as error:
        hint = "a loop that does not end for these values; `time_limit` allows more"
        raise Fault(
            laws.__name__, f"it took more than {suite.time_limit:.0f} seconds", hint
        ) from error


def declared_by(suite: Any) -> Tolerance:
    """The tolerance that a suite declares, itself or by the narrowest dtype; or that it is not known before the call."""
    if suite.tolerance is None:
        return UNSETTLED if suite.narrowest is None else tolerated(suite)
    return suite.tolerance


def tell(suite: Any, finding: Finding, error: BaseException | None) -> None:
    """Notes a finding; an error that was told already is not told again."""
    told = TOLD.setdefault(type(suite), Told())
    if error is not None and not _TELLS_ALL[0]:
        # Without numbers, which differ from trace to trace.
        text = f"{type(error).__name__}: {re.sub(r'[0-9]+', '', str(error))[:200]}"
        first = told.errors.setdefault(text, finding.law.number)
        if finding.test not in told.findings and first != finding.law.number:
            pytest.skip(f"the error is the one that {first} tells")
    told.findings[finding.test] = finding


def skip_what_rests_on_a_broken_law(suite: Any, number: str, name: str) -> None:
    """Skips in one line what says nothing while the law that it rests on is broken."""
    told = TOLD.get(type(suite))
    if told is None or _TELLS_ALL[0]:
        return
    causes = tuple(suite.laws[number].rests_on)
    if name.startswith(DECLARATION):  # the first failure prints all that is right
        causes += DECLARATION
    for broken, finding in told.findings.items():
        if broken != name and broken.startswith(causes):
            pytest.skip(f"it rests on {finding.law.number}, which is broken")


def guard(suite: Guarded) -> Guarded:
    """Guards every law that a suite defines."""
    for name, test in list(vars(suite).items()):
        if name.startswith("test_"):
            setattr(suite, name, guarded(test))
    return suite


_ENDLESS: set[tuple[type, str]] = set()


@contextlib.contextmanager
def tried_once(laws: type, what: str) -> Generator[None]:
    """Has an example that does not end be tried once, and not in each law anew."""
    if (laws, what) in _ENDLESS:
        pytest.skip(f"the example `{what}` does not end, as an earlier failure says")
    try:
        yield
    except TooLong:
        _ENDLESS.add((laws, what))
        raise


@functools.cache
def first_build(laws: type) -> FirstUse:
    """The constructor on the example inputs: its error stops every law."""
    with tried_once(laws, "build"):
        suite = laws()
        inputs = suite.inputs(0)
        return first_use(lambda: suite.build(**inputs))


@functools.cache
def first_call(laws: type) -> FirstUse:
    """The call on the example arguments: its error stops every law of calls."""
    with tried_once(laws, "call"):
        suite = laws()
        instance, arguments = suite.make(0), suite.arguments(0)
        return first_use(lambda: suite.call(instance, *arguments))


@functools.cache
def specimen(laws: type, seed: int = 0) -> Any:
    """The instance of an example that laws share which change nothing."""
    return laws().make(seed)


@contextlib.contextmanager
def one_failure_of_calls(suite: Any) -> Generator[None, None, None]:
    """Whatever fails as the call on the example does is reported once, as that."""
    __tracebackhide__ = True
    try:
        yield
    except Fault as fault:
        if len(fault.args) > 3:  # it is that report
            raise
        laws: Any = type(suite)
        tried = suite.called() and first_build(laws).error is None
        error = first_call(laws).error if tried else None
        if error is not None and repr(fault.__cause__) == repr(error):
            stop_if_broken(suite, "P7", "call", error)
        raise


_REPORTED: set[tuple[type, str]] = set()


def forget() -> None:
    """Has what was reported once be reported again."""
    _REPORTED.clear()
    _ENDLESS.clear()
    TOLD.clear()


def stop_if_broken(suite: Any, law: str, what: str, error: Exception | None) -> None:
    """Fails once for a class whose example fails, and skips what depends on it."""
    __tracebackhide__ = True
    if error is None:
        return
    if (type(suite), what) in _REPORTED:
        pytest.skip(f"the example `{what}` fails, as the first failure of {law} says")
    _REPORTED.add((type(suite), what))
    told = f"`{what}` on the example raised {type(error).__name__}: {str(error)[:500]}"
    skipped = "the laws that depend on it are skipped until it works"
    hint = hint_of(suite, error) or skipped
    raise Fault(what, told, hint, law) from error
