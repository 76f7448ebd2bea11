"""Examples that expressions say: keywords of functions, what is unpacked, indices of results, layers that are put together."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried, whole_suite

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
"""

BY_KEYWORD = """
def forward(x: jax.Array, *, w: jax.Array, b: jax.Array) -> jax.Array:
    return x @ w.T + b


class Layer(eqx.Module):
    w: jax.Array
    b: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return forward(b=self.b, w=self.w, x=x)
"""
BY_KEYWORD_OF_A_METHOD = """
class Twice(eqx.Module):
    w: jax.Array

    def once(self, gain: jax.Array, x: jax.Array) -> jax.Array:
        return gain * (self.w @ x)

    def __call__(self, y: jax.Array, gain: jax.Array) -> jax.Array:
        return self.once(x=y, gain=gain)
"""
UNPACKED = """
class Gain(eqx.Module):
    w: jax.Array
    v: jax.Array

    def __init__(self, size: int, *, key: jax.Array):
        self.w, self.v = jax.random.normal(key, (2, size))

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.w + self.v
"""
UNPACKED_LOCALS = """
class Locals(eqx.Module):
    w: jax.Array

    def __init__(self, size: int, width: int, *, key: jax.Array):
        _, second = jax.random.normal(key, (2, size, width))
        self.w = second

    def __call__(self, x: jax.Array) -> jax.Array:
        return x @ self.w
"""
PART_OF_RESULT = """
class Readout(eqx.Module):
    w: jax.Array
    b: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        es = x @ self.w.T + self.b
        return es[:, :1] / es[:, 1:2]
"""
REST_OF_RESULT = """
class Split(eqx.Module):
    w: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        out = jnp.tanh(x @ self.w)
        return out[:, :1] * out[:, 1:]
"""
PUT_TOGETHER = """
class Net(eqx.Module):
    layers: tuple[eqx.nn.Linear, ...]
    head: eqx.nn.Linear

    def __init__(self, size: int, out: int, *, key: jax.Array):
        a, b = jax.random.split(key)
        self.layers = (eqx.nn.Linear(size, size, key=a),)
        self.head = eqx.nn.Linear(size, out, key=b)

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer in {layers}:
            x = layer(x)
        return x
"""
CHANCE = """
from jaxtyping import Array, Float, Int


class Agent(eqx.Module):
    w: Float[Array, "actions obs"]

    def __call__(
        self, obs: Float[Array, " obs"], epsilon: Float[Array, ""], rate: Float[Array, ""], *, key: jax.Array
    ) -> Int[Array, ""]:
        first, second, third = jax.random.split(key, 3)
        values = self.w @ obs
        values = values * jax.random.bernoulli(third, rate, values.shape)
        chance = jax.random.uniform(second)
        other = jax.random.randint(first, (), 0, values.shape[0])
        return jnp.where(chance < epsilon, other, jnp.argmax(values))
"""
CLASSES = {
    "agent": (
        CHANCE,
        "sample(seed + 51, (), positive=True),\n            sample(seed + 52, (), positive=True)",
    ),
    "layer": (BY_KEYWORD, '"b": sample(seed + 1, (3,))'),
    "twice": (BY_KEYWORD_OF_A_METHOD, "sample(seed, (3,))"),
    "gain": (UNPACKED, "return (sample(seed, (2,)),)"),
    "locals": (UNPACKED_LOCALS, "return (sample(seed, (2,)),)"),
    "readout": (PART_OF_RESULT, '"w": sample(seed, (2, 5)),\n            "b": sample(seed + 1, (2,))'),
    "split": (REST_OF_RESULT, "sample(seed, (2, 3))"),
    "net": (PUT_TOGETHER.format(layers="self.layers + (self.head,)"), "return (sample(seed, (2,)),)"),
    "net_listed": (
        PUT_TOGETHER.format(layers="[*self.layers, self.head]").replace("Net", "NetListed"),
        "return (sample(seed, (2,)),)",
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_has_an_example(name: str, tmp_path: Path) -> None:
    skeleton, example = CLASSES[name]
    assert example in whole_suite(tmp_path, name, HEAD + skeleton)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name][0])
