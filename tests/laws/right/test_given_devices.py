"""Who gives a device places the arrays himself; a class that chooses one does so for its caller."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import PytreeLaws
from right.test_right_forms import finding, left_out


class State(eqx.Module):
    position: jax.Array
    device: Any = eqx.field(static=True)

    def __init__(self, size: int, device: Any = None) -> None:
        self.position = jnp.zeros(size, device=device or jax.devices()[0])
        self.device = device


class Given(PytreeLaws):
    def inputs(self, seed: int) -> dict[str, Any]:
        return {"size": 3, "device": jax.devices()[0]}

    def build(self, size: int, device: Any) -> State:
        return State(size, device)


class Chosen(PytreeLaws):
    def build(self, **_: Any) -> State:
        return State(3)


def test_what_is_put_where_the_caller_says_is_right() -> None:
    assert left_out(Given, "p18_nothing_is_committed_to_a_device")
    text = finding(Chosen, "p18_nothing_is_committed_to_a_device")
    assert text.startswith("fault: is committed to a device"), text


def test_that_python_copies_no_device_is_advice() -> None:
    assert finding(Given, "p14_deepcopy").startswith("advice: copy.deepcopy of it raised TypeError")
