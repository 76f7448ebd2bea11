"""An argument that is annotated with a class is given one of that class, private or not, and no other that looks like it."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from abc import abstractmethod
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp


class Base(eqx.Module):
    gain: eqx.AbstractVar[Callable[[jax.Array], jax.Array]]

    @abstractmethod
    def __call__(self, x: jax.Array) -> jax.Array: ...


class Scaled(Base):
    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x

    def gain(self, x: jax.Array) -> jax.Array:
        return x * self.scale


class _Net(eqx.Module):
    gain: Callable[[jax.Array], jax.Array]
    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain(self.weight * x)


class Solution(Base):
    offset: jax.Array
    _net: _Net

    def __init__(self, net: _Net, *, offset: jax.Array):
        self._net = net
        self.offset = offset

    @property
    def gain(self) -> Callable[[jax.Array], jax.Array]:
        return self._net.gain

    def __call__(self, x: jax.Array) -> jax.Array:
        return self._net(x + self.offset)


class _Layer(eqx.Module):
    password: str
    weight: jax.Array

    def __check_init__(self):
        if self.password != "open sesame":
            raise ValueError("nobody knows it")


class Locked(Base):
    layer: _Layer

    def __init__(self, layer: _Layer):
        self.layer = layer

    def gain(self, x: jax.Array) -> jax.Array:
        return x

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.layer.scale * x
"""

asked = asked_of("private_parts", SOURCE)


def test_a_part_of_a_private_class_is_made_of_it(asked: Asked) -> None:
    found = asked.adopt("Solution")
    assert found["called"]
    assert dict(map(tuple, found["inputs"]))["net"].startswith("_Net(")
    assert "from private_parts import _Net" in str(found)


@pytest.mark.slow
def test_what_no_part_is_known_for_is_given_none_of_another_class(asked: Asked) -> None:
    assert not asked.adopt("Locked")["built"]
