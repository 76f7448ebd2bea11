"""Two classes of a module that keeps its first random key: under a trace that is a tracer, which no later call can use."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from functools import lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp

_root = None


def ambient() -> jax.Array:
    global _root
    if _root is None:
        _root = jax.random.PRNGKey(0)
    return _root


class Layer(eqx.Module):
    weight: jax.Array

    def __init__(self, dim: int, *, key: jax.Array | None = None):
        self.weight = jax.random.normal(ambient() if key is None else key, (dim,))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Other(Layer):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight + x


@lru_cache(maxsize=None)
def table(size: int) -> jax.Array:
    return jnp.linspace(0.0, 1.0, size)


class Orbit(eqx.Module):
    e: jax.Array

    def propagate(self, solver=None, t: jax.Array = None, *, mass: jax.Array) -> jax.Array:
        if t is None:
            raise TypeError("propagate() missing required argument: 't'")
        points = table(5) if solver is None else solver(5)
        return jnp.interp(jnp.atleast_1d(t) * mass, points, points**2) * self.e[:, None]
"""
asked = asked_of("cached", SOURCE)


def test_what_a_module_keeps_of_a_trace_is_taken_back(asked: Asked) -> None:
    for name in ("Layer", "Other"):
        answer = asked.adopt(name)
        assert answer["inputs"] and answer["called"]
        assert not [text for text in map(str, answer.values()) if "UnexpectedTracerError" in text]


@pytest.mark.slow
def test_a_cache_of_a_function_is_emptied_between_traces_and_what_an_error_quotes_is_given(
    asked: Asked,
) -> None:
    answer = asked.adopt("Orbit")
    assert (answer["called"], answer["method"]) == (True, "propagate")
    assert {name for name, _, keyed in answer["arguments"] if keyed} == {"mass", "t"}
