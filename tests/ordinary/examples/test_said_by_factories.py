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


NET = """
from typing import Mapping

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, static


class Net(Module):
    order: Float[Array, "reactions species"] = buffer()
    names: tuple[str, ...] = static()

    def __init__(self, equations: Mapping[str, dict], species):
        names = tuple(sorted(equations))
        self.names = names
        self.order = jnp.array([[equations[n].get(s, 0.0) for s in species] for n in names])

    @classmethod
    def hunted(cls):
        return cls({"birth": {"prey": 2.0}, "hunt": {"prey": 2.0, "wolf": 2.0}}, ("prey", "wolf"))

    def rates(self, c: Float[Array, " species"]):
        return self.order @ jnp.sin(c)
"""


def test_a_class_method_without_arguments_builds_and_the_instance_says_its_sizes(tmp_path: Path) -> None:
    tests = whole_suite(tmp_path, "net", NET)
    assert "return Net.hunted(**inputs)" in tests
    assert "sample(seed, (Net.hunted().order.shape[1],))" in tests and "guessed" not in tests
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


HUNTED = """

def hunted(strength: float = 2.0) -> Net:
    return Net({"hunt": {"prey": strength, "wolf": strength}}, ("prey", "wolf", "deer"))
"""


def test_an_annotated_function_of_the_file_builds_as_well(tmp_path: Path) -> None:
    above, _, rest = NET.partition("    @classmethod")
    net = f"{above}    def rates{rest.partition('    def rates')[2]}{HUNTED}"
    tests = whole_suite(tmp_path, "net", net)
    assert "return hunted(**inputs)" in tests and "from net import Net, hunted" in tests
    assert "sample(seed, (hunted().order.shape[1],))" in tests and "guessed" not in tests
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


TABLE = """
from typing import Mapping

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Table(Module):
    logs: Float[Array, " n"] = param()

    def __init__(self, counts: Mapping[str, float]):
        self.logs = jnp.log(jnp.array([counts[k] for k in sorted(counts)]))
"""
COINS = """
    @classmethod
    def coins(cls):
        return cls({"heads": 0.25, "tails": 0.75})
"""
CALLED = """
    def __call__(self, x: Float[Array, " n"]) -> Float[Array, ""]:
        return self.logs @ x
"""


def test_a_builder_goes_before_a_dict_whose_entries_nothing_says(tmp_path: Path) -> None:
    tests = whole_suite(tmp_path, "table", TABLE + COINS + CALLED)
    assert "return Table.coins(**inputs)" in tests and "takes_dtype" not in tests
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


def test_a_dim_as_long_as_a_dict_that_the_tests_choose_is_not_declared(tmp_path: Path) -> None:
    tests = whole_suite(tmp_path, "table", TABLE + CALLED)
    assert 'Leaf("logs", "param", None)' in tests and 'guessed = ("__call__",)' in tests


TRI = """
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scaffold.skeleton import static


@partial(jax.tree_util.register_dataclass, data_fields=["data", "at", "rows"], meta_fields=["shape"])
@dataclass(frozen=True)
class Tri:
    data: jax.Array
    at: jax.Array
    rows: jax.Array
    shape: tuple[int, int] = static()

    @classmethod
    def eye(cls, n: int):
        return cls(jnp.ones(n), jnp.arange(n), jnp.arange(n), (n, n))

    @classmethod
    def from_dense(cls, dense, nse=None):
        rows, cols = np.nonzero(np.asarray(dense))
        if nse is not None and nse < len(rows):
            raise ValueError("too many")
        return cls(jnp.asarray(dense)[rows, cols], jnp.asarray(cols), jnp.asarray(rows), dense.shape)

    def matvec(self, v: Float[Array, " m"]) -> Float[Array, " n"]:
        return jax.ops.segment_sum(self.data * v[self.at], self.rows, self.shape[0])
"""


def test_an_array_goes_before_sizes_and_what_the_builder_does_not_take_is_not_declared(
    tmp_path: Path,
) -> None:
    tests = whole_suite(tmp_path, "tri", TRI)
    assert "return Tri.from_dense(dense=sample(seed, (5, 7)))" in tests
    assert "Output((None,))" in tests and '"matvec")' in tests
