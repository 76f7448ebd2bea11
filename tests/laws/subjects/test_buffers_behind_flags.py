"""A buffer that only another value of a flag reads has no gradient there either."""

from typing import Any

import equinox as eqx
import jax
import pytest
from flax import nnx

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, sample
from pytree_laws.nnx import NnxLaws, Var
from pytree_laws.trace.programs import settings


class Whitened(eqx.Module):
    """A buffer that the call reads behind a flag."""

    weight: jax.Array
    shift: jax.Array
    whiten: bool = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        if self.whiten:
            x = x - jax.lax.stop_gradient(self.shift)
        return self.weight * x


class Leaking(Whitened):
    """The same with the gradient."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * (x - self.shift if self.whiten else x)


class Compiled(Whitened):
    """The leaking one within a compiled function, which takes every leaf."""

    @eqx.filter_jit
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * (x - self.shift if self.whiten else x)


class Laws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "buffer", (3,), unused=True))
    form: type = Whitened

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,)), "shift": sample(seed + 1, (3,)), "whiten": False}

    def build(self, **inputs: Any) -> Any:
        return self.form(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 2, (3,)),)


class LeakingLaws(Laws):
    form = Leaking


class CompiledLaws(Laws):
    form = Compiled


@pytest.mark.parametrize("leaking", [LeakingLaws, CompiledLaws])
def test_it_is_told_where_the_example_does_not_read_it(leaking: type[Laws]) -> None:
    with settings():
        Laws().test_p09_buffers_have_no_gradient_in_each_configuration()
        with pytest.raises(LawBroken, match="a gradient reaches it") as broken:
            leaking().test_p09_buffers_have_no_gradient_in_each_configuration()
    assert broken.value.finding.where == "shift with whiten=True"


class Learnable(Whitened):
    """A flag that lets the gradient through and changes nothing else, in a loop and in a rule of jax."""

    def __call__(self, x: jax.Array) -> jax.Array:
        shift = self.shift if self.whiten else jax.lax.stop_gradient(self.shift)
        steps = jax.lax.fori_loop(0, 2, lambda i, total: total + jax.nn.relu(shift), x)
        return self.weight * steps

    def score(self, x: jax.Array, learn: bool = False) -> jax.Array:
        return self.weight * (x - (self.shift if learn else jax.lax.stop_gradient(self.shift)))


class Relearnt(Learnable):
    """The same, of which the flag of the method decides on another value as well."""

    def score(self, x: jax.Array, learn: bool = False) -> jax.Array:
        return self.weight * (x - (2 * self.shift if learn else jax.lax.stop_gradient(self.shift)))


class LearnableLaws(Laws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "buffer", (3,)))
    methods = (Method("score", lambda seed: (sample(seed, (3,)),)),)
    form = Learnable


class RelearntLaws(LearnableLaws):
    form = Relearnt


class Freezable(Whitened):
    """A flag by which the gradient is cut off."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * (x - (self.shift if self.whiten else jax.lax.stop_gradient(self.shift)))

    def score(self, x: jax.Array, learn: bool = True) -> jax.Array:
        return self.weight * (x - (self.shift if learn else jax.lax.stop_gradient(self.shift)))


class Refrozen(Freezable):
    """The same, of which both flags decide on another value as well."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * (x - (self.shift if self.whiten else 2 * jax.lax.stop_gradient(self.shift)))

    def score(self, x: jax.Array, learn: bool = True) -> jax.Array:
        return self.weight * (x - (self.shift if learn else 2 * jax.lax.stop_gradient(self.shift)))


class FreezableLaws(LearnableLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "param", (3,)))
    form = Freezable

    def inputs(self, seed: int) -> dict[str, Any]:
        return {**super().inputs(seed), "whiten": True}

    def build(self, weight: jax.Array, shift: jax.Array, whiten: bool = True) -> Any:
        return self.form(weight, shift, whiten)


class RefrozenLaws(FreezableLaws):
    form = Refrozen


@pytest.mark.parametrize(
    "test",
    [
        "test_p09_uses_its_parameters_in_each_configuration",
        "test_p09_methods_have_gradients_at_other_values",
    ],
)
def test_an_option_that_does_no_more_than_stop_gradients_may(test: str) -> None:
    with settings():
        getattr(FreezableLaws(), test)()
        with pytest.raises(LawBroken, match="no gradient reaches"):
            getattr(RefrozenLaws(), test)()


def test_an_option_that_does_no_more_than_let_gradients_through_may() -> None:
    with settings():
        LearnableLaws().test_p09_buffers_have_no_gradient_in_each_configuration()
        LearnableLaws().test_p09_methods_keep_gradients_from_buffers_at_other_values()
        with pytest.raises(LawBroken, match="a gradient reaches the buffer `shift`") as broken:
            RelearntLaws().test_p09_methods_keep_gradients_from_buffers_at_other_values()
    assert broken.value.finding.where == "score(learn=True)"


class Centred(nnx.Module):
    """A running mean, which the example reads for its update alone."""

    stops: bool = False

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (3,)))
        self.mean = nnx.BatchStat(jax.numpy.zeros((3,), dtype="float32"))

    def __call__(self, x: jax.Array, use_running_average: bool = False) -> jax.Array:
        if use_running_average:
            return self.scale[...] * (x - self.mean[...])
        mean = jax.lax.stop_gradient(self.mean[...]) if self.stops else self.mean[...]
        self.mean[...] = 0.9 * mean + 0.1 * x
        return self.scale[...] * x


class Stopped(Centred):
    """The same, of which the update says that no gradient goes there."""

    stops = True


class Following(Centred):
    """The same, of which the update stops the difference, and no more."""

    def __call__(self, x: jax.Array, use_running_average: bool = False) -> jax.Array:
        if not use_running_average:
            self.mean[...] = self.mean[...] + 0.1 * jax.lax.stop_gradient(x - self.mean[...])
            return self.scale[...] * x
        return self.scale[...] * (x - self.mean[...])


class Both(Centred):
    """The same, of which the update stops its own value as well, and reads it without a stop beside it."""

    def __call__(self, x: jax.Array, use_running_average: bool = False) -> jax.Array:
        if not use_running_average:
            self.mean[...] = self.mean[...] + 0.1 * (x - jax.lax.stop_gradient(self.mean[...]))
            return self.scale[...] * x
        return self.scale[...] * (x - self.mean[...])


class CentredLaws(NnxLaws):
    variables = (Var("scale", nnx.Param, (3,)), Var("mean", nnx.BatchStat, (3,)))
    updates = ("mean",)
    form: type = Centred

    def build(self, rngs: nnx.Rngs) -> Any:
        return self.form(rngs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class StoppedLaws(CentredLaws):
    form = Stopped


class FollowingLaws(CentredLaws):
    form = Following


class BothLaws(CentredLaws):
    form = Both


@pytest.mark.parametrize("laws", [CentredLaws, FollowingLaws, BothLaws])
def test_what_an_update_reads_without_a_stop_may_have_a_gradient_elsewhere(laws: type[CentredLaws]) -> None:
    with settings(), pytest.raises(pytest.skip.Exception, match="away from nothing"):
        laws().test_p09_buffers_have_no_gradient_in_each_configuration()


def test_what_an_update_stops_has_no_gradient_elsewhere() -> None:
    with settings(), pytest.raises(LawBroken, match="a gradient reaches it") as broken:
        StoppedLaws().test_p09_buffers_have_no_gradient_in_each_configuration()
    assert broken.value.finding.where == "mean with call(use_running_average=True)"
