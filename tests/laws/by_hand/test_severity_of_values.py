"""How much a finding matters: of values that a class may not allow, of what a base decides, and of what a form leaves out."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, check_pytree, sample
from pytree_laws.inspect.call_recorder import EMPTY
from pytree_laws.inspect.parameter_values import other_values
from pytree_laws.nnx import NnxLaws
from pytree_laws.report import ADVICE, COST, FAULT


def severity_of(test, suite):
    """How much the finding of a test matters."""
    try:
        getattr(suite(), test)()
    except LawBroken as broken:
        return broken.finding.severity


def severities(build, arguments):
    """How much the findings of a class matter, by test."""
    return {each.test: each.severity for each in check_pytree(build, arguments).findings}


class Logarithm(eqx.Module):
    """A class whose values must be positive."""

    value: jax.Array

    def __call__(self, x):
        return jnp.log(self.value) + x


def test_values_that_a_class_may_not_allow_are_advice():
    found = severities(
        lambda seed: Logarithm(-jnp.exp(sample(seed, (3,)))), lambda seed: (sample(seed, (3,)),)
    )
    assert "test_p07_equal_arguments_give_no_nan" in found and set(found.values()) == {ADVICE}


class Switched(eqx.Module):
    """A method with a flag that it has no use for."""

    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def scaled(self, x, inference=False):
        return self.weight * x


class SwitchedLaws(PytreeLaws):
    made = Switched
    leaves = (Leaf("weight", "param", (3,)),)
    methods = (Method("scaled", lambda seed: (sample(seed, (3,)),)),)

    def build(self, **inputs):
        return self.made(inputs["weight"])

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def arguments(self, seed):
        return (sample(seed, (3,)),)


def test_a_flag_of_a_method_without_a_use_is_advice():
    assert severity_of("test_p08_every_flag_of_a_method_matters", SwitchedLaws) == ADVICE


class Skew(eqx.Module):
    matrix: jax.Array

    def __call__(self, x):
        return (self.matrix - self.matrix.T) @ x


def test_elements_that_a_form_leaves_out_are_advice():
    found = severities(lambda seed: Skew(sample(seed, (3, 3))), lambda seed: (sample(seed, (3,)),))
    assert found == {"test_p09_every_element_of_a_parameter_has_a_gradient": ADVICE}


class SavesAlone(eqx.Module):
    """Its file has a name of its own, which a function of the library reads."""

    weight: jax.Array

    def save(self, path):
        jnp.save(f"{path}.own", self.weight)


def test_a_class_that_saves_and_does_not_load_is_saved_by_its_leaves():
    assert not severities(lambda seed: SavesAlone(sample(seed, (3,))), None)


def test_the_keys_of_a_dict_of_options_are_no_choice_and_those_of_arrays_are():
    options, arrays = {"depth": 2}, {"scale": jnp.ones(3)}
    assert not [*other_values(dict, EMPTY, options)]
    assert [[*value] for value in other_values(dict, EMPTY, arrays)] == [["scale", "Ascale"]]


class HoldsLambda(eqx.Module):
    weight: jax.Array
    function: Callable

    def __init__(self, weight):
        self.weight, self.function = weight, lambda x: 2 * x


def test_a_function_that_each_instance_makes_is_advice():
    test = "test_p14_save_and_load_into_a_fresh_skeleton"
    assert severities(lambda seed: HoldsLambda(sample(seed, (3,))), None)[test] == ADVICE


class KeepsItsStreams(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, x):
        return x + jax.random.normal(self.rngs.params(), x.shape, x.dtype)


class KeepsItsStreamsLaws(NnxLaws):
    def inputs(self, seed):
        return {"rngs": nnx.Rngs(seed)}

    def build(self, **inputs):
        return KeepsItsStreams(**inputs)


def test_a_module_may_draw_from_the_streams_that_it_was_given_as_layers_of_flax_did():
    assert severity_of("test_p01_keeps_no_stream_of_its_rngs", KeepsItsStreamsLaws) == ADVICE


class Scaled:
    """Its leaves are what it holds by a scale, as optimisers ask for; the factor there and back is 1 but for rounding."""

    off = 1.0

    def __init__(self, value, scale=0.3):
        self.value, self.scale = value, scale

    def __call__(self, x):
        return self.value * x

    def flatten(self):
        return (self.value / self.scale,), self.scale

    @classmethod
    def unflatten(cls, scale, leaves):
        return cls(leaves[0] * (scale * cls.off), scale)


class ScaledOff(Scaled):
    """The same with another factor on the way back."""

    off = 1.001


class Copied(Scaled):
    """Copies its leaf on the way back."""

    def flatten(self):
        return (self.value,), self.scale

    @classmethod
    def unflatten(cls, scale, leaves):
        return cls(jnp.array(leaves[0]), scale)


class Computed(Scaled):
    """Computes its leaf anew on the way back, from what is static, as the constructor did."""

    def flatten(self):
        return (self.value,), (self.scale, tuple(self.value.tolist()))

    @classmethod
    def unflatten(cls, aux, leaves):
        scale, values = aux
        return cls(jnp.array(values), scale)


class RoundedAndOff(Scaled):
    """Rounds its first leaf, and gives its second another value."""

    def __init__(self, value, scale=0.3, other=None):
        super().__init__(value, scale)
        self.zeroed = value if other is None else other

    def flatten(self):
        return (self.value / self.scale, self.zeroed), self.scale

    @classmethod
    def unflatten(cls, scale, leaves):
        return cls(leaves[0] * scale, scale, leaves[1] * 0)


for cls in (Scaled, ScaledOff, Copied, Computed, RoundedAndOff):
    jax.tree_util.register_pytree_node(cls, cls.flatten, cls.unflatten)


def round_trips(cls):
    """How much the findings of a class about leaves and attributes in a round trip matter, by test."""
    found = severities(lambda seed: cls(sample(seed, (40,))), lambda seed: (sample(seed, (40,)),))
    return {
        test: severity for test, severity in found.items() if test.startswith(("test_p03_round", "test_p04"))
    }


@pytest.mark.slow
def test_what_a_round_trip_changes_by_rounding_alone_is_advice():
    found = round_trips(Scaled)
    kept = "test_p03_round_trip_keeps_"
    assert found[f"{kept}every_attribute"] == found[f"{kept}treedef_and_leaves"] == ADVICE
    assert "test_p04_order_is_the_same_with_and_without_paths" not in found
    other = round_trips(ScaledOff)
    assert other[f"{kept}every_attribute"] == other[f"{kept}treedef_and_leaves"] == FAULT


def test_a_copy_in_a_round_trip_is_a_cost():
    assert round_trips(Copied)["test_p03_round_trip_keeps_treedef_and_leaves"] == COST


def test_what_a_round_trip_computes_anew_is_a_fault_though_it_is_equal_at_first():
    assert round_trips(Computed)["test_p03_round_trip_keeps_treedef_and_leaves"] == FAULT


@pytest.mark.slow
def test_the_most_severe_of_several_leaves_is_told():
    found = round_trips(RoundedAndOff)
    kept = "test_p03_round_trip_keeps_"
    assert found[f"{kept}every_attribute"] == found[f"{kept}treedef_and_leaves"] == FAULT
