"""What a suite asks of the laws as a whole: the set that it was written for, and how many of its tests must run."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..report import LAW_SETS, Law

NEWER = "its law is of a later set"
"""Why a test is left out of a suite that names an earlier set."""


def refuse_unknown_set(suite: type) -> None:
    """Raises TypeError for a set of laws that this version does not have."""
    name = getattr(suite, "laws", "")
    if name not in ("", *LAW_SETS):
        legal = ", ".join(LAW_SETS)
        raise TypeError(f"`laws` of {suite.__name__} is {name!r}; this version of pytree-laws has {legal}")


def number_of(test: str) -> str:
    """The number of the law of a test, as in its name; empty where it has none."""
    match = re.match(r"test_([ps])0?(\d+)_", test)
    return f"{match[1].upper()}{match[2]}" if match else ""


def later_set(suite: Any, test: str) -> str:
    """The set that the law of a test came with, where the suite was written for an earlier one; else empty."""
    law: Law | None = suite.laws_by_number.get(number_of(test))
    asked = getattr(suite, "laws", "")
    if not asked or law is None:
        return ""
    is_later = LAW_SETS.index(law.since) > LAW_SETS.index(asked)
    return law.since if is_later else ""


def not_asked(left_out: Mapping[str, Mapping[str, tuple[str, str]]], numbers: Iterable[str]) -> str:
    """One line on the laws that no suite was written for; empty where there are none."""
    listed = ", ".join(numbers)
    tests = [with_it for suite in left_out.values() for why, with_it in suite.values() if why == NEWER]
    if not tests:
        return ""
    count = f"{len(tests)} test{'s' * (len(tests) > 1)}"
    return f"newer laws, not asked: {listed} ({count}); ask them with `{max(tests)}`"


def too_few(required: Mapping[str, int], ran: Mapping[str, int], chosen: Iterable[str]) -> list[str]:
    """A line for each suite of which fewer tests ran than it requires; nothing of those of which some were chosen."""
    partly = {*chosen}
    return [
        f"{suite}: {ran.get(suite, 0)} tests ran, and its `must_run` is {least}"
        for suite, least in required.items()
        if suite not in partly and ran.get(suite, 0) < least
    ]
