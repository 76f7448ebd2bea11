"""Streams of keys that no annotation names, lists of parts that are no arrays, and functions that a field holds."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import abc
from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx, struct


class Drawing(nnx.Module):
    """Noise."""

    def __init__(self, rng, scale: float = 1.0):
        self.rng, self.scale = rng, scale

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + self.scale * jax.random.normal(self.rng(), x.shape)


class Named(nnx.Module):
    """Noise of streams that an annotation names otherwise."""

    def __init__(self, rng: nnx.Rngs):
        self.rng = rng

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + jax.random.normal(self.rng.noise(), x.shape)


class Keyed(nnx.Module):
    """Noise of a key."""

    def __init__(self, rng):
        self.weight = nnx.Param(jax.random.normal(rng, (3,)))

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.weight


class Layer(nnx.Module, abc.ABC):
    @abc.abstractmethod
    def __call__(self, x: jax.Array) -> jax.Array: ...


class Row(Layer):
    """Layers in a row."""

    def __init__(self, layers: Sequence[Layer]):
        self.layers = nnx.List(layers)

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer in self.layers:
            x = layer(x)
        return x


class Joined(nnx.Module):
    """Layers by name."""

    def __init__(self, parts: dict[str, Layer]):
        if not parts:
            raise ValueError("it needs a part")
        self.parts = nnx.Dict(parts)

    def __call__(self, x: jax.Array) -> dict[str, jax.Array]:
        return {name: part(x) for name, part in self.parts.items()}


class State(struct.PyTreeNode):
    """What an optimiser keeps beside a function."""

    apply_fn: Callable = struct.field(pytree_node=False)
    params: jax.Array


@struct.dataclass
class Left:
    scale: jax.Array
    right: "Right | None"


@struct.dataclass
class Right:
    left: Left


@struct.dataclass
class Pair:
    right: Right
'''
asked = asked_of("streams_and_parts", SOURCE)


@pytest.mark.slow
def test_what_is_called_for_its_keys_is_a_stream(asked: Asked) -> None:
    for name in ("Drawing", "Named"):
        answer = asked.adopt(name)
        assert dict(answer["inputs"])["rng"] == "nnx.Rngs(seed)" and answer["called"], answer
    assert dict(asked.adopt("Keyed")["inputs"])["rng"] == "jax.random.key(seed)"


def test_an_array_is_no_list_of_parts(asked: Asked) -> None:
    answer = asked.adopt("Joined")
    assert not answer["built"] and "it needs a part" in answer["why"], answer


def test_a_function_is_no_abstract_class(asked: Asked) -> None:
    answer = asked.adopt("State")
    assert answer["built"] and dict(answer["inputs"])["apply_fn"].startswith("jnp."), answer


@pytest.mark.slow
def test_a_part_that_waits_for_a_class_is_built_when_that_class_is(asked: Asked) -> None:
    assert dict(asked.adopt("Left")["inputs"])["right"] == "None"  # `Right` cannot be built within `Left`
    assert asked.adopt("Pair")["built"]
