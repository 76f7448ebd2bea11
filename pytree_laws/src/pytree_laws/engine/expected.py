"""The failures that a suite declares: its `skips`."""

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
    """Of the name of the test, or all of it."""
    why: str
    test: str

    @property
    def is_whole(self) -> bool:
        """Whether it names this test alone, which then has to fail."""
        return self.part in (self.test, self.test.removeprefix("test_"))

    def skip(self) -> None:
        """Skips the test with the reason of the entry."""
        __tracebackhide__ = True
        pytest.skip(f"{DECLARED}: {self.why}".removesuffix(": "))

    def fail_as_mended(self, suite: str) -> None:
        """Fails a test that holds by now, with the entry to delete."""
        __tracebackhide__ = True
        pytest.fail(
            f"{self.test} holds, and `skips` of {suite} says that it does not: delete its entry "
            f'"{self.part}"',
            pytrace=False,
        )


@contextlib.contextmanager
def held_as_declared(suite: Any, test: str, *, is_alone: bool = True) -> Generator[None]:
    """A test that a suite may declare not to hold: it is skipped where it fails, and fails where it holds by now.

    Of several with one name, which are not alone, one may hold.
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
    """The entry for a test; one that names a part of several tests skips it at once."""
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
