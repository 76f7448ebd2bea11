"""Failures that a suite declares in `skips`."""

import contextlib
import dataclasses
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import pytest

from ..report import DECLARED

Skips = Sequence[str] | Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Expected:
    """An entry of `skips` for one test."""

    part: str
    """Part of the name of the test, or the whole name."""
    why: str
    test: str

    @property
    def is_whole(self) -> bool:
        """Whether the entry names this test alone, so that the test must fail."""
        return self.part in (self.test, self.test.removeprefix("test_"))

    def skip(self) -> None:
        """Skip the test with the reason of the entry."""
        __tracebackhide__ = True
        pytest.skip(f"{DECLARED}: {self.why}".removesuffix(": "))

    def fail_as_mended(self, suite: str) -> None:
        """Fail a test that passes by now, and name the entry to delete."""
        __tracebackhide__ = True
        pytest.fail(
            f"{self.test} holds, and `skips` of {suite} says that it does not: delete its entry "
            f'"{self.part}"',
            pytrace=False,
        )


@contextlib.contextmanager
def held_as_declared(suite: Any, test: str, *, is_alone: bool = True) -> Generator[None]:
    """Skip a test that fails as declared in `skips`, and fail the test if it passes by now.

    If a test has parameters, some of its cases may pass.
    """
    __tracebackhide__ = True
    expected = expected_failure(test, getattr(suite, "skips", ()))
    try:
        yield
    except Exception:
        if expected is not None:
            expected.skip()
        raise
    if expected is not None and is_alone:
        expected.fail_as_mended(type(suite).__name__)


def expected_failure(test: str, skips: Skips) -> Expected | None:
    """Return the entry for a test. An entry that names part of several tests skips the test at once."""
    __tracebackhide__ = True
    texts = () if isinstance(skips, Mapping) else skips  # such as `p17_: its twin is meant`
    pairs = [(part.strip(), why.strip()) for part, _, why in (text.partition(":") for text in texts)]
    for part, why in skips.items() if isinstance(skips, Mapping) else pairs:
        if part in test:
            entry = Expected(part, why, test)
            if not entry.is_whole:
                entry.skip()
            return entry
    return None
