"""Laws of a training step, composed as a suite."""

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from ..engine.registry import with_tests_of
from ..engine.runner import told_as
from ..engine.timeout import TooLong, time_limit
from ..report import Fault, doing
from .run import StepRun
from .suite import StepSuite

ORDER = (
    *("s01_runs", "s02_fixed_point", "s03_one_trace", "s04_donation", "s05_frozen"),
    *("s06_advance", "s07_compiled", "s08_loss", "s09_reproducible", "s10_batch"),
)
CHECKS = tuple(import_module(f".checks.{name}", __package__).CHECKS for name in ORDER)


def guarded_step(test: Callable[..., None], number: str) -> Callable[..., None]:
    """Wrap a law of steps so that a failure becomes a finding. S1 alone reports errors of the step."""

    @functools.wraps(test)
    def run(self: Any, step_run: StepRun) -> None:
        __tracebackhide__ = True
        message = f"{number} of {type(self).__name__} took more than {self.time_limit:.0f} seconds"
        with told_as(self, number, test.__name__):
            try:
                with doing("step", "the training step"), time_limit(self.time_limit, message):
                    needs = step_run.builds if number == "S4" else step_run.error is None
                    if number != "S1" and not needs:
                        pytest.skip("the step raises, as S1 says")
                    test(self, step_run=step_run)
            except TooLong:
                raise Fault("step", message, "`time_limit` allows more") from None

    return run


@with_tests_of(*CHECKS, guard=guarded_step)
class StepLaws(StepSuite):
    """Laws that a training step must hold. Subclass it as `StepSuite` shows."""

    @pytest.fixture(scope="class")
    @classmethod
    def step_run(cls) -> StepRun:
        """Return the steps that all laws of a suite share."""
        return StepRun(cls())


LAWS = StepLaws.laws_by_number
