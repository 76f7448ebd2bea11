"""The laws of a training step."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from ..engine.applicability import not_applicable
from ..engine.expected import expected_failure
from ..engine.summary import Collected
from ..engine.timeout import TooLong, time_limit
from ..report import Fault, Finding, LawBroken, doing
from . import (
    s01_runs,
    s02_fixed_point,
    s03_one_trace,
    s04_donation,
    s05_frozen,
    s06_advance,
    s07_compiled,
    s08_loss,
    s09_reproducible,
    s10_batch,
)
from .run import StepRun
from .s01_runs import check_runs
from .s02_fixed_point import check_fixed_point
from .s03_one_trace import check_one_trace
from .s04_donation import check_donation
from .s05_frozen import check_frozen
from .s06_advance import check_advance
from .s07_compiled import check_compiled
from .s08_loss import check_loss
from .s09_reproducible import check_reproducible
from .s10_batch import check_uses_the_batch
from .suite import StepSuite

_MODULES = (
    s01_runs,
    s02_fixed_point,
    s03_one_trace,
    s04_donation,
    s05_frozen,
    s06_advance,
    s07_compiled,
    s08_loss,
    s09_reproducible,
    s10_batch,
)
LAWS = {module.LAW.number: module.LAW for module in _MODULES}


def held(test: Callable[[Any, StepRun], None]) -> Callable[[Any, StepRun], None]:
    """Run a law of steps so that a failure is a finding with its law; errors of the step are S1's."""
    law = LAWS[test.__name__.split("_")[1].upper()]

    @functools.wraps(test)
    def run(self: Any, step_run: StepRun) -> None:
        __tracebackhide__ = True
        expected = expected_failure(test.__name__, self.skips)
        told = f"{law.number} of {type(self).__name__} took more than {self.time_limit:.0f} seconds"
        try:
            with doing("step", "the training step"), time_limit(self.time_limit, told):
                needs = step_run.builds if law.number == "S4" else step_run.error is None
                if law.number != "S1" and not needs:
                    pytest.skip("the step raises, as S1 says")
                test(self, step_run)
        except Fault as fault:
            if expected is not None:
                expected.skip()
            where, what, hint = fault.args
            finding = Finding(law, test.__name__, where, what, hint)
            raise LawBroken(finding).with_traceback(fault.__traceback__) from fault.__cause__
        except TooLong:
            finding = Finding(law, test.__name__, "step", told, "`time_limit` allows more")
            raise LawBroken(finding) from None
        if expected is not None:
            expected.fail_as_mended(type(self).__name__)

    return run


class StepLaws(StepSuite, Collected):
    """The laws that a training step must hold; subclass it as `StepSuite` shows."""

    @pytest.fixture(scope="class")
    @classmethod
    def step_run(cls) -> StepRun:
        """The steps that all laws of a suite look at."""
        return StepRun(cls())

    @held
    def test_s1_the_step_runs(self, step_run: StepRun) -> None:
        check_runs(step_run)

    @held
    def test_s2_the_state_is_a_fixed_point(self, step_run: StepRun) -> None:
        check_fixed_point(step_run)

    @held
    def test_s3_one_trace(self, step_run: StepRun) -> None:
        check_one_trace(step_run)

    @held
    def test_s4_donation(self, step_run: StepRun) -> None:
        check_donation(step_run)

    @held
    def test_s5_frozen_leaves_stay(self, step_run: StepRun) -> None:
        if not self.frozen_paths(step_run.suite.state(0)):
            not_applicable("nothing is frozen")
        check_frozen(step_run)

    @held
    def test_s6_the_state_advances(self, step_run: StepRun) -> None:
        check_advance(step_run)

    @held
    def test_s7_the_compiled_step_holds_no_data_and_calls_no_host(self, step_run: StepRun) -> None:
        check_compiled(step_run)

    @held
    def test_s8_the_loss_falls_on_one_batch(self, step_run: StepRun) -> None:
        check_loss(step_run)

    @held
    def test_s9_a_step_is_reproducible(self, step_run: StepRun) -> None:
        check_reproducible(step_run)

    @held
    def test_s10_a_step_uses_the_batch(self, step_run: StepRun) -> None:
        check_uses_the_batch(step_run)
