"""The laws of training: what every train state must hold besides the pytree laws.

Subclass `TrainStateLaws` as one subclasses `PytreeLaws`. By default the loss pulls the
weights themselves; with `examples` and `predict` it is the squared distance between what the
model and another one of its class predict. Override `loss` for another one.
"""

from .engine.applicability import not_applicable
from .engine.registry import with_tests_of
from .kinds.train_state import TrainStateSuite
from .laws import PytreeLaws
from .laws.of_kinds.train_state import training, update, variants


@with_tests_of(update.CHECKS, training.CHECKS, variants.CHECKS)
class TrainStateLaws(TrainStateSuite, PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    def test_p15_no_two_parameters_are_the_same_draw(self) -> None:
        not_applicable("moments and averages begin equal")
