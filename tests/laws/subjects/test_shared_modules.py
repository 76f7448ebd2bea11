"""Modules of Flax that are held twice: by a wrapper on purpose, as two layers by mistake; and Variables that begin as a copy."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import LawBroken
from pytree_laws.nnx import NnxLaws


class Wrapped(nnx.Module):
    """A cell, and what runs it over time."""

    def __init__(self, *, rngs: nnx.Rngs):
        self.cell = nnx.SimpleCell(2, 3, rngs=rngs)
        self.rnn = nnx.RNN(self.cell)


class Renamed(nnx.Module):
    """The same, of which the wrapper has another name for the cell."""

    def __init__(self, *, rngs: nnx.Rngs):
        self.step = nnx.SimpleCell(2, 3, rngs=rngs)
        self.rnn = nnx.RNN(self.step)


class Repeated(nnx.Module):
    """One layer in the place of two."""

    def __init__(self, *, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs)] * 2)


class InSequence(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        layer = nnx.Linear(3, 3, rngs=rngs)
        self.layers = nnx.Sequential(layer, layer)


class TwoNames(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.first = nnx.Linear(3, 3, rngs=rngs)
        self.second = self.first


class Average(nnx.Module):
    """Weights, and their moving average, which begins as these."""

    kind: ClassVar[type] = nnx.BatchStat

    def __init__(self, *, rngs: nnx.Rngs):
        weight = jax.random.normal(rngs.params(), (3,))
        self.weight = nnx.Param(weight)
        self.average = self.kind(jnp.array(weight))


class Copied(Average):
    kind = nnx.Param


class Noise(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + jax.random.normal(self.rngs.noise(), x.shape, x.dtype)


class Noises(nnx.Module):
    """Two parts that draw from the same streams, each draw with a key of its own."""

    def __init__(self, *, rngs: nnx.Rngs):
        self.first, self.second = Noise(rngs=rngs), Noise(rngs=rngs)


def suite_of(cls: type[nnx.Module]) -> NnxLaws:
    class Suite(NnxLaws):
        def inputs(self, seed: int) -> dict[str, Any]:
            return {"rngs": nnx.Rngs(seed)}

        def build(self, **inputs: Any) -> Any:
            return cls(**inputs)

    return Suite()


@pytest.mark.parametrize("cls", [Wrapped, Renamed, Noises])
def test_what_a_wrapper_is_given_and_streams_of_keys_are_held_on_purpose(cls: type[nnx.Module]) -> None:
    suite_of(cls).test_p15_no_variable_is_held_twice()


@pytest.mark.parametrize("cls", [Repeated, InSequence, TwoNames])
def test_one_layer_in_two_places_is_told(cls: type[nnx.Module]) -> None:
    with pytest.raises(LawBroken, match="one is trained, and not two"):
        suite_of(cls).test_p15_no_variable_is_held_twice()


def test_an_average_may_begin_as_a_copy_and_a_parameter_may_not() -> None:
    suite_of(Average).test_p15_no_two_parameters_are_the_same_draw()
    with pytest.raises(LawBroken, match="it is the same draw as"):
        suite_of(Copied).test_p15_no_two_parameters_are_the_same_draw()
