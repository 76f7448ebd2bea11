"""Classes that the laws themselves once stumbled over: what they said then was not true of the class."""

from collections.abc import Callable
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, check_pytree, sample
from pytree_laws.laws.values.p19_snapshot import sections
from pytree_laws.report import ADVICE, Fault
from pytree_laws.state import StateLaws
from pytree_laws.values.comparison import check_same_bits


class Eager(eqx.Module):
    """A module whose call works outside of jax.jit alone."""

    weight: jax.Array

    def __call__(self, x: jax.Array, is_signed: bool = False) -> jax.Array:
        if isinstance(x, jax.core.Tracer):
            raise RuntimeError("it works outside of jax.jit alone")
        return -self.weight * x if is_signed else self.weight * x


class ByValues(eqx.Module):
    """A module that decides by the values of its argument."""

    weight: jax.Array

    def __call__(self, x: jax.Array, is_signed: bool = False) -> jax.Array:
        x = x + 1 if float(x[0]) > 100 else x
        return -self.weight * x if is_signed else self.weight * x


class Untraced(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    cls: ClassVar[type] = Eager

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Any:
        return self.cls(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class UntracedByValues(Untraced):
    cls = ByValues


@pytest.mark.parametrize("suite", [Untraced, UntracedByValues])
def test_of_a_call_without_a_trace_nothing_is_said_that_only_a_trace_shows(suite: type[Untraced]) -> None:
    suite().test_p07_computes_what_its_trace_does_in_each_configuration()
    suite().test_p08_every_argument_matters()
    suite().test_p08_every_flag_of_the_call_matters()


class Store(eqx.Module):
    """A store of numbers, with methods that act."""

    weight: jax.Array
    acted: ClassVar[list[str]] = []

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    @property
    def load_factor(self) -> jax.Array:
        return self.weight.mean()

    def run(self) -> jax.Array:
        self.acted.append("run")
        return self.weight

    def delete(self) -> jax.Array:
        self.acted.append("delete")
        return self.weight

    def save(self) -> None:
        self.acted.append("save")

    def write_all(self, *names: str) -> jax.Array:
        self.acted.append("write_all")
        return self.weight


class StoreSuite(Untraced):
    cls = Store


def test_nothing_that_acts_is_called_by_any_law_or_record() -> None:
    Store.acted.clear()
    check_pytree(lambda seed: Store(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    recorded = sections(StoreSuite())
    assert Store.acted == []
    assert "load_factor" in recorded["StoreSuite: as it is built"]


class Dropout(eqx.Module):
    """Noise, of which each call may say itself whether there is any."""

    rate: float = eqx.field(static=True, default=0.5)
    inference: bool = eqx.field(static=True, default=False)

    def __call__(self, x: jax.Array, key: jax.Array, inference: bool | None = None) -> jax.Array:
        is_quiet = self.inference if inference is None else inference
        return x if is_quiet else x * jax.random.bernoulli(key, self.rate, x.shape)


class DropoutSuite(PytreeLaws):
    leaves = ()
    said: ClassVar[bool | None] = None

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"rate": 0.5}

    def build(self, **inputs: Any) -> Any:
        return Dropout(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (8,)), jax.random.key(seed)

    def call(self, instance: Any, *arguments: Any) -> Any:
        return instance(*arguments, inference=self.said)


class Noisy(Dropout):
    """A mistake: the constructor's flag ends nothing."""

    def __call__(self, x: jax.Array, key: jax.Array, inference: bool | None = None) -> jax.Array:
        return x * jax.random.bernoulli(key, self.rate, x.shape)


class SaidInTheCall(DropoutSuite):
    said = False


class NoisySuite(DropoutSuite):
    def build(self, **inputs: Any) -> Any:
        return Noisy(**inputs)


def test_a_flag_of_the_constructor_ends_no_noise_where_the_call_says_otherwise() -> None:
    DropoutSuite().test_p16_a_flag_that_ends_the_noise_does()
    SaidInTheCall().test_p16_a_flag_that_ends_the_noise_does()
    with pytest.raises(LawBroken, match="noise that is drawn in spite of the flag"):
        NoisySuite().test_p16_a_flag_that_ends_the_noise_does()


class Counter(eqx.Module):
    """A count that begins at two."""

    index: eqx.nn.StateIndex

    def __init__(self) -> None:
        self.index = eqx.nn.StateIndex(jax.numpy.full((2,), 2, "int32"))

    def __call__(self, x: jax.Array, state: eqx.nn.State) -> tuple[jax.Array, eqx.nn.State]:
        return x, state.set(self.index, state.get(self.index) + 1)


class CounterSuite(StateLaws):
    leaves = ()
    states = (Leaf("count", "state", (2,), "int32", value=2),)

    def build(self, seed: int) -> Any:
        return eqx.nn.make_with_state(Counter)()[0]

    def state(self, seed: int) -> Any:
        return eqx.nn.make_with_state(Counter)()[1]

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (3,)), self.state(seed)


class WrongCounterSuite(CounterSuite):
    states = (Leaf("count", "state", (2,), "int32", value=0),)


def test_a_declared_value_of_a_state_is_held() -> None:
    CounterSuite().test_p02_states_are_as_declared()
    with pytest.raises(LawBroken, match=r"`count`: it begins as \[2 2\], declared is 0"):
        WrongCounterSuite().test_p02_states_are_as_declared()


class Idle(eqx.Module):
    """A call that leaves its argument unused."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight


class IdleSuite(Untraced):
    cls = Idle


def test_what_is_idle_on_purpose_is_said_in_words_that_a_spec_takes_too() -> None:
    with pytest.raises(LawBroken) as broken:
        IdleSuite().test_p08_every_argument_matters()
    assert "`ignored = ('x',)`" in str(broken.value)
    assert 'in a spec `[test]` with `unused = ["x"]`' in str(broken.value)


class Positions(eqx.Module):
    """An embedding of positions: of what it is given the length alone matters."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[: len(x)]


class PositionsSuite(Untraced):
    cls = Positions


@pytest.mark.parametrize("suite", [IdleSuite, PositionsSuite])
def test_an_argument_without_a_use_is_told_as_advice(suite: type[Untraced]) -> None:
    with pytest.raises(LawBroken) as broken:
        suite().test_p08_every_argument_matters()
    assert broken.value.finding.severity == ADVICE


class Solver(eqx.Module):
    """A solver that is told whether its function returns something beside the value."""

    weight: jax.Array

    def __call__(
        self, fn: Callable[[jax.Array], Any], x: jax.Array, has_aux: bool = False, is_signed: bool = False
    ) -> jax.Array:
        value, _ = fn(x) if has_aux else (fn(x), None)
        return -self.weight * value if is_signed else self.weight * value


class SolverSuite(Untraced):
    cls = Solver

    def call(self, instance: Any, *arguments: Any) -> Any:
        return instance(jax.numpy.sum, *arguments)


def test_a_flag_that_speaks_of_a_function_is_that_of_the_example() -> None:
    SolverSuite().test_p07_can_be_called_in_each_configuration()


class Quiet(eqx.Module):
    """A flag for a dropout that is left out, and an option without a use."""

    weight: jax.Array

    def __call__(self, x: jax.Array, deterministic: bool = True) -> jax.Array:
        return self.weight * x


class QuietSuite(Untraced):
    cls = Quiet


def test_a_flag_of_what_is_random_is_advice_where_nothing_is() -> None:
    with pytest.raises(LawBroken, match="at each of its values") as broken:
        QuietSuite().test_p08_every_flag_of_the_call_matters()
    assert broken.value.finding.severity == ADVICE


class Tilted(eqx.Module):
    """A direction that is tilted by an angle in seconds of arc."""

    angle: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + jnp.sin(jnp.deg2rad(self.angle / 3600))


class TiltedSuite(Untraced):
    leaves = (Leaf("angle", "param", (3,)),)
    cls = Tilted

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"angle": sample(seed, (3,))}


def test_an_effect_that_rounding_hides_is_seen_with_a_larger_value() -> None:
    TiltedSuite().test_p08_every_parameter_changes_the_output()


def test_arrays_of_numpy_are_compared_as_arrays() -> None:
    value = np.arange(3.0, dtype="float32")
    check_same_bits({"x": value}, {"x": value.copy()}, "they differ")
    with pytest.raises(Fault):
        check_same_bits({"x": value}, {"x": value + 1}, "they differ")
    with pytest.raises(Fault):
        check_same_bits({"x": value}, {}, "they differ")


class Gated(eqx.Module):
    """Two arrays that a setting leaves without a use."""

    weight: jax.Array
    shift: jax.Array
    gated: bool = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x + self.shift if self.gated else x


class GatedSuite(Untraced):
    cls = Gated

    def inputs(self, seed):
        return {"gated": True}

    def build(self, gated: bool):
        return Gated(jnp.ones(3), jnp.ones(3), gated)


def test_all_that_a_setting_cuts_off_is_named_at_once() -> None:
    with pytest.raises(LawBroken, match="nor `shift`") as broken:
        GatedSuite().test_p09_uses_its_parameters_in_each_configuration()
    assert "`conditional = ('weight', 'shift')`" in str(broken.value)
