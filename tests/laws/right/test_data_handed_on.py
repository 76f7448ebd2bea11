"""Data that a method hands on as it is: it is no parameter, and the next instance holds it."""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from pytree_laws import Leaf, Method, PytreeLaws
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
