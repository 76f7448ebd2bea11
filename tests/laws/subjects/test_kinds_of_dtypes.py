"""Instances that methods give have integers where the class has integers, and floats where it has floats."""

import dataclasses

import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, PytreeLaws
from tests.laws.seen_broken import broken, hold, suite_of

GIVES = "p07_methods_give_what_is_declared"


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Ring:
    items: jax.Array
    cursor: jax.Array

    def turned(self):
        return type(self)(self.items, self.cursor + 1)

    def kept(self):
        """Marks of its leaves, as of what is to be saved."""
        return jax.tree.map(lambda leaf: jnp.ones_like(leaf, bool), self)

    @classmethod
    def empty(cls):
        return cls(jnp.zeros(3), jnp.zeros((), int))


class Drifts(Ring):
    def turned(self):
        return type(self)(self.items, jnp.mod(self.cursor + 1.0, 3))


class OfIntegers(Ring):
    @classmethod
    def empty(cls):
        return cls(jnp.array([0, 0, 0]), jnp.zeros((), int))


for each in (Drifts, OfIntegers):
    jax.tree_util.register_dataclass(each, ["items", "cursor"], [])


class RingLaws(PytreeLaws):
    under_test: type
    severity = "fault"

    def build(self, seed):
        return self.under_test(jnp.arange(3.0) + seed, jnp.asarray(seed))


class DeclaredLaws(RingLaws):
    leaves = (Leaf("items", "data", (3,)), Leaf("cursor", "data", (), "int"))


class AnyLaws(RingLaws):
    leaves = (Leaf("items", "data", (3,), None), Leaf("cursor", "data", (), None))


@pytest.mark.parametrize("laws", [RingLaws, DeclaredLaws])
def test_an_instance_of_the_same_kinds_is_right(laws):
    hold(suite_of(laws, Ring), GIVES)


def test_a_count_that_becomes_a_float_is_a_fault_where_integers_are_declared():
    finding = broken(suite_of(DeclaredLaws, Drifts), GIVES)
    assert finding.where == "turned.cursor" and "`cursor` is float32: it is int32 as built" in finding.what
    hold(suite_of(AnyLaws, Drifts), GIVES)
    with pytest.warns(UserWarning, match="is float32: it is int32 as built"):  # a share of a count, perhaps
        hold(suite_of(RingLaws, Drifts), GIVES)


def test_a_constructor_that_gives_integers_for_floats_is_a_fault():
    finding = broken(suite_of(RingLaws, OfIntegers), GIVES)
    assert finding.where == "empty.items" and "`items` is int32: it is float32 as built" in finding.what
    hold(suite_of(AnyLaws, OfIntegers), GIVES)
