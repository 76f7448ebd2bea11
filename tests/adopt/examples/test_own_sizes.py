"""Sizes that an instance says itself, as the dimension of a manifold: arguments have these before any others."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float


class Bowl(eqx.Module):
    @property
    def ambient_dim(self) -> int:
        return 3

    @property
    def intrinsic_dim(self) -> int:
        return 2

    def project(self, x: Array) -> Array:
        plane = x[..., :2]
        return jnp.concatenate([plane, jnp.sum(plane**2, axis=-1, keepdims=True)], axis=-1)


class Length(eqx.Module):
    manifold: Bowl
    weight: Array

    def norm(self, x: Array, v: Array) -> Array:
        return self.weight * jnp.sum(v**2, axis=-1) * (1 + jnp.sum(x**2, axis=-1))


class Filled(eqx.Module):
    rows: int = eqx.field(static=True)
    columns: int = eqx.field(static=True)
    value: Array

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    def mv(self, x: Array) -> Array:
        return self.value * jnp.sum(x) * jnp.ones(self.rows)


class Counts(eqx.Module):
    weight: Array
    sizes: tuple[int, ...] = eqx.field(static=True, default=(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37))

    def __call__(self, x: Array) -> Array:
        return self.weight * x


class Rows(eqx.Module):
    norm: eqx.nn.RMSNorm
    linear: eqx.nn.Linear

    def __init__(self, dim: int, width: int, *, key: Array):
        self.norm = eqx.nn.RMSNorm(dim, use_bias=False)
        self.linear = eqx.nn.Linear(dim, width, key=key)

    def __call__(self, x: Float[Array, " ... dim"]) -> Array:
        return jax.vmap(self.linear)(jax.vmap(self.norm)(x))


class Last(Rows):
    def __call__(self, x: Float[Array, " ... dim"]) -> Array:
        return self.norm(x) @ self.linear.weight.T
"""
asked = asked_of("sizes_said", SOURCE)


@pytest.mark.spread(5)
@pytest.mark.parametrize(("name", "size"), [("Bowl", 3), ("Length", 3)])
def test_points_are_of_the_dimension_of_their_manifold(asked: Asked, name: str, size: int) -> None:
    arguments = asked.adopt(name)["arguments"]
    assert all(f"({size},)" in text for _, text, _ in arguments), arguments


def test_an_operator_is_called_with_as_many_numbers_as_it_has_columns(asked: Asked) -> None:
    found = asked.adopt("Filled")
    [[_, text, _]] = found["arguments"]
    assert f"({dict(found['inputs'])['columns']},)" in text


def test_a_class_may_hold_every_size_that_is_tried(asked: Asked) -> None:
    found = asked.adopt("Counts")
    assert (found["built"], found["called"]) == (True, True), found


@pytest.mark.slow
def test_a_call_that_maps_over_any_axes_is_given_one(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Rows")["arguments"]
    assert "(5, 3)" in text
    [[_, text, _]] = asked.adopt("Last")["arguments"]
    assert "(3,)" in text
