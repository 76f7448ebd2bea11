"""Classes that are built of their fields: what others do with these says their shapes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

HEAD = """
from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import DTypeLike
"""
NET = """
class Net(eqx.Module):
    layers: list[eqx.nn.Linear]

    def __init__(self, sizes: Sequence[int], *, key: jax.Array):
        keys = jax.random.split(key, len(sizes) - 1)
        self.layers = [eqx.nn.Linear(a, b, key=k) for a, b, k in zip(sizes[:-1], sizes[1:], keys, strict=True)]

    def __call__(self, x: jax.Array) -> jax.Array:
        *inner, last = self.layers
        for layer in inner:
            x = jax.nn.relu(layer(x))
        return last(x)
"""
CLASSES = {
    "rows of a batch, read by a method": """
class Batch(NamedTuple):
    inputs: jax.Array
    targets: jax.Array


class Net(eqx.Module):
    first: eqx.nn.Linear

    def __init__(self, in_size: int, out_size: int, *, key: jax.Array):
        self.first = eqx.nn.Linear(in_size, out_size, key=key)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.nn.relu(self.first(x))

    def loss(self, batch: Batch) -> jax.Array:
        predicted = jax.vmap(self)(batch.inputs)
        return jnp.mean((predicted - batch.targets) ** 2)
""",
    "a class method that says the sizes, and a class that calls its instances": """
class Kernel(eqx.Module):
    scale: jax.Array
    rates: jax.Array

    @classmethod
    def weak(cls, size: int, *, key: jax.Array, dtype: DTypeLike | None = None) -> "Kernel":
        return cls(scale=jnp.full((size, size), 0.1, dtype), rates=jax.random.uniform(key, (size,), dtype))

    def __call__(self, t: jax.Array) -> jax.Array:
        return self.scale @ (self.rates * jnp.exp(-self.rates * t))

    def mass(self, row: jax.Array) -> jax.Array:
        return row @ self.scale


class Process(eqx.Module):
    kernel: Kernel
    base: jax.Array

    def intensity(self, t: jax.Array) -> jax.Array:
        return self.base + self.kernel(t)

    def total(self, row: jax.Array) -> jax.Array:
        return jnp.sum(self.kernel.mass(row))
""",
    "moments that a filter unpacks, replaces and gives": """
class Moments(NamedTuple):
    mean: jax.Array
    cov: jax.Array


class Filter(eqx.Module):
    drift: jax.Array

    def __init__(self, size: int, *, key: jax.Array):
        self.drift = jax.random.normal(key, (size, size))

    def predict(self, moments: Moments) -> Moments:
        mean, cov = moments
        return Moments(self.drift @ mean, self.drift @ cov @ self.drift.T)

    def forget(self, moments: Moments, rate: float) -> Moments:
        return moments._replace(cov=moments.cov * rate)
""",
    "places in an array, handed on to a layer": """
class Message(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, size: int, *, key: jax.Array):
        self.linear = eqx.nn.Linear(size, size, key=key)

    def __call__(self, x: jax.Array, senders: jax.Array, receivers: jax.Array) -> jax.Array:
        messages = jax.vmap(self.linear)(x[senders])
        return jnp.zeros_like(x).at[receivers].add(messages)


class Graph(eqx.Module):
    layer: Message

    def __init__(self, size: int, *, key: jax.Array):
        self.layer = Message(size, key=key)

    def __call__(self, x: jax.Array, senders: jax.Array, receivers: jax.Array) -> jax.Array:
        return x + self.layer(x, senders, receivers)
""",
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_what_others_do_with_its_fields_says_their_shapes(name: str, tmp_path: Path) -> None:
    tried(tmp_path, "several", HEAD + CLASSES[name])


SIZES = {
    "pairs of a list": "for a, b, k in zip(sizes[:-1], sizes[1:], keys, strict=True)",
    "pairwise": "for (a, b), k in zip(pairwise(sizes), keys, strict=True)",
    "a list with sizes at its ends": "for a, b, k in zip([2, *sizes], [*sizes, 5], keys, strict=False)",
}


@pytest.mark.slow  # a run of its own
@pytest.mark.parametrize("name", SIZES)
def test_layers_are_as_wide_as_a_list_of_sizes_says(name: str, tmp_path: Path) -> None:
    skeleton = NET.replace(SIZES["pairs of a list"], SIZES[name])
    tried(tmp_path, "net", HEAD + "from itertools import pairwise\n" + skeleton)
    said = "2" if "ends" in name else "3"
    assert f"sample(seed, ({said},))" in (tmp_path / "nets/tests/test_net.py").read_text()


@pytest.mark.slow
def test_a_dtype_of_a_method_is_one_in_any_form(tmp_path: Path) -> None:
    module = tried(
        tmp_path,
        "kernel",
        HEAD + CLASSES["a class method that says the sizes, and a class that calls its instances"],
    )
    assert "key: jax.Array, dtype: DTypeLike | None = None" in module


ROWS_OF = """
from typing import NamedTuple

import equinox as eqx
import jax
from jaxtyping import Array, Float


class Row(NamedTuple):
    x: Float[Array, " n"]
    y: Float[Array, ""]


class Model(eqx.Module):
    w: Float[Array, " n"]

    def error(self, row: Row) -> Float[Array, ""]:
        return self.w @ row.x - row.y

    def loss(self, batch: Row) -> Float[Array, ""]:
        return (jax.vmap(self.error)(batch) ** 2).mean()
"""


@pytest.mark.slow
def test_a_record_that_is_mapped_over_has_rows(tmp_path: Path) -> None:
    tried(tmp_path, "model", ROWS_OF)
    tests = " ".join(suite_text(tmp_path, "model").split())
    assert ", (3, 2)), y=sample(" in tests
    assert ", (2,)), y=sample(" in tests
