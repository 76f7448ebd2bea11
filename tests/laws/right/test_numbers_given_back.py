"""Numbers of Python that a method gives back have a dtype outside of jit, and are arrays under jit."""

from typing import Any

import equinox as eqx
import jax

from pytree_laws import Leaf, Method, PytreeLaws, sample
from right.test_right_forms import finding


class Bounded(eqx.Module):
    weight: jax.Array
    low: float

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    @property
    def lower(self) -> Any:
        return jax.lax.stop_gradient(self.low)

    def both(self, x: jax.Array) -> tuple[Any, jax.Array]:
        return jax.lax.stop_gradient(self.low), self.weight * x


class Doubling(Bounded):
    @property
    def lower(self) -> Any:
        low = jax.lax.stop_gradient(self.low)
        return low if isinstance(low, float) else 2 * low


class BoundedLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("low", "python"))
    methods = (Method("lower"), Method("both", lambda seed: (sample(seed, (3,)),)))
    built: type[Bounded] = Bounded

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,)), "low": 0.25}

    def build(self, **inputs: Any) -> Bounded:
        return self.built(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class DoublingLaws(BoundedLaws):
    built = Doubling


def test_a_number_with_a_dtype_is_the_array_that_jit_gives() -> None:
    assert finding(BoundedLaws, "p07_methods_jit_equals_eager") == ""
    assert finding(BoundedLaws, "p07_methods_in_bfloat16_give_bfloat16") == ""


def test_another_value_under_jit_is_noticed() -> None:
    assert "jit gives" in finding(DoublingLaws, "p07_methods_jit_equals_eager")
