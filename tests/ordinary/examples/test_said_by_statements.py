"""Examples that plain statements say: keywords, annotations of locals and of several types, assertions, joined arrays."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried, whole_suite

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, PRNGKeyArray
"""

BY_KEYWORD = """
class Dense(eqx.Module):
    weight: jax.Array

    def __init__(self, inner: int, outer: int, *, key: jax.random.PRNGKey):
        self.weight = jax.random.normal(key, shape=(outer, inner))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight @ x
"""
ANNOTATED = """
class Attended(eqx.Module):
    inner: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.inner = eqx.nn.Linear(size, size, key=key)

    def __call__(self, nodes: Float[Array, "node channel"]) -> Float[Array, "node channel"]:
        given: Float[Array, "node channel"] = jax.vmap(self.inner)(nodes)
        return given
"""
ROWS = """
class Encoding(eqx.Module):
    table: jax.Array

    def __init__(self, size: int, length: int):
        self.table = jnp.ones((length, size))

    def __call__(self, x: jax.Array, position: jax.Array) -> jax.Array:
        return x + self.table[position, :]
"""
ASSERTED = """
class Clock(eqx.Module):
    inner: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.inner = eqx.nn.Linear(1, size, key=key)

    def __call__(self, t: Array) -> Array:
        assert t.shape == ()
        return self.inner(jnp.expand_dims(t, axis=-1))
"""
OF_A_RANK = """
class Pool(eqx.Module):
    scale: jax.Array

    def __init__(self):
        self.scale = jnp.ones(())

    def __call__(self, x: Array) -> Array:
        if x.ndim != 3:
            raise ValueError("batches of images")
        return self.scale * x.mean(axis=(1, 2))
"""
EITHER = """
class Pair(eqx.Module):
    both: jax.Array

    def __init__(self, w: float | jax.Array, x: float | jax.Array):
        self.both = jnp.stack([w, x])

    def norm(self) -> jax.Array:
        return jnp.sum(self.both**2)
"""
OR_NONE = """
class Config(eqx.Module):
    weights: jax.Array
    bounds: "jax.Array | None"

    def __init__(self, size: int, bounds: jax.Array | None):
        self.weights = jnp.ones(size)
        self.bounds = bounds

    def __call__(self) -> jax.Array:
        return self.weights if self.bounds is None else jnp.clip(self.weights, -1.0, 1.0)
"""
BY_NAME = """
class Activated(nnx.Module):
    def __init__(self, size: int, activation: str, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, size, rngs=rngs)
        self.activation = getattr(nnx, activation)

    def __call__(self, x: jnp.ndarray) -> jnp.ndarray:
        return self.activation(self.linear(x))
"""
JOINED = """
class Timed(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.layer = eqx.nn.Linear(size, 2, key=key)

    def __call__(self, x: Float[Array, " n"], t: Float[Array, " m"]) -> Float[Array, " 2"]:
        return self.layer(jnp.concatenate([x, t]))
"""
OF_TWO = """
class Critic(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, seen: int, done: int, *, key: PRNGKeyArray):
        self.layer = eqx.nn.Linear(seen + done, 1, key=key)

    def __call__(self, state, action):
        return self.layer(jnp.concatenate([state, action], axis=-1))
"""
SCANNED = """
class Chain(eqx.Module):
    rates: jax.Array
    gains: jax.Array

    def __call__(self, x: Float[Array, " n"]) -> Array:
        def step(carry, row):
            rate, gain = row
            carry = rate * carry + gain
            return carry, carry

        return jax.lax.scan(step, x, (self.rates, self.gains))[1]
"""
STRIDED = """
class Waves(eqx.Module):
    table: jax.Array

    def __init__(self, length: int, size: int):
        angles = jnp.arange(length)[:, None] / jnp.exp(jnp.arange(0, size, 2))
        table = jnp.zeros((length, size)).at[:, 0::2].set(jnp.sin(angles))
        self.table = table.at[:, 1::2].set(jnp.cos(angles))

    def __call__(self, x: Float[Array, " length"]) -> Float[Array, " length"]:
        return x + self.table.sum(axis=1)
"""
WHOLE = """
class Shift(eqx.Module):
    by: jax.Array

    def __init__(self):
        self.by = jnp.ones(())

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x + self.by[()]
"""
CLASSES = {
    "shift": (WHOLE, "return (sample(seed, (2,)),)"),
    "timed": (JOINED, "sample(seed + 1, (2,))"),
    "critic": (OF_TWO, "sample(seed + 1, (3,))"),
    "chain": (SCANNED, '"gains": sample(seed + 1, (3, 2))'),
    "waves": (STRIDED, '"size": 6'),
    "dense": (BY_KEYWORD, "return (sample(seed, (2,)),)"),
    "attended": (ANNOTATED, "return (sample(seed, (2, 3)),)"),
    "encoding": (ROWS, 'sample(seed + 1, (5,), "int32")'),
    "clock": (ASSERTED, "return (sample(seed, ()),)"),
    "pool": (OF_A_RANK, "sample(seed, (2, 3, 5))"),
    "pair": (EITHER, '"w": sample(seed, ())'),
    "config": (OR_NONE, '"bounds": None'),
    "activated": (BY_NAME, '"activation": "tanh"'),
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_has_an_example(name: str, tmp_path: Path) -> None:
    skeleton, example = CLASSES[name]
    assert example in whole_suite(tmp_path, name, HEAD + skeleton)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name][0])
