"""Values that are weighted by a share of what was counted: of nothing at the start, so that no edit shows there."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, PytreeLaws, sample
from tests.laws.seen_broken import broken, hold


class Welford(eqx.Module):
    """A variance that is 1 until something is counted."""

    square: jax.Array
    count: jax.Array

    def __init__(self) -> None:
        self.square, self.count = jnp.zeros(3), jnp.zeros((), jnp.int32)

    def _share(self) -> jax.Array:
        n = self.count.astype(self.square.dtype)
        return n / (n + 5)

    def variance(self) -> jax.Array:
        return self._share() * self.square + 1 - self._share()


class Forgetful(Welford):
    def variance(self) -> jax.Array:
        return 0 * self.square + 1 - self._share()


class Called(Welford):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.variance() * x


class CalledForgetful(Forgetful):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.variance() * x


class WelfordLaws(PytreeLaws):
    leaves = (Leaf("square", "data", (3,)), Leaf("count", "data", (), "int32", value=0))
    cls: type[Welford] = Welford
    methods = (Method("variance", used=("square",)),)

    def build(self, seed: int) -> Any:
        return self.cls()


class CalledLaws(WelfordLaws):
    leaves = (Leaf("square", "param", (3,)), Leaf("count", "data", (), "int32", value=0))
    methods = ()

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


@pytest.mark.parametrize(
    ("laws", "right", "wrong", "test"),
    [
        (WelfordLaws, Welford, Forgetful, "p08_methods_follow_the_leaves_that_they_use"),
        (WelfordLaws, Welford, Forgetful, "p09_methods_reach_every_parameter"),
        (CalledLaws, Called, CalledForgetful, "p08_every_parameter_changes_the_output"),
        (CalledLaws, Called, CalledForgetful, "p09_every_parameter_has_a_gradient"),
    ],
)
def test_a_value_is_tried_where_something_is_counted(
    laws: type[WelfordLaws], right: type[Welford], wrong: type[Welford], test: str
) -> None:
    hold(type("TestRight", (laws,), {"cls": right})(), test)
    assert "square" in str(broken(type("TestWrong", (laws,), {"cls": wrong})(), test))
