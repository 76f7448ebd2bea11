"""What an error of an example usually comes from is said beside it."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Method, PytreeLaws, sample
from tests.laws.seen_broken import broken, hold, suite_of

GIVES = "p07_methods_give_what_is_declared"


class Decay(eqx.Module):
    rate: jax.Array

    def step(self, state: jax.Array, push: jax.Array) -> tuple[jax.Array, jax.Array]:
        state = self.rate * state + push
        return state, state

    def run(self, pushes: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda *both: self.step(*both), jnp.zeros(()), pushes)[1]


class ScansBound(Decay):
    def run(self, pushes: jax.Array) -> jax.Array:
        return jax.lax.scan(self.step, jnp.zeros(()), pushes)[1]


class Cached(Decay):
    @functools.lru_cache  # noqa: B019 - the mistake
    def table(self) -> jax.Array:
        return jnp.exp(-self.rate)

    def run(self, pushes: jax.Array) -> jax.Array:
        return pushes * self.table()


class DecayLaws(PytreeLaws):
    methods = (Method("run", lambda seed: (sample(seed, (3,)),)),)
    under_test: type

    def build(self, seed: int) -> Decay:
        return self.under_test(sample(seed, ()))


@pytest.mark.parametrize("wrong", [ScansBound, Cached])
def test_what_hashes_the_arrays_of_an_instance_is_named(wrong: type) -> None:
    hold(suite_of(DecayLaws, Decay), GIVES)
    finding = broken(suite_of(DecayLaws, wrong), GIVES)
    assert "unhashable type" in finding.what
    assert finding.hint.startswith("a bound method or an instance that is given to jax as a function")
