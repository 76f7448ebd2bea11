"""A method that stands for the attribute of a base leads back to its instance, and no walk goes round with it."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import check_pytree, sample
from pytree_laws.errors import place_in_laws
from pytree_laws.sharding.dims import dims_of_leaves


class Flux(eqx.Module):
    diffusivity: eqx.AbstractVar[Callable[[jax.Array], jax.Array]]

    def flux(self, r: jax.Array) -> jax.Array:
        return -self.diffusivity(r) * self(r)

    def __call__(self, r: jax.Array) -> jax.Array:
        raise NotImplementedError


class Scaled(Flux):
    gain: jax.Array

    def __call__(self, r: jax.Array) -> jax.Array:
        return self.gain * r

    def diffusivity(self, r: jax.Array) -> jax.Array:
        return r * self.gain


def test_a_method_stands_for_the_attribute_of_a_base():
    report = check_pytree(lambda seed: Scaled(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert not [finding.what for finding in report.findings if "Recursion" in finding.what]
    assert dims_of_leaves(Scaled(jnp.ones(3))) == {}


class Chain:
    """Lists in lists, deeper than Python calls."""

    links: list[object]

    def __init__(self) -> None:
        self.links = list[object]()
        for _ in range(2000):
            self.links = [self.links]


def test_a_walk_of_the_laws_that_goes_too_deep_is_told_of_the_laws():
    with pytest.raises(RecursionError) as raised:
        dims_of_leaves(Chain())
    assert place_in_laws(raised.value).startswith("dims.py:")


class Loop:
    @property
    def length(self) -> int:
        return self.length


def test_a_class_that_calls_itself_without_an_end_is_told_of_the_class():
    with pytest.raises(RecursionError) as raised:
        _ = Loop().length
    assert not place_in_laws(raised.value)
