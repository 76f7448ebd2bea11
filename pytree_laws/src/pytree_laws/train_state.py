"""The laws of training: what every train state must hold besides the pytree laws.

Subclass `TrainStateLaws` like `PytreeLaws`. By default the loss compares the weights of two models. With
`examples` and `predict`, the loss is the mean squared distance between their predictions. Override `loss` for
another loss.
"""

from .engine.applicability import not_applicable
from .engine.registry import with_tests_of
from .kinds.train_state import TrainStateSuite
from .laws import PytreeLaws
from .laws.of_kinds.train_state import training, update, variants


@with_tests_of(update.CHECKS, training.CHECKS, variants.CHECKS)
class TrainStateLaws(TrainStateSuite, PytreeLaws):
    """The suite of a train state. Subclass it with a name that starts with `Test`."""

    def test_p15_no_two_parameters_are_the_same_draw(self) -> None:
        not_applicable("moments and averages begin equal")
