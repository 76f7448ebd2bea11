"""A finding is a fault where harm is shown: degenerate values, exact estimates and kept constants are advice."""

import dataclasses
from functools import cached_property
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, sample
from pytree_laws.report import ADVICE, FAULT
from pytree_laws.trace.programs import settings


def severity_of(suite: type[PytreeLaws], test: str) -> str:
    """The severity of what a test finds; empty where it finds nothing."""
    try:
        with settings():
            getattr(suite(), f"test_{test}")()
    except LawBroken as broken:
        return broken.finding.severity
    return ""


class Scaled(eqx.Module):
    weight: jax.Array


class Direction(Scaled):
    """The direction of a vector."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x / jnp.sqrt(jnp.sum(x * x))


class Sinc(Scaled):
    """A quotient that has no value where one element is 0."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * jnp.sin(x) / x


class Masked(Scaled):
    """A weight behind a mask that lets nothing of the example through."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(jnp.isinf(x), self.weight * x, x)


class Unread(Scaled):
    """A weight that no output depends on."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return 2 * x


class Of(PytreeLaws):
    cls: type = Scaled
    leaves = (Leaf("weight", "param", (3,)),)

    def build(self, seed: int) -> Any:
        return self.cls(jnp.array(sample(seed, (3,))))

    def arguments(self, seed: int) -> Any:
        return (sample(seed + 1, (3,)),)


def suite_of(cls: type) -> type[PytreeLaws]:
    return type("Suite", (Of,), {"cls": cls})


@pytest.mark.parametrize(("cls", "severity"), [(Direction, ADVICE), (Sinc, FAULT)])
def test_zeros_alone_are_degenerate_where_one_zero_does_no_harm(cls: type, severity: str) -> None:
    assert severity_of(suite_of(cls), "p07_equal_arguments_give_no_nan") == severity


@pytest.mark.parametrize(("cls", "severity"), [(Masked, ADVICE), (Unread, FAULT)])
def test_an_edit_of_what_the_call_computes_with_may_not_show(cls: type, severity: str) -> None:
    assert severity_of(suite_of(cls), "p08_every_parameter_changes_the_output") == severity


class Threshold(Scaled):
    """A threshold, which has no slope."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(x > self.weight, x, 0.0)


class Stopped(Scaled):
    """A weight whose gradient is cut off."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.stop_gradient(self.weight * x) + x


class Buffered(Scaled):  # a weight that is read behind `stop_gradient` alone
    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.stop_gradient(self.weight) * x


@pytest.mark.parametrize(("cls", "severity"), [(Threshold, ADVICE), (Stopped, FAULT), (Buffered, ADVICE)])
def test_a_threshold_has_no_slope_and_what_is_cut_off_has_lost_it(cls: type, severity: str) -> None:
    assert severity_of(suite_of(cls), "p09_every_parameter_has_a_gradient") == severity


