"""P11 at names that a class holds by default: a method that gives another instance hands them on."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp

from pytree_laws import Method, PytreeLaws, sample
from right.test_right_forms import finding

registered = functools.partial(
    jax.tree_util.register_dataclass, data_fields=["lengths"], meta_fields=["names"]
)


@registered
@dataclasses.dataclass(frozen=True)
class Tree:
    lengths: jax.Array
    names: tuple[str, ...] = ()

    def scale(self, factor: jax.Array) -> "Tree":
        return Tree(self.lengths * factor, self.names)


@registered
@dataclasses.dataclass(frozen=True)
class Nameless(Tree):
    def scale(self, factor: jax.Array) -> "Nameless":
        return Nameless(self.lengths * factor)


class TreeLaws(PytreeLaws):
    methods: ClassVar[Sequence[Method]] = (Method("scale", lambda seed: (sample(seed, ()),)),)

    def build(self, seed: int) -> Tree:
        return Tree(sample(seed, (3,)))


class NamelessLaws(TreeLaws):
    def build(self, seed: int) -> Tree:
        return Nameless(sample(seed, (3,)))


LAW = "p11_methods_hand_on_what_the_instance_has"


def test_names_that_are_handed_on_are_no_finding() -> None:
    assert finding(TreeLaws, LAW) == ""


def test_names_that_are_left_at_their_default_are_noticed() -> None:
    assert finding(NamelessLaws, LAW) == "advice: of an instance with ('another',) the next has ()"


@registered
@dataclasses.dataclass(frozen=True)
class Chart(Tree):
    """An array has as many elements as there are names."""

    def scale(self, factor: jax.Array) -> "Chart":
        return Chart(factor * jnp.ones(len(self.names), "float32"), self.names)


class ChartLaws(TreeLaws):
    def build(self, seed: int) -> Tree:
        return Chart(sample(seed, (2,)), ("first", "second"))


def test_other_names_are_as_many() -> None:
    assert finding(ChartLaws, LAW) == ""
