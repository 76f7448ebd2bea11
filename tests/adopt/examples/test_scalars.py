"""Types of jax that are annotations: a dtype is one of floats, and a scalar type stands for an array without axes."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import jax
import jax.numpy as jnp
from flax import nnx, struct
from jaxtyping import Float, Int, Key


class Norm(nnx.Module):
    def __init__(self, size: int, *, param_dtype: jnp.dtype, rngs: nnx.Rngs):
        self.scale = nnx.Param(jnp.ones((size,), param_dtype))

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.scale


@struct.dataclass
class Point:
    x: jnp.float32
    step: jnp.int32
    known: jnp.bool_

    def moved(self, by: jnp.float32) -> "Point":
        return self.replace(x=self.x + by)


class Noisy(nnx.Module):
    def __init__(self, weight: Float, *, key: Key):
        self.weight = nnx.Param(weight * jax.random.normal(key, weight.shape))

    def __call__(self, which: Int) -> jax.Array:
        return self.weight[which]
"""
asked = asked_of("scalars", SOURCE)


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_dtype_is_one_of_floats(asked: Asked) -> None:
    assert dict(asked.adopt("Norm")["inputs"])["param_dtype"] == "jnp.float32"


def test_a_scalar_type_stands_for_an_array_of_it(asked: Asked) -> None:
    inputs = dict(asked.adopt("Point")["inputs"])
    assert inputs == {
        "x": "sample(seed)",
        "step": 'sample(seed, (), "int", 0, 2)',
        "known": 'sample(seed, (), "bool")',
    }


def test_a_dtype_of_jaxtyping_alone_stands_for_an_array_of_it(asked: Asked) -> None:
    answer = asked.adopt("Noisy")
    assert dict(answer["inputs"]) == {"weight": "sample(seed, (3,))", "key": "jax.random.key(seed)"}
    assert [text for _, text, _ in answer["arguments"]] == ['sample(seed, (5,), "int", 0, 3)']
