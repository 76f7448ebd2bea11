"""A method of the author with the name of a filter spec, and a hash of an instance that no example causes."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import PytreeLaws, check_pytree, sample
from right.test_right_forms import finding


class Fading(eqx.Module):
    rate: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.decayed(2.0, x)

    def decayed(self, time: float, x: jax.Array) -> jax.Array:
        return jnp.exp(-self.rate * time) * x

    def trainable(self, of: Any) -> Any:
        return of


class Stepping(Fading):
    """It hands a bound method to jax, which asks for the hash of the instance."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.scan(self.step, 0.0, x)[1]

    def step(self, carry: Any, x: jax.Array) -> Any:
        return carry, self.rate[0] * x


class FadingLaws(PytreeLaws):
    guessed = ("__call__",)
    built: type[Fading] = Fading

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"rate": sample(seed, (3,))}

    def build(self, rate: jax.Array) -> Fading:
        return self.built(rate)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class SteppingLaws(FadingLaws):
    built = Stepping


def test_a_method_that_needs_arguments_is_no_filter_spec() -> None:
    report = check_pytree(lambda seed: Fading(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert [str(found) for found in report.findings if found.law.number == "P16"] == []


def test_an_instance_that_is_hashed_is_a_fault_of_a_guessed_example_too() -> None:
    assert "unhashable type" in finding(SteppingLaws, "p07_outputs_are_as_declared")
