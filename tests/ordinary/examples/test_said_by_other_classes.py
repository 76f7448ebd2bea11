"""Examples of arrays that a method of another class of the file is given: any shape will do for a field of which it computes elements alone."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried, whole_suite

HEAD = """
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Radial:
    a: float

    def convert(self, value, power=2):
        return jnp.exp(self.a * value) ** power
"""
REGISTERED = """

@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Species:
    dn: jnp.ndarray

    def gradients(self, radial: Radial) -> jnp.ndarray:
        return radial.convert(self.dn)
"""
PRODUCT = """

class Mixed(eqx.Module):
    dn: jax.Array
    weight: jax.Array

    def __call__(self, radial: Radial, x: jax.Array) -> jax.Array:
        return radial.convert(self.weight @ x) + radial.convert(self.dn)
"""
ARGUMENT = """

class Bare(eqx.Module):
    gain: jax.Array

    def __init__(self):
        self.gain = jnp.ones(())

    def __call__(self, radial: Radial, x: jax.Array) -> jax.Array:
        return self.gain * radial.convert(x)
"""
CLASSES = {
    "species": (REGISTERED, '"dn": sample(seed, (2,))'),
    "mixed": (PRODUCT, '"dn": sample(seed, (3,))', '"weight": sample(seed + 1, (3, 2))'),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_field_has_an_example(name: str, tmp_path: Path) -> None:
    skeleton, *examples = CLASSES[name]
    suite = whole_suite(tmp_path, name, HEAD + skeleton)
    assert [text for text in examples if text not in suite] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name][0])


def test_an_argument_of_which_elements_are_computed_alone_may_be_any_vector(tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, "bare", HEAD + ARGUMENT)
    assert "(sample(seed, (2,)),)" in suite and 'guessed = ("__call__",)' in suite


def test_it_is_as_another_of_its_name_where_one_is_known(tmp_path: Path) -> None:
    code = """
class Norm(eqx.Module):
    gain: jax.Array

    def __init__(self, size: int):
        self.gain = jnp.ones((size, 3))

    def __call__(self, x):
        return self.gain @ x

    def norm(self, x):
        return jnp.sum(x**2)
"""
    assert 'Method("norm", lambda seed: (sample(seed, (3,)),))' in whole_suite(tmp_path, "norm", HEAD + code)
