"""A `__getattr__` that hands any name on to what it holds makes no method of the class, and a mistake in its own is told."""

from typing import Any

import equinox as eqx
import jax
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, sample
from pytree_laws.trace.programs import settings


class Stacked(eqx.Module):
    """Any attribute that is not its own is that of the members, one by one."""

    inner: eqx.Module

    def __call__(self, x: jax.Array) -> jax.Array:
        return eqx.filter_vmap(lambda member: member(x))(self.inner)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "inner":
            raise AttributeError(name)
        return eqx.filter_vmap(lambda member: getattr(member, name))(self.inner)


class Chosen(Stacked):
    """A mistake: its own `trainable()` trains nothing."""

    def trainable(self) -> Any:
        return jax.tree.map(lambda _: False, self)


def suite_of(stacked: Any) -> PytreeLaws:
    class StackedLaws(PytreeLaws):
        leaves = (Leaf("inner.weight", "param", (3, 3, 3)), Leaf("inner.bias", "param", (3, 3)))

        def build(self, seed: int) -> Stacked:
            keys = jax.random.split(jax.random.key(seed), 3)
            return stacked(eqx.filter_vmap(lambda key: eqx.nn.Linear(3, 3, key=key))(keys))

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return (sample(seed, (3,)),)

    return StackedLaws()


def test_what_an_instance_hands_on_says_nothing_of_what_is_trained() -> None:
    with settings():
        suite_of(Stacked).test_p16_filter_specs_select_the_declared_leaves()
        with pytest.raises(LawBroken, match="declared is"):
            suite_of(Chosen).test_p16_filter_specs_select_the_declared_leaves()
