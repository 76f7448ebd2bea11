"""Methods of NNX modules that update Variables, and types of Variables that no optimiser moves."""

from typing import Any

import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import LawBroken, Method, sample
from pytree_laws.nnx import NnxLaws, Var


class Profile(nnx.Variable):
    """What was measured."""


class Weight(nnx.Param):
    """What an optimiser moves."""


class Tank(nnx.Module):
    """A tank of ink that is filled up."""

    def __init__(self, kind: type[nnx.Variable], rngs: nnx.Rngs) -> None:
        self.level, self.curve = nnx.Variable(jnp.ones(3)), kind(jnp.ones(3))
        self.smear = nnx.Dropout(0.25, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return x * self.level[...] * self.curve[...]

    def filled(self, share: Any) -> Any:
        self.level[...] = jnp.maximum(self.level[...], share)
        return self.level[...]

    def put(self, share: Any) -> Any:
        self.level = nnx.Variable(jnp.maximum(self.level[...], share))
        return self.level[...]

    def weighed(self, share: Any) -> Any:
        level = self.level[...]
        self.level[...] = level
        return level * share


class TankLaws(NnxLaws):
    kind: type[nnx.Variable] = Profile
    variables = (Var("level", nnx.Variable, (3,), flows=True), Var("curve", Profile, (3,), flows=True))

    def build(self, rngs: nnx.Rngs) -> Tank:
        return Tank(self.kind, rngs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def suite(**names: Any) -> TankLaws:
    methods = (Method(names.pop("method", "filled"), lambda seed: (sample(seed, (3,)),), updates=("level",)),)
    return type("TestTank", (TankLaws,), {"methods": methods, **names})()


def test_a_method_that_puts_another_variable_in_its_place_is_told() -> None:
    suite().test_p12_methods_keep_their_variables()
    with pytest.raises(LawBroken, match="at `level`: `put` put another Variable in its place"):
        suite(method="put").test_p12_methods_keep_their_variables()


def test_what_is_no_parameter_is_no_kind_of_param() -> None:
    suite().test_p02_variables_are_as_declared()
    trained = (TankLaws.variables[0], Var("curve", Weight, (3,), flows=True))
    with pytest.raises(LawBroken, match=r"Weight is an `nnx.Param`, which an optimiser moves"):
        suite(kind=Weight, variables=trained).test_p02_variables_are_as_declared()


def test_settings_of_parts_of_flax_are_those_that_a_file_says() -> None:
    tank = suite()
    names = dict(tank.settings_of_parts(tank.make(0)))
    assert names == {"smear.rate": 0.25}


class Moments(nnx.Module):
    """Statistics of what it has seen."""

    def __init__(self) -> None:
        self.mean, self.square = nnx.BatchStat(jnp.zeros(3)), nnx.BatchStat(jnp.zeros(3))

    def __call__(self, x: Any) -> Any:
        return (x - self.mean[...]) / jnp.sqrt(1 + self.square[...])

    def observed(self, x: Any) -> Any:
        self.mean[...] = 0.9 * self.mean[...] + 0.1 * x
        self.square[...] = 0.9 * self.square[...] + 0.1 * x**2
        return self.square[...]


class Forgetful(Moments):
    """The same, of which the mean is computed, and stays as it was."""

    def observed(self, x: Any) -> Any:
        mean = self.mean[...]
        mean += 0.1 * (x - mean)
        self.square[...] = 0.9 * self.square[...] + 0.1 * x**2
        return self.square[...]


class Given(Moments):
    """The same with a mean that is known, and that nothing updates."""

    def observed(self, x: Any) -> Any:
        self.square[...] = 0.9 * self.square[...] + 0.1 * (x - self.mean[...]) ** 2
        return self.square[...]


def moments(cls: type[Moments]) -> NnxLaws:
    class TestMoments(NnxLaws):
        methods = (Method("observed", lambda seed: (sample(seed, (3,)),)),)

        def build(self, rngs: nnx.Rngs) -> Moments:
            return cls()

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return (sample(seed, (3,)),)

    return TestMoments()


def test_statistics_of_which_one_is_never_stored_are_told() -> None:
    for right in (Moments, Given):
        moments(right).test_p12_statistics_are_all_updated()
    with pytest.raises(LawBroken, match="neither the call nor a method updates it, as they do `square`"):
        moments(Forgetful).test_p12_statistics_are_all_updated()


class Periodic(nnx.Module):
    """A kernel with a period in no Variable."""

    def __init__(self, period: Any, rngs: nnx.Rngs) -> None:
        self.period = period
        self.scale = nnx.Param(rngs.normal((3,)))

    def __call__(self, x: Any) -> Any:
        return jnp.sin(x / self.period) * self.scale[...]


class PeriodicLaws(NnxLaws):
    variables = (Var("scale", nnx.Param, (3,)),)

    def build(self, rngs: nnx.Rngs) -> Periodic:
        return Periodic(jnp.ones(3), rngs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def test_an_array_outside_of_variables_stops_no_law() -> None:
    PeriodicLaws().test_p10_vmapped_constructor()


def test_a_declared_update_that_assigns_what_was_held_is_a_fault() -> None:
    suite().test_p12_methods_update_what_they_declare_and_nothing_else()
    with pytest.raises(LawBroken, match="it declares that it updates `level`, and leaves") as raised:
        suite(method="weighed", severity="fault").test_p12_methods_update_what_they_declare_and_nothing_else()
    assert raised.value.finding.severity == "fault"
