"""Sums beside `stop_gradient`: what is taken away again passes no gradient on, and what only looks so does."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, sample

stop = jax.lax.stop_gradient


class Sums(eqx.Module):
    weight: jax.Array
    total: Callable[[Any, Any], Any] = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.total(self.weight * x, self.weight)


def suite(total: Callable[[Any, Any], Any]) -> PytreeLaws:
    class TestSums(PytreeLaws):
        leaves = (Leaf("weight", "param", (3,)),)

        def inputs(self, seed: int) -> dict[str, Any]:
            return {"weight": sample(seed, (3,))}

        def build(self, **inputs: Any) -> Sums:
            return Sums(total=total, **inputs)

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return (sample(seed, (3,)),)

    return TestSums()


@pytest.mark.parametrize(
    "total",
    [
        lambda x, w: x + stop(jnp.round(x) - x),
        lambda x, w: (x[:, None] - x[None, :]) + stop(w),
        lambda x, w: x.reshape(3, 1) - x.reshape(1, 3) + stop(w),
        lambda x, w: x + (x - stop(w)) - x,
    ],
)
def test_a_gradient_that_is_left_is_no_finding(total: Callable[[Any, Any], Any]) -> None:
    suite(total).test_p09_a_gradient_that_is_passed_on_is_not_taken_away_again()


def test_a_gradient_that_is_taken_away_again_is_told() -> None:
    with pytest.raises(LawBroken, match="a term of a sum is taken away again beside `stop_gradient`"):
        suite(
            lambda x, w: x + (stop(jnp.round(x)) - x)
        ).test_p09_a_gradient_that_is_passed_on_is_not_taken_away_again()
