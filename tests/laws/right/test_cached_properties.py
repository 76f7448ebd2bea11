"""What a `cached_property` keeps is computed anew: it is lost in no round trip, and hides from nobody."""

import copy
import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, sample
from right.test_right_forms import finding, suite


class Semiring(eqx.Module):
    """A static part, whose check fills a cache."""

    size: int = eqx.field(static=True)

    @functools.cached_property
    def one(self) -> jax.Array:
        return jnp.ones((self.size,))

    def __check_init__(self) -> None:
        if self.one.ndim != 1:
            raise ValueError("one axis is wanted")


class Matrix(eqx.Module):
    weight: jax.Array
    semiring: Semiring = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x + jnp.ones((self.semiring.size,))


class Kept(Matrix):
    """The array is an attribute of the part, and no cache."""

    def __init__(self, weight: jax.Array, semiring: Semiring):
        self.weight, self.semiring = weight, semiring
        semiring.__dict__["two"] = 2 * jnp.ones((3,))


@pytest.mark.parametrize(
    "test",
    [
        "p01_builds_under_jit_without_leaking",
        "p02_no_array_hides_elsewhere",
        "p03_round_trip_keeps_every_attribute",
    ],
)
def test_a_cache_that_a_constructor_fills_is_right(test: str) -> None:
    form = suite(
        lambda seed: Matrix(sample(seed, (3,)), Semiring(3)), leaves=(Leaf("weight", "param", (3,)),)
    )
    assert finding(form, test) == ""


def test_another_array_beside_the_leaves_is_none() -> None:
    form = suite(lambda seed: Kept(sample(seed, (3,)), Semiring(3)), leaves=(Leaf("weight", "param", (3,)),))
    text = finding(form, "p02_no_array_hides_elsewhere")
    assert "an array of shape (3,) that is not a leaf" in text, text


class Wrapper(eqx.Module):
    """A state around another, which has its attributes too."""

    state: Any

    def __getattr__(self, name: str) -> Any:
        if name == "__setstate__":
            raise AttributeError(name)
        return getattr(self.state, name)


def test_a_copy_that_a_part_answers_for_is_advice() -> None:
    form = suite(
        lambda seed: Wrapper(sample(seed, (3,))), called=False, leaves=(Leaf("state", "param", (3,)),)
    )
    text = finding(form, "p14_deepcopy")
    assert text.startswith("advice: copy.deepcopy gives a ArrayImpl, since its `__getattr__` answers"), text
    assert isinstance(copy.deepcopy(Wrapper({"x": jnp.ones(3)})), Wrapper), "of a dict it is right"
