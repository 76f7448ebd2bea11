"""What ended the search for an example: a module of NNX without a call, and a protocol of jax, which an array fits."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jax._src.typing import SupportsDType


class Network(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(size, rngs=rngs)

    def __call__(self, field: jax.Array) -> jax.Array:
        raise ValueError("expected another field")


class Cast(eqx.Module):
    weight: jax.Array
    kind: str = eqx.field(static=True)

    def __init__(self, size: int, dtype: SupportsDType | None = None):
        self.weight = jnp.ones(size)
        self.kind = str(dtype)


class Component(eqx.Module):
    weight: jax.Array

    def check_dim(self, dim: int) -> None:
        if self.weight.ndim != dim:
            raise ValueError("another dim")


class Game(eqx.Module):
    '''A game that is over after a million steps.'''

    prize: jax.Array

    def over(self, time: jax.Array) -> jax.Array:
        return jnp.asarray(time) + jnp.sum(self.prize) > 1000000

    def reward(self, action: jax.Array) -> jax.Array:
        return action * self.prize
"""
asked = asked_of("without_a_call", SOURCE)


@pytest.mark.slow  # a search of its own in another interpreter
def test_a_module_without_a_call_is_built(asked: Asked) -> None:
    assert asked.adopt("Network")["inputs"]


@pytest.mark.slow
def test_an_array_is_no_example_of_a_protocol_of_jax(asked: Asked) -> None:
    assert [name for name, *_ in asked.adopt("Cast")["inputs"]] == ["size"]


def test_a_hook_that_gives_nothing_is_no_method_to_call(asked: Asked) -> None:
    assert asked.adopt("Component")["methods"] == []


def test_of_two_calls_the_one_whose_result_varies_is_taken(asked: Asked) -> None:
    answer = asked.adopt("Game")
    assert answer["method"] == "reward" and [name for name, *_ in answer["extra"]] == ["over"]
