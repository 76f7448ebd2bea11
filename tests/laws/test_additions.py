"""A new law is one file, and a new kind of class one adapter: each has at most forty lines, and needs no other change."""

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from additions import finite, partials
from harness.runner import run
from jax.tree_util import Partial
from right.modules import AffineLaws

from pytree_laws.engine.registry import with_tests_of

MAX_LINES = 40


@with_tests_of(finite.CHECKS)
class Finite(AffineLaws): ...


class NotFinite(Finite):
    def build(self, **inputs):
        affine = super().build(**inputs)
        return jax.tree.map(lambda leaf: leaf / 0, affine)


class Overridden(NotFinite):
    def test_p90_new_leaves_are_finite(self):
        pytest.skip("mine")


class Scaled(partials.PartialLaws):
    bound = Partial(jnp.multiply, jnp.ones(3))


class Overflown(partials.PartialLaws):
    bound = Partial(jnp.multiply, jnp.array([1.0, jnp.inf]))


class Confused(Scaled):
    def twins(self, instance):
        yield instance


@pytest.mark.parametrize("module", [finite, partials])
def test_each_is_short(module):
    assert len(Path(module.__file__).read_text().splitlines()) <= MAX_LINES


def test_a_new_law_runs_in_the_suites_of_users():
    assert run(Finite, only="test_p90").ran == ["test_p90_new_leaves_are_finite"]
    assert "at `.weight`: it holds" in run(NotFinite, only="test_p90").text("P90")
    assert run(Overridden, only="test_p90").skipped == {"test_p90_new_leaves_are_finite": "mine"}


def test_laws_hold_for_a_new_kind_by_its_adapter():
    assert run(Scaled).ran == ["test_p17_the_treedef_names_the_class", "test_p90_new_leaves_are_finite"]
    assert "it holds [ 1. inf]" in run(Overflown).text("P90")
    assert "has an equal treedef" in run(Confused).text("P17")
