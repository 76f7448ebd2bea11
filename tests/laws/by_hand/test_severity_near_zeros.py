"""A NaN at zeros is a mistake where the class is for numbers on both sides of zero, and no edge or pole of it."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from seen_broken import broken

from by_hand.test_severity import severity_of
from pytree_laws import Method, PytreeLaws, sample
from pytree_laws.report import ADVICE, FAULT

GRADIENT, VALUE, METHOD = (
    "test_p09_no_gradient_is_nan_where_the_output_is_finite",
    "test_p07_equal_arguments_give_no_nan",
    "test_p09_no_gradient_of_a_method_is_nan_at_zeros",
)


class Scaled(eqx.Module):
    weight: jax.Array


class Length(Scaled):
    """The length of a vector, which has a gradient on both sides of zero."""

    def __call__(self, x):
        return jnp.sqrt(jnp.sum((self.weight * x) ** 2))


class Growth(Scaled):
    """A power of a sum, for which nothing stands below zero."""

    def __call__(self, x):
        return jnp.sqrt(jnp.sum((self.weight**2 * x) ** 3))


class Sinc(Scaled):
    """A quotient that stays bounded near zero."""

    def __call__(self, x):
        return jnp.sin(x) / x * self.weight


class Distance(Scaled):
    """The distance from a point, which has none at the point itself."""

    def __call__(self, x):
        return jnp.linalg.norm(x - self.weight)


class Beyond(Scaled):
    """What is beyond a point, for which nothing stands on its other side."""

    def __call__(self, x):
        return jnp.sqrt(jnp.sum((x - self.weight) ** 3))


class Pull(Scaled):
    """The pull of masses on lines, each of which grows towards it without a bound."""

    def __call__(self, x):
        return self.weight * x / jnp.abs(x) ** 3


class Phase(Scaled):
    """The phase of waves by their lengths, which swings without a limit near zero."""

    def __call__(self, x):
        return jnp.cos(2 * jnp.pi * self.weight / x)


class Laws(PytreeLaws):
    cls: type = Scaled

    def build(self, seed):
        return self.cls(1 + sample(seed, (3,)) ** 2)

    def arguments(self, seed):
        return (sample(seed + 1, (3,)).at[0].set(-0.1).at[1].set(2),)


def laws_of(cls, **names):
    return type("Suite", (Laws,), {"cls": cls, **names})


@pytest.mark.parametrize(
    ("cls", "test", "severity"),
    [
        (Length, GRADIENT, FAULT),
        (Growth, GRADIENT, ADVICE),
        (Sinc, VALUE, FAULT),
        (Pull, VALUE, ADVICE),
        (Phase, VALUE, ADVICE),
    ],
)
def test_a_nan_at_an_edge_or_a_pole_is_advice(cls, test, severity):
    assert severity_of(test, laws_of(cls)) == severity


@pytest.mark.parametrize(("cls", "severity"), [(Distance, FAULT), (Beyond, ADVICE)])
def test_a_nan_of_a_gradient_where_an_argument_is_as_a_leaf_is_told(cls, severity):
    finding = broken(laws_of(cls)(), GRADIENT.removeprefix("test_"))
    assert finding.what.startswith("with arguments equal to `weight` the output is finite")
    assert finding.severity == severity


@pytest.mark.parametrize(("cls", "severity"), [(Length, FAULT), (Growth, ADVICE)])
def test_a_gradient_of_a_method_at_an_edge_is_advice(cls, severity):
    named = type("Named", (Scaled,), {"measure": cls.__call__})
    method = Method("measure", lambda seed: Laws().arguments(seed))
    assert severity_of(METHOD, laws_of(named, methods=(method,), call="measure")) == severity


class Turn(Scaled):
    """A rotation about an axis, by its length: one on both sides of no rotation."""

    @classmethod
    def about(cls, axis):
        squared = jnp.sum(axis**2)
        is_small = squared < 1e-6
        angle = jnp.sqrt(squared)
        slope = jnp.where(is_small, 1 - squared / 6, jnp.sin(angle) / jnp.where(is_small, 1, angle))
        return cls(1 + slope * axis)


class Standard(Scaled):
    """The deviation of data, which bends where all are equal."""

    @classmethod
    def about(cls, axis):
        return cls(1 + axis - jnp.std(axis))


@pytest.mark.parametrize(("cls", "severity"), [(Turn, FAULT), (Standard, None)])
def test_data_of_an_instance_are_held_to_a_slope_where_there_is_one(cls, severity):
    method = Method("about", lambda seed: (sample(seed, (3,)),))
    assert (
        severity_of(METHOD, laws_of(type("Named", (cls,), {"__call__": Length.__call__}), methods=(method,)))
        == severity
    )


class Attention(Scaled):
    """Weights of neighbours, of which an element may have none."""

    def __call__(self, x):
        return jax.nn.softmax(self.weight + jnp.where(x != 0, 0.0, -jnp.inf))


def test_a_nan_of_a_softmax_is_told_with_its_cause():
    assert (
        "a softmax over nothing but -inf"
        in broken(laws_of(Attention)(), "p07_equal_arguments_give_no_nan").hint
    )
