"""A setting that is rounded on the way matters, though the next value of it changes nothing."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import Leaf, PytreeLaws, sample
from right.test_right_forms import finding


class Half(eqx.Module):
    dim: int = eqx.field(static=True)
    frequencies: jax.Array

    def __init__(self, dim: int):
        self.dim = dim
        self.frequencies = jnp.linspace(1.0, 2.0, dim // 2, dtype="float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.frequencies * x


class Ignoring(Half):
    def __init__(self, dim: int):
        self.dim = dim
        self.frequencies = jnp.linspace(1.0, 2.0, 4, dtype="float32")


class HalfLaws(PytreeLaws):
    leaves = (Leaf("frequencies", "param", (4,)),)
    static: ClassVar = {"dim": ...}
    built: type[Half] = Half

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"dim": 8}

    def build(self, dim: int) -> Half:
        return self.built(dim)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (4,)),)


class IgnoringLaws(HalfLaws):
    built = Ignoring


def test_a_size_that_is_halved_matters() -> None:
    assert finding(HalfLaws, "p08_every_setting_matters") == ""


def test_a_size_that_nothing_reads_is_noticed() -> None:
    assert "another value changes nothing else" in finding(IgnoringLaws, "p08_every_setting_matters")


class Begun(eqx.Module):
    """A setting that the call turns into an array, which the text of its program leaves out."""

    table: jax.Array
    start: int = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.table[jnp.array([self.start])] * x


class BegunElsewhere(Begun):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.table[jnp.array([1])] * x


class BegunLaws(PytreeLaws):
    leaves = (Leaf("table", "param", (4,)),)
    static: ClassVar = {"start": ...}
    used = ("start",)
    built: type[Begun] = Begun

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"table": sample(seed, (4,)), "start": 0}

    def build(self, table: jax.Array, start: int) -> Begun:
        return self.built(table, start)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class BegunElsewhereLaws(BegunLaws):
    built = BegunElsewhere


def test_a_setting_that_becomes_a_constant_of_the_program_matters() -> None:
    assert finding(BegunLaws, "p05_the_call_follows_its_static_values") == ""
    assert finding(BegunElsewhereLaws, "p05_the_call_follows_its_static_values") != ""
