"""A method that joins two instances makes a third, and one that adds an element another; a next instance settles on its static values."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from seen_broken import broken, hold, suite_of

from pytree_laws import Leaf, Method, PytreeLaws, sample

TEST = "p11_methods_settle_on_static_values"


class Quantity(eqx.Module):
    """A number in a power of a metre."""

    value: jax.Array
    power: int = eqx.field(static=True)

    def __mul__(self, other: "Quantity") -> "Quantity":
        return type(self)(self.value * other.value, self.power + other.power)

    def times(self, length: jax.Array) -> "Quantity":
        return type(self)(self.value * length, self.power)


class Counted(Quantity):
    """The same, whose next instance has always another power."""

    def times(self, length: jax.Array) -> "Quantity":
        return type(self)(self.value * length, self.power + 1)


class Longer(Quantity):
    """The same, whose next instance has one more element: no scan can carry it."""

    def times(self, length: jax.Array) -> "Quantity":
        return type(self)(jnp.pad(self.value, (1, 0)), self.power + 1)


class Laws(PytreeLaws):
    under_test: type = Quantity
    leaves = (Leaf("value", "data", (3,)),)
    static = {"power": 1}  # noqa: RUF012

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"value": sample(seed, (3,)), "power": 1}

    def build(self, **inputs: Any) -> Any:
        return self.under_test(**inputs)


class OfProducts(Laws):
    methods = (Method("__mul__", lambda seed: (OfProducts().build(**OfProducts().inputs(seed + 1)),)),)


class OfSteps(Laws):
    methods = (Method("times", lambda seed: (sample(seed + 1, (3,)),)),)


def test_what_joins_two_instances_may_have_other_static_values() -> None:
    hold(suite_of(OfProducts, Quantity), TEST)


def test_what_gives_the_next_instance_settles() -> None:
    hold(suite_of(OfSteps, Quantity), TEST)
    assert broken(suite_of(OfSteps, Counted), TEST).where == "times.power"


def test_what_has_other_shapes_is_no_next_instance() -> None:
    hold(suite_of(OfSteps, Longer), TEST)
