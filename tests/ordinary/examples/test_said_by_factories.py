"""A class method that takes sizes alone builds the instances of the tests, where the fields say no shapes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, whole_suite
from tests.support.forking import forked_pytest
from tests.support.projects import passed

RING = """
import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Ring:
    slots: jax.Array
    size: jax.Array
    capacity: int = struct.field(pytree_node=False)

    @classmethod
    def create(cls, capacity: int, width: int) -> "Ring":
        return cls(jnp.zeros((capacity, width)), jnp.zeros((), jnp.int32), capacity)

    def mean(self) -> jax.Array:
        stored = jnp.arange(self.capacity) < self.size
        return jnp.sum(jnp.where(stored[:, None], self.slots, 0.0)) / jnp.maximum(self.size, 1)
"""
ANGLES = """
import jax
import jax.numpy as jnp
from scaffold.skeleton import test


@test(values={"x": lambda seed: jnp.ones(()) * seed})
@jax.tree_util.register_pytree_node_class
class Angles:
    def __init__(self, table):
        self.table = table

    @classmethod
    def example(cls) -> "Angles":
        return cls(jnp.arange(4.0))

    def __call__(self, x):
        return self.table[int(x)]

    def tree_flatten(self):
        return (self.table,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""


@pytest.mark.slow  # a run of its own
def test_a_factory_that_takes_sizes_goes_before_a_guess(tmp_path: Path) -> None:
    generated(tmp_path, {"ring": RING})
    assert "return Ring.create(capacity=2, width=3)" in suite_text(tmp_path, "ring")
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


@pytest.mark.slow  # a run of its own
def test_what_an_author_says_is_no_guess(tmp_path: Path) -> None:
    """A number that is asked of a tracer is the fault of the call, and no example that does not fit."""
    generated(tmp_path, {"angles": ANGLES})
    assert "__call__" not in suite_text(tmp_path, "angles")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 1 and "ConcretizationTypeError" in ran.stdout


STUMP = """
import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Stump:
    feature: jax.Array
    value: jax.Array

    @classmethod
    def make(cls, feature: int, below: float, above: float) -> "Stump":
        return cls(jnp.array([feature, 0, 0], jnp.int32), value=jnp.array([[0.0, below, above]], jnp.float32))

    def level(self, node: int) -> jax.Array:
        return self.value[0, node]
"""


def test_an_array_of_numbers_that_a_factory_lists_is_as_long_as_the_list(tmp_path: Path) -> None:
    generated(tmp_path, {"stump": STUMP})
    tests = suite_text(tmp_path, "stump")
    assert '"feature": sample(seed, (3,), "int32"),' in tests
    assert '"value": sample(seed + 1, (1, 3)),' in tests


ES = """
import dataclasses
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.tree_util.register_dataclass, data_fields=["mean", "cov"], meta_fields=["size"])
@dataclasses.dataclass(frozen=True)
class ES:
    mean: jax.Array
    cov: jax.Array
    size: int

    @classmethod
    def create(cls, mean, size: int = 6):
        return cls(jnp.asarray(mean), jnp.eye(mean.shape[0]), size)

    def ask(self, key):
        z = jax.random.normal(key, (self.size, self.mean.shape[0]))
        return self.mean + z @ jnp.linalg.cholesky(self.cov).T

    def tell(self, population, fitness):
        best = population[jnp.argsort(fitness)[: self.size // 2]]
        return dataclasses.replace(self, mean=best.mean(0))
"""


def test_a_factory_that_makes_arrays_of_others_goes_before_a_guess(tmp_path: Path) -> None:
    tests = whole_suite(tmp_path, "es", ES)
    assert "return ES.create(mean=sample(seed, (3,)))" in tests
    assert '"tell", lambda seed: (sample(seed + 50, (5, 3)), sample(seed + 51, (5,)))' in tests
