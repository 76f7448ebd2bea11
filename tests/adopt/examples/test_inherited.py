"""What an override does not say of its arguments: the annotations of the method that it overrides."""

from typing import Any

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from typing import Any, Generic, Protocol, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

Model = TypeVar("Model")


class Encoder(Protocol):
    def encode(self, x: Array, key: Array) -> Array: ...


class Energy(Protocol):
    def energy(self, x: Array) -> Array: ...


class Variational(eqx.Module):
    scale: Array

    def encode(self, x: Array, key: Array) -> Array:
        return self.scale * x + jax.random.normal(key, x.shape)


class Well(eqx.Module):
    depth: Array

    def energy(self, x: Array) -> Array:
        return self.depth * jnp.sum(x**2)


class Loss(eqx.Module, Generic[Model]):
    weight: Array

    def __call__(self, model: Model, batch: tuple[Any, ...], key: Array) -> Array:
        raise NotImplementedError


class Distance(Loss[Encoder]):
    def __call__(self, model, batch, key):
        return self.weight * jnp.mean((model.encode(batch[0], key) - batch[1]) ** 2)


class Gap(Loss[Energy]):
    def __call__(self, model, batch, key):
        return self.weight * (model.energy(batch[0]) - jnp.mean(batch[2]))


class Named(Loss[Energy]):
    def __call__(self, model: Encoder, batch, key):
        return self.weight * jnp.mean(model.encode(batch[0], key))
"""
asked = asked_of("inherited_annotations", SOURCE)


def arguments(answer: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text, _ in answer["arguments"]}


@pytest.mark.slow
def test_an_override_takes_what_the_type_variable_of_its_base_stands_for(asked: Asked) -> None:
    found = arguments(asked.adopt("Distance"))
    assert found["model"].startswith("Variational(scale=")
    assert found["batch"].startswith("(sample(seed")


@pytest.mark.slow
def test_as_many_parts_are_given_as_an_override_reads(asked: Asked) -> None:
    found = arguments(asked.adopt("Gap"))
    assert found["model"].startswith("Well(depth=")
    assert found["batch"].count("sample(") == 3


def test_what_an_override_says_itself_stands(asked: Asked) -> None:
    assert arguments(asked.adopt("Named"))["model"].startswith("Variational(scale=")
