"""Arguments that hold arrays, and are no pytrees: no compiled program can be given one."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import dataclasses

import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp


@dataclasses.dataclass
class System:
    positions: jax.Array


@dataclasses.dataclass(frozen=True)
class Options:
    power: int = 2


class Energy(eqx.Module):
    scale: jax.Array

    def __call__(self, system: System) -> jax.Array:
        return self.scale * jnp.sum(system.positions)


class Power(eqx.Module):
    scale: jax.Array

    def __call__(self, x: jax.Array, options: Options) -> jax.Array:
        return self.scale * x**options.power


@flax.struct.dataclass
class Core:
    rate: int = flax.struct.field(pytree_node=False)
    device: jax.Device = flax.struct.field(pytree_node=False)
    steps: jax.Array

    def advance(self, count: jax.Array) -> jax.Array:
        return self.steps + count / self.rate
"""
asked = asked_of("opaque_arguments", SOURCE)


def test_what_hides_its_arrays_is_no_argument(asked: Asked) -> None:
    answer = asked.adopt("Energy")
    assert answer["built"] and not answer["called"]
    assert "`System` holds arrays, and jax cannot flatten it" in answer["why"]


def test_what_holds_none_is_one(asked: Asked) -> None:
    assert asked.adopt("Power")["called"]


@pytest.mark.slow
def test_a_device_is_one_that_jax_has(asked: Asked) -> None:
    answer = asked.adopt("Core")
    assert answer["called"] and ["device", "jax.devices()[0]"] in answer["inputs"]
