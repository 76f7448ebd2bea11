"""Gradients of several examples, which are summed."""

from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp

from pytree_laws.kinds.slopes import grads_at


def test_gradients_of_scalars_of_bfloat16_are_summed() -> None:
    slopes = {"scale": jnp.ones((), jnp.bfloat16), "weight": jnp.ones((2,), jnp.float32)}
    suite: Any = SimpleNamespace(loss_and_grads=lambda instance, arguments: (0.0, slopes))
    summed = grads_at(suite, None, [(), ()])
    assert float(summed["scale"]) == 2 and summed["weight"].tolist() == [2, 2]
