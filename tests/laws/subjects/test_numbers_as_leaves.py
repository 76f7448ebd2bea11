"""Numbers of Python that are leaves, and settings that unflatten forgets: what `jax.jit` makes of the one, and P3 says of the other."""

import jax
import jax.numpy as jnp
import pytest
from flax import struct

from pytree_laws import PytreeLaws
from tests.laws.seen_broken import broken, hold, suite_of

TRACED = "p07_numbers_among_its_leaves_can_be_traced"
GIVEN = "p03_round_trip_keeps_what_the_constructor_is_given"


@struct.dataclass
class Leafy:
    slots: jax.Array
    capacity: int
    scale: float = struct.field(pytree_node=False, default=2.0)

    def mean(self):
        return self.scale * jnp.mean(self.slots[: self.capacity])


@struct.dataclass
class Static(Leafy):
    capacity: int = struct.field(pytree_node=False, default=3)


@struct.dataclass
class Counted(Static):
    scale: int = 2


@struct.dataclass
class Untraceable(Counted):
    """Raises whatever is traced of it, as an assertion about values does."""

    def mean(self):
        return float(jnp.mean(self.slots) * self.scale) * jnp.ones(3)


@jax.tree_util.register_pytree_node_class
class Kept:
    """A ring whose aux has the scale."""

    def __init__(self, slots, capacity, scale=2.0):
        self.slots, self.capacity, self.scale = slots, capacity, scale

    def tree_flatten(self):
        return (self.slots,), (self.capacity, self.scale)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)


@jax.tree_util.register_pytree_node_class
class Forgets(Kept):
    """A ring whose unflatten leaves the scale to the constructor."""

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, aux[0])


class RingLaws(PytreeLaws):
    """Another function than the constructor builds the example."""

    under_test: type

    def build(self, seed):
        return self.under_test(jnp.arange(3.0) + seed, 3)


def test_a_number_that_is_a_size_cannot_be_traced():
    finding = broken(suite_of(RingLaws, Leafy), TRACED)
    assert finding.where == "mean"
    assert (
        "`capacity` is the number 3, and a leaf: under `jax.jit` it is traced, which raises" in finding.what
    )
    assert "`flax.struct.field(pytree_node=False)`" in finding.hint


def test_a_number_that_is_computed_with_may_be_a_leaf():
    hold(suite_of(RingLaws, Counted), TRACED)
    with pytest.raises(pytest.skip.Exception, match="no whole number of Python, and no flag"):
        hold(suite_of(RingLaws, Static), TRACED)


class CalledLaws(RingLaws):
    def arguments(self, seed):
        return (jnp.ones(3),)

    def call(self, instance, x):
        return instance.mean() * x


def test_what_raises_whatever_is_traced_is_not_its_fault():
    hold(suite_of(CalledLaws, Untraceable), TRACED)
    assert broken(suite_of(CalledLaws, Leafy), TRACED).where == "call"


def test_a_setting_that_unflatten_forgets_is_a_fault_where_a_function_builds_the_example():
    hold(suite_of(RingLaws, Kept), GIVEN)
    finding = broken(suite_of(RingLaws, Forgets), GIVEN)
    assert finding.where == "scale" and "before a round trip" in finding.what
