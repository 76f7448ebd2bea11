"""Tests of `TrainState`."""

from typing import Any, ClassVar

import jax
import optax  # type: ignore[import-untyped]
from pytree_laws import Leaf, sample
from pytree_laws.train_state import TrainStateLaws

from regressor import Regressor
from train_state import TrainState
from whiten import Whiten


class TestTrainState(TrainStateLaws):
    """The pytree laws on `TrainState`, and the laws of training."""

    leaves = (
        Leaf("model", "module"),
        Leaf("opt_state", "module"),
        Leaf("step", "buffer", (), "int32", value=0),
        Leaf("key", "key", (), "key"),
        Leaf("ema", "module"),
    )
    static: ClassVar = {
        "ema_decay": 0.99,
    }
    other: ClassVar = {
        "optimiser": optax.adamw(0.01),
    }
    rejected = (
        ({"ema_decay": 1.0}, ValueError),
        ({"ema_decay": -0.001}, ValueError),
        ({"ema_decay": float("nan")}, TypeError),
    )
    accepted = (
        {"ema_decay": 0.0},
        {"ema_decay": 0.999},
    )
    kept = ("key",)
    saves_whole = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "model": Regressor.create(
                whiten=Whiten.create(
                    mean=sample(seed + 10100, (2,)),
                    deviation=sample(seed + 10101, (2,)),
                ),
                size=2,
                hidden_size=3,
                key=jax.random.key(seed + 100),
            ),
            "optimiser": optax.sgd(0.01, momentum=0.9),
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> TrainState:
        return TrainState.create(**inputs)

    def examples(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)

    def predict(self, model: Any, *examples: Any) -> Any:
        (x,) = examples
        return model(x)