class Root(Scaled):
    """The root of what is positive."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.sqrt(jnp.abs(x) + self.weight * 0) + jnp.sqrt(self.weight * x * x)


class RootOfPositive(Of):
    cls = Root

    def build(self, seed: int) -> Any:
        return Root(jnp.exp(sample(seed, (3,))))

    def arguments(self, seed: int) -> Any:
        return (jnp.exp(sample(seed + 1, (3,))),)


class RootOfAny(RootOfPositive):
    arguments = Of.arguments


@pytest.mark.parametrize(("suite", "severity"), [(RootOfPositive, ""), (RootOfAny, FAULT)])
def test_zeros_are_no_numbers_of_what_is_positive(suite: type[PytreeLaws], severity: str) -> None:
    assert severity_of(suite, "p09_no_gradient_is_nan_where_the_output_is_finite") == severity


class Estimate(Scaled):
    """An estimate by random signs, which is exact."""

    def __call__(self, key: jax.Array) -> jax.Array:
        signs = jax.random.rademacher(key, self.weight.shape, jnp.float32)
        return jnp.sum(signs * self.weight * signs)


class Fixed(Scaled):
    """Noise of a key of its own, whatever key it is given."""

    def __call__(self, key: jax.Array) -> jax.Array:
        return self.weight + jax.random.normal(jax.random.key(0), (3,), jnp.float32)


class Drawing(Of):
    def arguments(self, seed: int) -> Any:
        return (jax.random.key(seed),)


@pytest.mark.parametrize(("cls", "severity"), [(Estimate, ADVICE), (Fixed, FAULT)])
def test_an_estimate_may_be_exact_whatever_is_drawn(cls: type, severity: str) -> None:
    assert severity_of(type("Suite", (Drawing,), {"cls": cls}), "p16_keys_give_different_draws") == severity


@jax.tree_util.register_pytree_node_class
class Space:
    """Bounds, with a dict of options in the aux data that each flatten makes, or that the instance holds."""

    def __init__(self, weight: jax.Array, options: dict[str, Any]) -> None:
        self.weight, self.options = weight, options

    def tree_flatten(self) -> Any:
        return (self.weight,), dict(self.options)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children, aux)

    def close(self) -> None:
        self.options["is_open"] = False

    @cached_property
    def size(self) -> int:
        return self.weight.size

    @cached_property
    def doubled(self) -> Any:
        return jnp.ones(3) + self.size


@jax.tree_util.register_pytree_node_class
class Held(Space):
    def tree_flatten(self) -> Any:
        return (self.weight,), self.options


@dataclasses.dataclass(frozen=True)
class Options:
    entries: dict[str, Any]
    names: list[str]


@jax.tree_util.register_pytree_node_class
class Described(Space):
    """The same, in a record that each flatten makes."""

    def tree_flatten(self) -> Any:
        return (self.weight,), Options({**self.options}, ["weight"])

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children, aux.entries)


@jax.tree_util.register_pytree_node_class
class DescribedHeld(Described):
    def tree_flatten(self) -> Any:
        return (self.weight,), Options(self.options, ["weight"])


class OfSpace(PytreeLaws):
    cls: type = Space

    def build(self, seed: int) -> Any:
        return self.cls(jnp.array(sample(seed, (3,))), {"is_open": True})


class OfHeld(OfSpace):
    cls = Held


class Activated(OfSpace):
    """A function of jax, which jax does not copy, among the options of a record."""

    cls = Described

    def build(self, seed: int) -> Any:
        return Described(jnp.array(sample(seed, (3,))), {"activation": jnp.tanh})


def test_that_jax_does_not_copy_its_functions_is_no_fault_of_who_holds_one() -> None:
    assert severity_of(Activated, "p14_deepcopy") == ""


OPTIONS = Options({"is_open": True}, [])
options = Options({"is_open": True}, [])


@pytest.mark.parametrize(("given", "severity"), [(OPTIONS, ""), (options, FAULT)])
def test_what_a_test_file_gives_to_all_instances_is_shared_on_purpose(given: Options, severity: str) -> None:
    class Given(OfSpace):
        def build(self, seed: int) -> Any:
            return Space(jnp.array(sample(seed, (3,))), {"options": given})

    assert severity_of(Given, "p01_instances_share_nothing_mutable") == severity


@pytest.mark.parametrize(
    ("cls", "severity"), [(Space, ADVICE), (Held, FAULT), (Described, ADVICE), (DescribedHeld, FAULT)]
)
def test_a_dict_that_each_flatten_makes_is_held_by_nobody(cls: type, severity: str) -> None:
    suite = type("Suite", (OfSpace,), {"cls": cls})
    assert severity_of(suite, "p05_aux_is_hashable_and_free_of_arrays") == severity


class Sized(OfSpace):
    """Without the property that keeps an array."""

    cls = jax.tree_util.register_pytree_node_class(type("Sized", (Space,), {"doubled": None}))


@pytest.mark.parametrize(("suite", "severity"), [(Sized, ""), (OfSpace, FAULT)])
def test_a_constant_that_a_cached_property_keeps_does_no_harm(suite: type[PytreeLaws], severity: str) -> None:
    assert severity_of(suite, "p12_methods_leave_the_instance_alone") == severity


class Mode(eqx.Enumeration):
    hard = "hard"
    soft = "soft"


class Moded(eqx.Module):
    weight: jax.Array
    mode: Any

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class OfMode(Of):
    leaves = (*Of.leaves, Leaf("mode._value", "buffer", (), "int32"))

    def build(self, seed: int) -> Any:
        return Moded(jnp.array(sample(seed, (3,))), Mode.hard)


def test_the_number_of_an_item_of_an_enumeration_is_that_of_equinox() -> None:
    assert severity_of(OfMode, "p02_leaves_are_as_declared") == ""


class Optional(eqx.Module):
    """A second part, which may be left out, and is asked for by a property."""

    weight: jax.Array
    other: jax.Array | None = None

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    @property
    def size(self) -> int:
        return self.other.shape[0]


class Unset(Optional):
    @property
    def size(self) -> int:
        return self.name.shape[0]


class OfOptional(PytreeLaws):
    cls: type = Optional

    def build(self, seed: int) -> Any:
        return self.cls(jnp.array(sample(seed, (3,))))

    def arguments(self, seed: int) -> Any:
        return (sample(seed, (3,)),)


class OfUnset(OfOptional):
    cls = Unset


@pytest.mark.parametrize(("suite", "severity"), [(OfOptional, ADVICE), (OfUnset, FAULT)])
def test_what_asks_for_a_part_that_the_example_leaves_out_is_advice(
    suite: type[PytreeLaws], severity: str
) -> None:
    assert severity_of(suite, "p07_methods_give_what_is_declared") == severity


class Beside(Optional):
    """Beside its result a number that NumPy computes of settings alone."""

    def __call__(self, x: jax.Array) -> Any:
        return self.weight * x, np.ones(3) / 7


class OfBeside(OfOptional):
    cls = Beside


def test_an_array_of_numpy_has_the_dtype_that_jax_gives_it() -> None:
    assert severity_of(OfBeside, "p07_filter_jit_equals_eager") == ""
