"""The laws of training: what every train state must hold besides the pytree laws.

Subclass `TrainStateLaws` as one subclasses `PytreeLaws`. By default the loss pulls the
weights themselves; with `examples` and `predict` it is the squared distance between what the
model and another one of its class predict. Override `loss` for another one.
"""

from typing import Any

from ..engine.applicability import not_applicable
from ..inspect.trees import is_under
from ..laws import PytreeLaws
from .training import TrainingLaws
from .update import UpdateLaws
from .variants import VariantLaws

__all__ = ["TrainStateLaws"]


# pytest runs the tests of the last base first.
class TrainStateLaws(VariantLaws, TrainingLaws, UpdateLaws, PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    def leaves_below(self) -> list[tuple[str, Any]]:
        """Those of the model: an average has 32 bits at least, and what an optimiser holds is its own choice."""
        found = super().leaves_below()
        return [(name, v) for name, v in found if is_under(name, "model")]

    def test_p15_no_two_parameters_are_the_same_draw(self) -> None:
        not_applicable("moments and averages begin equal")
