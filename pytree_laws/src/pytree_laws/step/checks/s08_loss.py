"""S8: the loss falls on one batch."""

import math

from ...engine.applicability import need
from ...engine.registry import Checks
from ...report import Law, check
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S8",
    name="loss falls",
    statement="After `loss_steps` steps on one batch the loss is finite, and less than at first.",
    protects="Training that runs and learns nothing.",
    mistake="A gradient with the wrong sign, updates that are never applied, a rate that is far too large.",
    fix="Follow one weight through one step by hand; lower the rate until the loss falls.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_s8_the_loss_falls_on_one_batch(suite: StepSuite, step_run: StepRun) -> None:
    losses = step_run.losses()
    need(losses, "the step gives no loss")
    text = ", ".join(f"{loss:.4g}" for loss in (*losses[:3], losses[-1]))
    check(all(map(math.isfinite, losses)), "loss", f"it is not finite: {text}")
    falls = losses[-1] < losses[0] or losses[0] == 0
    check(falls, "loss", f"it does not fall in {len(losses)} steps on one batch: {text}")
