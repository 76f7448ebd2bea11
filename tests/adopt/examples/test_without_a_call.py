"""What ended the search for an example: a module of NNX without a call, and a protocol of jax, which an array fits."""

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
"""
asked = asked_of("without_a_call", SOURCE)


def test_a_module_without_a_call_is_built(asked: Asked) -> None:
    assert asked.adopt("Network")["inputs"]


def test_an_array_is_no_example_of_a_protocol_of_jax(asked: Asked) -> None:
    assert [name for name, *_ in asked.adopt("Cast")["inputs"]] == ["size"]
