"""Tests of `TrainState`."""

from typing import Any, ClassVar

import jax
import optax  # type: ignore[import-untyped]
from pytree_laws import Leaf, sample
from pytree_laws.train_state import TrainStateLaws

from example_study.affine import Affine
from example_study.train_state import TrainState


class TestTrainState(TrainStateLaws):
    """The pytree laws on `TrainState`, and the laws of training."""

    leaves = (
        Leaf("model", "module"),
        Leaf("opt_state", "module"),
        Leaf("step", "buffer", (), "int32", value=0),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "optimiser": optax.adamw(0.01),
    }
    lower_for = ("cuda", "rocm", "tpu")

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "model": Affine.create(
                out_size=2, in_size=3, key=jax.random.key(seed + 100)
            ),
            "optimiser": optax.sgd(0.01, momentum=0.9),
        }

    def build(self, **inputs: Any) -> TrainState:
        return TrainState.create(**inputs)

    def examples(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def predict(self, model: Any, *examples: Any) -> Any:
        (x,) = examples
        return model(x)
