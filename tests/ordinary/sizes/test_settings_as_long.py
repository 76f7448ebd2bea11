"""Whole numbers of an instance that are as long as its arrays, as the class methods say that make it."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

PAD = """\
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Pad:
    signs: Float[Array, " n"]
    size: int = field(metadata=dict(static=True))

    @classmethod
    def make(cls, count: int) -> "Pad":
        return cls(signs=jnp.ones(count), size=count)

    def adjoint(self, y: Float[Array, " m"]) -> Float[Array, " n"]:
        return self.signs * jnp.zeros(self.size).at[0].set(y.sum())


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Solver:
    pad: Pad
    x: Float[Array, " n"]

    def step(self, y: Float[Array, " m"]) -> "Solver":
        return Solver(self.pad, self.x - self.pad.adjoint(y))
"""
IN_PLACE = "signs = jnp.ones((count,))\n        return cls(signs, count)"


DRAWN = "return cls(signs=jax.random.rademacher(jax.random.key(0), (count,), jnp.float32), size=count)"


@pytest.mark.parametrize("made", ["return cls(signs=jnp.ones(count), size=count)", IN_PLACE, DRAWN])
def test_a_setting_is_as_long_as_the_class_method_makes_its_array(tmp_path: Path, made: str) -> None:
    tried(tmp_path, "pad", PAD.replace("return cls(signs=jnp.ones(count), size=count)", made))
    assert suite_text(tmp_path, "pad").count("size=3)") == 1
