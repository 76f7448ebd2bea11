"""NNX modules that the laws themselves once stumbled over."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import sample
from pytree_laws.nnx import NnxLaws, Var


class Plain(nnx.Module):
    """An array that is no Variable, and a Variable that holds a number of Python."""

    def __init__(self, turns: jax.Array) -> None:
        self.turns, self.scale = turns, nnx.Param(0.5)

    @nnx.jit
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale.get_value() * self.turns * x


class PlainSuite(NnxLaws):
    variables = (Var("turns", nnx.Variable, (3,), flows=True), Var("scale", nnx.Param, ()))

    def build(self, seed: int) -> Plain:
        return Plain(sample(seed, (3,)))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


@pytest.mark.parametrize(
    "name",
    [
        "p01_same_inputs_build_the_same_instance",
        "p08_compiled_calls_see_every_update",
        "p09_gradients_flow_through_data_and_state",
        "p12_a_call_keeps_its_variables",
        "p13_an_update_leaves_the_rest_alone",
        "p13_hashes_are_equal_and_stay",
    ],
)
def test_what_is_no_variable_is_replaced_where_it_is_kept(name: str) -> None:
    getattr(PlainSuite(), f"test_{name}")()


@dataclasses.dataclass
class Settings:
    """The settings of a module, and its streams of keys."""

    rngs: nnx.Rngs
    size: int = 3


class Seeded(nnx.Module):
    """It draws from the streams of its settings, and from those that its call is given; in 16 bits."""

    def __init__(self, settings: Settings) -> None:
        noise = settings.rngs.params.normal((settings.size,), jax.numpy.bfloat16)
        self.weight, self.shift = nnx.Param(noise), nnx.Param(0.001 * noise)

    def __call__(self, x: jax.Array, rngs: nnx.Rngs, deterministic: bool = True) -> jax.Array:
        return 100 * self.weight[...] * x + self.shift[...] + 0 * jax.random.key_data(rngs.params())[0]


class SeededSuite(NnxLaws):
    def build(self, **inputs: Any) -> Seeded:
        return Seeded(**inputs)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"settings": Settings(nnx.Rngs(seed))}

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)).astype("bfloat16"), nnx.Rngs(seed))


@pytest.mark.parametrize(
    "name",
    [
        "p01_leaves_its_inputs_alone",
        "p12_leaves_numpy_arguments_alone",
        "p08_every_parameter_changes_the_output",
    ],
)
def test_drawing_is_no_change_and_rounding_hides_no_edit(name: str) -> None:
    getattr(SeededSuite(), f"test_{name}")()


class AsksForAValue(nnx.Module):
    """Under jit it cannot be built, whatever is asked of a build there."""

    def __init__(self, size: int, rngs: nnx.Rngs) -> None:
        factor = 1.0 if jnp.sqrt(size) == 1.0 else 2.0
        self.scale = nnx.Param(factor * jax.random.normal(rngs.params(), (size,)))


class AsksForAValueSuite(NnxLaws):
    variables = (Var("scale", nnx.Param, (3,)),)
    severity = "fault"

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"size": 3, "rngs": nnx.Rngs(seed)}

    def build(self, size: int, rngs: nnx.Rngs) -> AsksForAValue:
        return AsksForAValue(size, rngs)


def test_a_constructor_that_needs_values_is_told_once_without_where_a_law_began_to_trace() -> None:
    suite = AsksForAValueSuite()
    with pytest.raises(AssertionError, match=r"the constructor needs values: .* of traced array") as raised:
        suite.test_p01_builds_under_jit_without_leaking()
    assert "tracing the function" not in str(raised.value)
    with pytest.raises(pytest.skip.Exception, match="the error is the one that P1 tells"):
        suite.test_p01_every_draw_uses_its_rngs()


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Shift:
    """A frozen record of arrays."""

    scale: jax.Array


class Shifted(nnx.Module):
    """It holds such a record as data."""

    def __init__(self, scale: jax.Array) -> None:
        self.shift = nnx.data(Shift(scale))
        self.weight = nnx.Param(jnp.ones(3))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[...] * x + self.shift.scale


class ShiftedSuite(NnxLaws):
    variables = (Var("shift.scale", nnx.Variable, (3,), flows=True), Var("weight", nnx.Param, (3,)))

    def build(self, seed: int) -> Shifted:
        return Shifted(sample(seed, (3,)))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


@pytest.mark.parametrize(
    "name", ["p13_an_update_leaves_the_rest_alone", "p08_compiled_calls_see_every_update"]
)
def test_a_frozen_record_is_replaced_where_a_module_holds_it(name: str) -> None:
    getattr(ShiftedSuite(), f"test_{name}")()
