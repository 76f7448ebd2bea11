"""A setting that the constructor stores, and that nothing reads."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from seen_broken import broken, hold, suite_of

from pytree_laws import Leaf, PytreeLaws, sample

TEST = "p08_every_setting_matters"
FLOOR = 1e-3


class Scaled(eqx.Module):
    """A scale, with a floor that the call adds."""

    scale: jax.Array
    floor: float = eqx.field(static=True, default=FLOOR)
    depth: int = eqx.field(static=True, default=2)

    def __init__(self, scale: jax.Array, floor: float = FLOOR, depth: int = 2) -> None:
        self.scale = jnp.tile(scale, depth)
        self.floor = floor
        self.depth = depth

    def __check_init__(self) -> None:
        if self.floor < 0:
            raise ValueError("the floor is negative")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * jnp.concatenate([x, x]) + self.floor


class Unread(eqx.Module):
    """The same with a constant in its place."""

    scale: jax.Array
    ground: float = eqx.field(static=True, default=FLOOR)

    def __check_init__(self) -> None:
        if self.ground < 0:
            raise ValueError("the floor is negative")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x + FLOOR


class Normed(eqx.nn.LayerNorm):
    """A layer of Equinox, which reads the setting itself."""

    def __init__(self, size: int, eps: float = 1e-5) -> None:
        super().__init__(size, eps=eps)


class Laws(PytreeLaws):
    under_test: type = Scaled
    leaves = (Leaf("scale", "param", (6,)),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"scale": sample(seed, (3,)), "floor": FLOOR, "depth": 2}

    def build(self, **inputs: Any) -> Any:
        return self.under_test(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 1, (3,)),)


class OfUnread(Laws):
    leaves = (Leaf("scale", "param", (3,)),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"scale": sample(seed, (3,)), "ground": FLOOR}


class OfNormed(Laws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"size": 3, "eps": 1e-5}


def test_what_the_base_of_a_library_reads_is_none() -> None:
    with pytest.raises(pytest.skip.Exception, match="reads each setting"):
        hold(suite_of(OfNormed, Normed), TEST)


def test_a_setting_that_nothing_reads_is_advice() -> None:
    found = broken(suite_of(OfUnread, Unread), TEST)
    assert found.where == "ground"
    assert "no code of its module reads it" in found.what
    assert found.severity == "advice"


def test_what_the_call_reads_or_the_constructor_uses_is_none() -> None:
    hold(suite_of(Laws, Scaled), TEST)


def test_one_for_others_is_declared() -> None:
    declared = type("Declared", (OfUnread,), {"under_test": Unread, "ignored": ("ground",)})
    with pytest.raises(pytest.skip.Exception, match="reads each setting"):
        hold(declared(), TEST)
