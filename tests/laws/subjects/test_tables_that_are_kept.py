"""A table that a first trace leaves in a cache is told as such a one, and not as a call that never works."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Method, PytreeLaws, sample
from pytree_laws.trace.programs import settings


@cache
def table(size: int) -> jax.Array:
    return jnp.linspace(0.0, 1.0, size)


class Orbit(eqx.Module):
    e: jax.Array

    def propagate(self, t: jax.Array) -> jax.Array:
        return self.e * jnp.interp(t, table(5), table(5) ** 2)


class OrbitLaws(PytreeLaws):
    methods = (Method("propagate", lambda seed: (sample(seed, (3,)),)),)

    def build(self, seed: int) -> Orbit:
        return Orbit(sample(seed, (3,)))


def test_a_tracer_of_an_earlier_call_is_told_as_impure() -> None:
    table.cache_clear()
    jax.eval_shape(lambda: table(5))
    with settings(), pytest.raises(LawBroken) as broken:
        OrbitLaws().test_p07_methods_give_what_is_declared()
    table.cache_clear()
    assert broken.value.finding.law.number == "P12"
    assert "compute tables in the constructor" in broken.value.finding.hint
