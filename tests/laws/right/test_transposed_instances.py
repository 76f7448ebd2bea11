"""A method that puts axes in another order where a setting asks for it hands on what the instance has."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.runner import run

from pytree_laws import Leaf, PytreeLaws, sample


class Map(eqx.Module):
    weight: jax.Array
    layout: str = eqx.field(static=True, default="oi")

    def output_major(self) -> "Map":
        return self if self.layout == "oi" else Map(jnp.swapaxes(self.weight, 0, 1), "oi")


class Shortened(Map):
    def output_major(self) -> "Map":
        return self if self.layout == "oi" else type(self)(self.weight[:1], "oi")


class MapLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (2, 3)),)
    static: ClassVar[dict[str, Any]] = {"layout": "oi"}
    other: ClassVar[dict[str, Any]] = {"layout": "io"}
    accepted = ({"layout": "io"},)
    made: type[Map] = Map

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (2, 3))}

    def build(self, **inputs: Any) -> Map:
        return self.made(**inputs)


class ShortenedLaws(MapLaws):
    made = Shortened


def test_a_transposed_leaf_is_handed_on() -> None:
    assert not run(MapLaws, only="test_p11")


def test_a_shorter_one_is_not() -> None:
    assert "the next instance has ((1, 3), 'float32', False) there" in run(
        ShortenedLaws, only="test_p11"
    ).text("P11")
