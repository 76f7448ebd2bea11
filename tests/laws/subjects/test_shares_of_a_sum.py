"""Leaves whose value cancels on the way: a scale in shares of a sum, a shift before a softmax."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, PytreeLaws, sample
from tests.laws.seen_broken import broken, hold, suite_of


class Diet(eqx.Module):
    """What a predator eats of each prey, and its preference, in which the time of handling cancels."""

    attack: jax.Array
    handling: jax.Array

    def __call__(self, prey):
        return self.attack * prey / (1 + jnp.sum(self.handling * prey))

    def preference(self, prey):
        return self(prey) / jnp.sum(self(prey))


class Shifted(Diet):
    def preference(self, prey):
        return jax.nn.softmax(self.attack * prey + jnp.sum(self.handling))


class TimesZero(Diet):
    def preference(self, prey):
        eaten = self.attack * prey / (1 + 0 * jnp.sum(self.handling * prey))
        return eaten / jnp.sum(eaten)


class Masked(Diet):
    def preference(self, prey):
        return jnp.where(prey < jnp.inf, self.attack * prey, self(prey))


class DietLaws(PytreeLaws):
    leaves = (Leaf("attack", "param", (3,)), Leaf("handling", "param", (3,)))
    methods = (
        Method("preference", lambda seed: (1 + sample(seed, (3,)) ** 2,), used=("attack", "handling")),
    )
    under_test: type

    def build(self, seed):
        return self.under_test(1 + sample(seed, (3,)) ** 2, 1 + sample(seed + 1, (3,)) ** 2)

    def arguments(self, seed):
        return (1 + sample(seed, (3,)) ** 2,)


LAW = "p08_methods_follow_the_leaves_that_they_use"


@pytest.mark.parametrize("right", [Diet, Shifted])
def test_what_cancels_is_used(right: type) -> None:
    hold(suite_of(DietLaws, right), LAW)


@pytest.mark.parametrize("wrong", [TimesZero, Masked])
def test_what_is_multiplied_by_zero_or_masked_is_not(wrong: type) -> None:
    assert "an edit of `handling`" in broken(suite_of(DietLaws, wrong), LAW).what
