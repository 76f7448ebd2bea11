"""What another package does with its own nodes is no finding about a class that holds one; what a package does with its own is."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, PytreeLaws


@jax.tree_util.register_pytree_node_class
class Prior:
    """A node whose unflatten stores an attribute more than its constructor."""

    def __init__(self, scale: Any) -> None:
        self.scale = scale

    def tree_flatten(self) -> tuple[Any, Any]:
        return (self.scale,), ()

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = cls(*children)
        made._validates = None
        return made


@jax.tree_util.register_pytree_node_class
class Foreign(Prior):
    """The same, of another package."""

    __module__ = "elsewhere.nodes"


class Model(eqx.Module):
    """A model with a prior."""

    prior: Prior


class OfForeign(PytreeLaws):
    """The laws of a model with a prior of another package."""

    def build(self, **inputs: Any) -> Any:
        return Model(Foreign(jnp.ones(2)))


class OfItsOwn(PytreeLaws):
    """The laws of a model with a prior of its own."""

    def build(self, **inputs: Any) -> Any:
        return Model(Prior(jnp.ones(2)))


def test_a_node_of_another_package_may_get_an_attribute() -> None:
    OfForeign().test_p03_round_trip_keeps_every_attribute()


def test_a_node_of_its_own_may_not() -> None:
    with pytest.raises(LawBroken, match="a round trip adds the attribute"):
        OfItsOwn().test_p03_round_trip_keeps_every_attribute()
