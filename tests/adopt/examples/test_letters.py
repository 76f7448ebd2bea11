"""Names of one letter, and defaults of 0, in examples: what code says of them."""

import re
from typing import Any

import pytest

from tests.adopt.asking import Asked, asked_of

FILTER = """
import equinox as eqx
from jax import Array


class Filter(eqx.Module):
    A: Array
    Q: Array

    def __call__(self, x: Array) -> Array:
        return self.A @ x + self.Q.T @ x
"""
SOURCE = """
import equinox as eqx
import jax.numpy as jnp
from jax import Array


class Bubble(eqx.Module):
    R: Array
    R_dot: Array = eqx.field(default_factory=lambda: jnp.zeros(()), kw_only=True)
    R0: Array = eqx.field(default_factory=lambda: jnp.zeros(()), kw_only=True)


class Tension(eqx.Module):
    sigma: Array

    def __call__(self, bubble: Bubble) -> Array:
        return self.sigma * bubble.R_dot / bubble.R0
"""
radius = asked_of("radii", SOURCE)
filters = asked_of("filters", FILTER)


@pytest.mark.slow
def test_a_letter_is_no_matrix_where_nothing_says_so(radius: Asked) -> None:
    assert "eye" not in str(radius.adopt("Bubble")["inputs"])


@pytest.mark.slow
def test_a_letter_is_a_matrix_where_code_uses_it_so(filters: Asked) -> None:
    inputs = dict[str, Any](filters.adopt("Filter")["inputs"])
    assert "jnp.eye(3)" in inputs["A"] and "jnp.eye(3)" in inputs["Q"]


@pytest.mark.slow
def test_defaults_of_0_are_given_other_numbers(radius: Asked) -> None:
    [[_, text, _]] = radius.adopt("Tension")["arguments"]
    assert "R_dot=sample(" in text and "R0=sample(" in text
    assert len({*re.findall(r"seed(?: \+ \d)?", text)}) == text.count("sample(")  # none is drawn twice


def test_what_stands_beside_defaults_without_axes_has_none(radius: Asked) -> None:
    assert dict[str, Any](radius.adopt("Bubble")["inputs"])["R"] == "sample(seed, positive=True)"
