"""Fields of a base of the file have the shapes that the code of its subclasses asks of them."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried, whole_suite

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Base(eqx.Module):
    bias: jax.Array
"""
ELEMENTS = """

class Scaled(Base):
    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x + self.bias
"""
TWICE = """

class Middle(Base):
    weight: jax.Array


class Affine(Middle):
    gain: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * (self.weight @ x + self.bias)


def ones() -> Affine:
    return Affine(jnp.ones(2), jnp.ones((2, 3)), gain=jnp.ones(2))
"""
BESIDE_A_NUMBER = """

class Summed(Base):
    def __call__(self, x: Float[Array, " n"]) -> Array:
        return self.bias * jnp.sum(x)
"""
CLASSES = {
    "summed": (BESIDE_A_NUMBER, '"bias": sample(seed, (2,))'),
    "elements": (ELEMENTS, '"bias": sample(seed, (2,))', '"scale": sample(seed + 1, (2,))'),
    "twice": (
        TWICE,
        '"bias": sample(seed, (3,))',
        '"weight": sample(seed + 1, (3, 2))',
        '"gain": sample(seed + 2, (3,))',
        "return (sample(seed, (2,)),)",
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_an_inherited_field_has_the_shape_that_a_subclass_asks_for(name: str, tmp_path: Path) -> None:
    skeleton, *examples = CLASSES[name]
    suite = whole_suite(tmp_path, name, HEAD + skeleton)
    assert [text for text in examples if text not in suite] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name][0])
