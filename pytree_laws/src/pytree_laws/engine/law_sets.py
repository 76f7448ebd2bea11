"""Requirements of a suite on the laws: the set that it names, and the number of tests that must run."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..report import LAW_SETS, Law

NEWER = "its law is of a later set"
"""Reason to leave out a test of a suite that names an earlier set."""


def refuse_unknown_set(suite: type) -> None:
    """Raise TypeError for a set of laws that this version does not have."""
    name = getattr(suite, "laws", "")
    if name not in ("", *LAW_SETS):
        legal = ", ".join(LAW_SETS)
        raise TypeError(f"`laws` of {suite.__name__} is {name!r}; this version of pytree-laws has {legal}")


def number_of(test: str) -> str:
    """Return the number of the law in the name of a test, such as `P5`, or an empty string."""
    match = re.match(r"test_([ps])0?(\d+)_", test)
    return f"{match[1].upper()}{match[2]}" if match else ""


def later_set(suite: Any, test: str) -> str:
    """Return the set of a test's law if the suite names an earlier set, else an empty string."""
    law: Law | None = suite.laws_by_number.get(number_of(test))
    asked = getattr(suite, "laws", "")
    if not asked or law is None:
        return ""
    is_later = LAW_SETS.index(law.since) > LAW_SETS.index(asked)
    return law.since if is_later else ""


def not_asked(left_out: Mapping[str, Mapping[str, tuple[str, str]]], numbers: Iterable[str]) -> str:
    """Return a line on the laws that are newer than the sets of all suites, or an empty string."""
    listed = ", ".join(numbers)
    tests = [with_it for suite in left_out.values() for why, with_it in suite.values() if why == NEWER]
    if not tests:
        return ""
    count = f"{len(tests)} test{'s' * (len(tests) > 1)}"
    return f"newer laws, not asked: {listed} ({count}); ask them with `{max(tests)}`"


def too_few(required: Mapping[str, int], ran: Mapping[str, int], chosen: Iterable[str]) -> list[str]:
    """Return a line for each suite that ran fewer tests than it requires, if no tests of it were selected."""
    partly = {*chosen}
    return [
        f"{suite}: {ran.get(suite, 0)} tests ran, and its `must_run` is {least}"
        for suite, least in required.items()
        if suite not in partly and ran.get(suite, 0) < least
    ]
