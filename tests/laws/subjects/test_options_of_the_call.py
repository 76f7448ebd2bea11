"""Options of a call: what they change may lie in the structure of the result, and a base may ask for them."""

from typing import Any, ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, sample
from pytree_laws.report import ADVICE

Mode = Literal["same", "valid"]


class Layer(eqx.Module):
    """A layer that a factory makes."""

    weight: jax.Array
    mode: str = eqx.field(static=True)


class Factory(eqx.Module):
    """A factory whose option is a setting of the layer."""

    weight: jax.Array

    def __call__(self, x: jax.Array, mode: Mode = "same") -> Layer:
        return Layer(self.weight * x, mode)


class Idle(eqx.Module):
    """A module that ignores an option of its own."""

    weight: jax.Array

    def __call__(self, x: jax.Array, mode: Mode = "same") -> jax.Array:
        return self.weight * x


class IdleToo(Idle):
    """A class of that kind, which has no use for the option either."""

    def __call__(self, x: jax.Array, mode: Mode = "same") -> jax.Array:
        return self.weight + x


class FactorySuite(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    cls: ClassVar[type] = Factory

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Any:
        return self.cls(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class IdleSuite(FactorySuite):
    cls = Idle


class IdleTooSuite(FactorySuite):
    cls = IdleToo


class Pair(eqx.Module):
    """A method whose arguments are in another order than their names, and whose option does nothing."""

    weight: jax.Array

    def between(self, b: jax.Array, a: jax.Array, *, twice: bool = False) -> jax.Array:
        return self.weight * b - a


class Masked(Pair):
    """The same, of which the option makes a mask that nothing reads."""

    def between(self, b: jax.Array, a: jax.Array, *, twice: bool = False) -> jax.Array:
        _ = b > (0.5 if twice else 0.1)
        return self.weight * b - a


class PairSuite(FactorySuite):
    cls: ClassVar[type] = Pair
    methods = (Method("between", lambda seed: (sample(seed, (3,)), sample(seed + 1, (3,)))),)


class Mirrors(eqx.Module):
    """A method that draws twice with one key where a flag asks for more."""

    weight: jax.Array

    def mirrored(self, x: jax.Array, key: jax.Array, *, is_upright: bool = True) -> jax.Array:
        first, _ = jax.random.split(key)
        x = self.weight * x * jax.random.rademacher(first, (3,), x.dtype)
        return x if is_upright else x * jax.random.rademacher(first, (3,), x.dtype)


class MirrorsSuite(FactorySuite):
    cls = Mirrors
    methods = (Method("mirrored", lambda seed: (sample(seed, (3,)), jax.random.key(seed))),)


def test_a_key_that_is_used_twice_behind_a_flag_is_told() -> None:
    MirrorsSuite().test_p15_methods_use_each_key_once()
    with pytest.raises(LawBroken, match="1 of its draws have the key of an earlier one") as broken:
        MirrorsSuite().test_p15_methods_use_each_key_once_at_each_flag()
    assert broken.value.finding.where == "mirrored(is_upright=False)"


def test_an_option_that_becomes_a_setting_of_what_is_made_matters() -> None:
    FactorySuite().test_p08_every_flag_of_the_call_matters()


@pytest.mark.parametrize("suite", [IdleSuite, IdleTooSuite])
def test_an_option_without_a_use_is_told_as_advice(suite: type[FactorySuite]) -> None:
    with pytest.raises(LawBroken, match="at each of its values") as broken:
        suite().test_p08_every_flag_of_the_call_matters()
    assert broken.value.finding.severity == ADVICE


class MaskedSuite(PairSuite):
    cls = Masked


@pytest.mark.parametrize("suite", [PairSuite, MaskedSuite])
def test_an_option_of_a_method_without_a_use_is_told_in_whatever_order_its_arguments_are(
    suite: type[PairSuite],
) -> None:
    with pytest.raises(LawBroken, match="at each of its values") as broken:
        suite().test_p08_every_flag_of_a_method_matters()
    assert broken.value.finding.where == "between(twice)"


class Even(eqx.Module):
    """A constructor beside the usual one, whose count decides a shape."""

    weight: jax.Array

    @classmethod
    def even(cls, total: jax.Array, count: int = 3) -> "Even":
        return cls(jnp.full((count,), total))

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.sum(self.weight) * x


class AlwaysThree(Even):
    """One whose count decides nothing."""

    @classmethod
    def even(cls, total: jax.Array, count: int = 3) -> "Even":
        return cls(jnp.full((3,), total))


class EvenSuite(FactorySuite):
    cls: ClassVar[type] = Even
    methods = (Method("even", lambda seed: (sample(seed, ()),)),)


class AlwaysThreeSuite(EvenSuite):
    cls = AlwaysThree


def test_an_option_of_a_further_constructor_matters() -> None:
    EvenSuite().test_p08_every_flag_of_a_method_matters()
    with pytest.raises(LawBroken, match="at each of its values") as broken:
        AlwaysThreeSuite().test_p08_every_flag_of_a_method_matters()
    assert broken.value.finding.where == "even(count)"


class Struck(eqx.Module):
    """A call that an example maps over a batch with a named axis, and that is told how it is done."""

    weight: jax.Array

    def __call__(self, x: jax.Array, *, soft: bool = False) -> jax.Array:
        return self.weight * (x - jax.lax.pmean(x, "batch")) * (0.5 if soft else 1.0)


class StruckHard(Struck):
    """The same without a use for the option."""

    def __call__(self, x: jax.Array, *, soft: bool = False) -> jax.Array:
        return self.weight * (x - jax.lax.pmean(x, "batch"))


class StruckSuite(FactorySuite):
    cls: ClassVar[type] = Struck

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2, 3)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        return jax.vmap(instance, axis_name="batch")(*arguments)


class StruckHardSuite(StruckSuite):
    cls = StruckHard


def test_an_option_of_a_call_that_is_mapped_over_a_batch_matters() -> None:
    StruckSuite().test_p08_every_flag_of_the_call_matters()
    with pytest.raises(LawBroken, match="at each of its values") as broken:
        StruckHardSuite().test_p08_every_flag_of_the_call_matters()
    assert broken.value.finding.where == "call(soft)"


class Jitted(StruckSuite):
    """Hands the instance to a transformation, which takes no stand-in for it."""

    def call(self, instance: Any, *arguments: Any) -> Any:
        return jax.jit(lambda m, x: jax.vmap(m, axis_name="batch")(x))(instance, *arguments)


def test_a_mapped_call_that_takes_no_stand_in_for_the_instance_has_one_configuration() -> None:
    with pytest.raises(pytest.skip.Exception, match="one configuration"):
        Jitted().test_p07_can_be_called_in_each_configuration()


class Dropping(eqx.Module):
    """A layer whose dropout is off by default."""

    weight: jax.Array
    rate: float = eqx.field(static=True)

    def __init__(self, weight: Any, rate: float = 0.0) -> None:
        self.weight, self.rate = jnp.asarray(weight), rate

    def __call__(self, x: jax.Array, deterministic: bool = False) -> jax.Array:
        y = self.weight * x
        return y if self.rate == 0.0 or deterministic else (1 - self.rate) * y


class Unasked(Dropping):
    """A layer that never asks for the flag."""

    def __call__(self, x: jax.Array, deterministic: bool = False) -> jax.Array:
        return (1 - self.rate) * self.weight * x


def test_a_flag_of_what_is_off_by_default_matters_where_it_is_on() -> None:
    def of(layer: type[Dropping]) -> FactorySuite:
        return type(f"Test{layer.__name__}", (FactorySuite,), {"cls": layer})()

    of(Dropping).test_p08_every_flag_of_the_call_matters()
    with pytest.raises(LawBroken, match=r"call\(deterministic\).*at each of its values the same"):
        of(Unasked).test_p08_every_flag_of_the_call_matters()
