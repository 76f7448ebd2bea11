"""How much a finding matters: of values that a class may not allow, of what a base decides, and of what a form leaves out."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, check_pytree, sample
from pytree_laws.inspect.parameter_values import EMPTY, other_values
from pytree_laws.nnx import NnxLaws
from pytree_laws.report import ADVICE


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
