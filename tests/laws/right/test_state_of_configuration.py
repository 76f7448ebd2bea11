"""Arguments that an example makes of an instance are made of the instance of each configuration."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, PytreeLaws
from right.test_right_forms import finding, weight


class Momentum(eqx.Module):
    """An optimiser whose state has a part that a flag asks for."""

    rate: jax.Array
    centred: bool = eqx.field(static=True, default=False)

    def init(self, params: jax.Array) -> dict[str, jax.Array]:
        state = {"square": jnp.zeros_like(params)}
        return {**state, "mean": jnp.zeros_like(params)} if self.centred else state

    def update(self, gradient: jax.Array, state: dict[str, jax.Array]) -> Any:
        square = state["square"] + gradient**2
        if not self.centred:
            return self.rate * gradient / (1 + square), {"square": square}
        mean = state["mean"] + gradient
        return self.rate * gradient / (1 + square - mean), {"square": square, "mean": mean}


class Forgetful(Momentum):
    """The same, whose state lacks what the flag asks for."""

    def init(self, params: jax.Array) -> dict[str, jax.Array]:
        return {"square": jnp.zeros_like(params)}


@pytest.mark.parametrize(("cls", "error"), [(Momentum, ""), (Forgetful, "KeyError: 'mean'")])
def test_a_state_is_that_of_the_configuration(cls: Any, error: str) -> None:
    def build(self: Any, seed: int, centred: bool = False) -> Any:
        return cls(weight(seed), centred)

    body = {
        "leaves": (Leaf("rate", "param", (3,)),),
        "static": {"centred": False},
        "inputs": lambda self, seed: {"seed": seed, "centred": False},
        "build": build,
        "arguments": lambda self, seed: (weight(seed + 1), self.make(seed).init(weight(seed))),
        "call": lambda self, instance, *arguments: instance.update(*arguments),
    }
    text = finding(type("Form", (PytreeLaws,), body), "p07_can_be_called_in_each_configuration")
    assert error in text
    assert bool(text) == bool(error)
