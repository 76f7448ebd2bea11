"""Parameters that count where two arguments are equal alone, as the noise of a kernel, which no two random points show."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, Output, PytreeLaws, sample
from tests.laws.seen_broken import broken, hold, suite_of


class White(eqx.Module):
    noise: jax.Array

    def __call__(self, x, y):
        return self.noise**2 * jnp.all(x == y)

    def root(self, x, y):
        return jnp.abs(self(x, y)) ** 0.5


class Forgets(White):
    def __call__(self, x, y):
        return 0 * self.noise * jnp.all(x == y)


class KernelLaws(PytreeLaws):
    leaves = (Leaf("noise", "param", ()),)
    methods = (
        Method(
            "root",
            lambda seed: (sample(seed, (2,)), sample(seed + 1, (2,))),
            returns=(Output(()),),
            used=("noise",),
        ),
    )
    under_test: type

    def build(self, seed):
        return self.under_test(jnp.float32(2 + seed))

    def arguments(self, seed):
        return sample(seed, (2,)), sample(seed + 1, (2,))


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ("p08_every_parameter_changes_the_output", "changes no output"),
        ("p09_every_parameter_has_a_gradient", "the gradient is zero everywhere"),
        ("p08_methods_follow_the_leaves_that_they_use", "changes nothing that it gives"),
    ],
)
def test_a_parameter_that_counts_where_arguments_are_equal_is_used(law: str, told: str) -> None:
    hold(suite_of(KernelLaws, White), law)
    assert told in broken(suite_of(KernelLaws, Forgets), law).what
