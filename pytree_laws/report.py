"""What a law finds, and how it is told."""

import contextlib
from collections.abc import Iterator
from typing import NamedTuple


class Law(NamedTuple):
    """What a law demands, the usual mistake behind a failure, and its fix."""

    number: str
    name: str
    statement: str
    mistake: str
    fix: str


# Whatever the class under test raises is a finding about it, and no error of the suite.
ANY_ERROR: tuple[type[Exception], ...] = (Exception,)


class LawBroken(AssertionError):
    """A class breaks one of the `LAWS`."""


class Fault(Exception):
    """What a law found, and where; `guarded` makes a `LawBroken` of it."""


def check(holds: bool, where: str, what: str, hint: str = "") -> None:
    __tracebackhide__ = True
    if not holds:
        raise Fault(where, what, hint)


@contextlib.contextmanager
def doing(where: str, what: str, hint: str = "") -> Iterator[None]:
    """Says what was being done when the class under test raised an error."""
    __tracebackhide__ = True
    try:
        yield
    except Fault:
        raise
    except ANY_ERROR as error:
        told = f"{what} raised {type(error).__name__}: {str(error)[:500]}"
        raise Fault(where, told, hint) from error


def broken(law: Law, where: str, what: str, hint: str = "") -> LawBroken:
    """The failure of a law; `hint` says more exactly than the law what to look for."""
    lines = [f"{law.number} {law.name}, at `{where}`: {what}"]
    lines += [f"  look for: {hint}"] if hint else []
    lines += [f"  law: {law.statement}", f"  usual mistake: {law.mistake}"]
    return LawBroken("\n".join([*lines, f"  fix: {law.fix}"]))
