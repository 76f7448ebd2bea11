"""Functions that a class holds: of as many arguments as its code gives them, and parts with the attributes that it reads."""

from typing import Any

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array


class Economy(eqx.Module):
    data: dict[str, Array]
    wages: Array


class Utility(eqx.Module):
    func: Callable
    weight: Array

    def __call__(self, params: dict[str, Array], economy: Economy) -> Array:
        return self.weight * self.func(params, economy)


class Pace(eqx.Module):
    weight: Array

    def step(self, x: Array) -> Array:
        return self.weight * x


class Metric(eqx.Module):
    weight: Array

    def norm(self, x: Array) -> Array:
        return jnp.sum(self.weight * x)


class Weighted(Metric):
    bias: Array

    def wind(self, x: Array) -> Array:
        return self.bias * x


class March(eqx.Module):
    paces: Any
    scale: Array

    def __call__(self, metric: Metric, x: Array) -> Array:
        return self.scale * metric.wind(self.paces.step(x))
"""
asked = asked_of("functions_held", SOURCE)


def inputs(answer: dict[str, Any]) -> dict[str, str]:
    return dict(answer["inputs"])


@pytest.mark.slow
def test_a_function_takes_as_many_arguments_of_any_kind_as_the_code_gives_it(asked: Asked) -> None:
    found = asked.adopt("Utility")
    assert inputs(found)["func"] == "total"
    assert {name for name, *_ in found["arguments"]} == {"params", "economy"}


@pytest.mark.slow
def test_a_part_that_lacks_an_attribute_is_exchanged_for_one_that_has_it(asked: Asked) -> None:
    found = asked.adopt("March")
    assert inputs(found)["paces"].startswith("Pace(")
    arguments = {name: text for name, text, _ in found["arguments"]}
    assert arguments["metric"].startswith("Weighted(")
