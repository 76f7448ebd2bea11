"""Data that a method hands on as it is: it is no parameter, and the next instance holds it."""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import Leaf, Method, PytreeLaws
from pytree_laws.nnx import NnxLaws, Var
from right.test_right_forms import finding


class Belief(NamedTuple):
    mean: jax.Array
    cov: jax.Array

    def symmetrised(self) -> "Belief":
        return self._replace(cov=0.5 * (self.cov + self.cov.T))


class Forgetful(Belief):
    def symmetrised(self) -> Any:
        return 0.5 * (self.cov + self.cov.T)


class BeliefLaws(PytreeLaws):
    leaves = (Leaf("mean", "data", (2,)), Leaf("cov", "data", (2, 2)))
    methods: ClassVar = (Method("symmetrised"),)
    built: type[Belief] = Belief

    def build(self, **inputs: Any) -> Belief:
        return self.built(jnp.ones(2, "float32"), jnp.eye(2, dtype="float32"))


class ForgetfulLaws(BeliefLaws):
    built = Forgetful


def test_data_that_the_next_instance_holds_needs_no_method_that_computes_with_it() -> None:
    assert finding(BeliefLaws, "p09_methods_reach_every_parameter") == ""


def test_data_that_no_method_uses_or_hands_on_is_noticed() -> None:
    found = finding(ForgetfulLaws, "p09_methods_reach_every_parameter")
    assert found == "fault: no method has a gradient with respect to it"


class Frames(nnx.Variable):
    pass


class Stream(nnx.Module):
    def __init__(self, held: type) -> None:
        self.scale = nnx.Param(jnp.ones(2))
        self.frames = held(jnp.zeros(2))

    def scaled(self) -> jax.Array:
        return 2 * self.scale[...]


@pytest.mark.parametrize(("held", "message"), [(Frames, ""), (nnx.Param, "fault: no method has a gradient")])
def test_a_variable_that_is_no_param_needs_no_gradient(held: type, message: str) -> None:
    class StreamLaws(NnxLaws):
        variables = (Var("scale", nnx.Param, (2,)), Var("frames", held, (2,), flows=held is Frames))
        methods: ClassVar = (Method("scaled"),)

        def build(self, **inputs: Any) -> Stream:
            return Stream(held)

    found = finding(StreamLaws, "p09_methods_reach_every_parameter")
    assert found.startswith(message) and bool(found) == bool(message)
