"""Examples of arguments: those that an author gives, and those of functions, records, trees and parts."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried, whole_suite
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import dataclasses
import math
from collections.abc import Callable
from string import Formatter
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, PyTree
from scaffold.skeleton import Module, as_written, data, param, static, test
"""


UNKNOWN = """

@test(values={"tree": lambda: jnp.ones(3), "other": lambda: Vector(jnp.ones(3))})
@jax.tree_util.register_pytree_node_class
class Vector:
    def __init__(self, tree):
        self.tree = tree

    def tree_flatten(self):
        return (self.tree,), None

    @classmethod
    def tree_unflatten(cls, _, args):
        return cls(*args)
"""


def test_a_value_of_no_argument_is_refused_of_a_class_as_it_is_written(tmp_path: Path) -> None:
    write_tree(tmp_path, {"vector.py": HEAD + UNKNOWN})
    refused = scaffold(tmp_path, "new-module", "--spec=vector.py")
    assert refused.returncode == 2
    assert "test.values.other: `other` is no argument" in refused.stderr, refused.stderr


EXAMPLES = """

class Rotation(NamedTuple):
    quaternion: jax.Array = data(example="f[4]")

    def inverse(self) -> "Rotation":
        return Rotation(-self.quaternion)


@as_written
class Scale(eqx.Module):
    weight: jax.Array = param(example="f[4]")

    def __call__(self, x: Float[Array, "4"]) -> jax.Array:
        return self.weight * x
"""


@pytest.mark.slow
def test_an_example_of_a_class_as_it_is_written_is_for_its_tests_alone(tmp_path: Path) -> None:
    said = generated(tmp_path, {"shapes": HEAD + EXAMPLES})
    assert "not tested" not in said and passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 100
    text = (tmp_path / "nets/shapes.py").read_text("utf-8")
    assert "quaternion: jax.Array\n" in text and "weight: jax.Array\n" in text and "example" not in text
    constructed = EXAMPLES.replace(
        "    def __call__", "    def __init__(self):\n        self.weight = jnp.ones(4)\n\n    def __call__"
    )
    write_tree(tmp_path, {"scale.py": HEAD + constructed})
    refused = scaffold(tmp_path, "new-module", "--spec=scale.py")
    assert refused.returncode == 2
    assert "`example` says nothing here: `__init__` takes what the class is built with" in refused.stderr


RUNNING = """

class Running(eqx.Module):
    mean: Float[Array, " dim"]
    m2: Float[Array, " dim"]
    count: Int[Array, ""]

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        var = self.m2 / jnp.maximum(self.count, 1)
        return (x - self.mean) / jnp.sqrt(var + 1e-5)
"""


@pytest.mark.slow
def test_what_a_root_is_taken_of_by_way_of_a_local_name_is_positive(tmp_path: Path) -> None:
    tried(tmp_path, "running", HEAD + RUNNING)
    text = suite_text(tmp_path, "running")
    assert '"m2": sample(seed + 1, (2,), positive=True)' in text


NEWTON = """
class Newton(Module):
    fn: Callable[[Array, Any], Array] = static()
    steps: int = 3

    def solve(self, x: Float[Array, ""], args: Float[Array, ""]) -> Float[Array, ""]:
        for _ in range(self.steps):
            f, df = jax.value_and_grad(self.fn)(x, args)
            x = x - f / df
        return x
"""


@pytest.mark.slow
def test_a_function_of_two_arrays_is_given_two(tmp_path: Path) -> None:
    tried(tmp_path, "newton", HEAD + NEWTON, least=60)


CLASSES = {
    # A record that a static method makes of Python numbers.
    "planet": """
class Satellite(NamedTuple):
    position: Float[Array, "2"]


class Planet(Module):
    mass: Float[Array, ""] = param("ones")

    @staticmethod
    def circular(radius: float) -> Satellite:
        return Satellite(jnp.array([radius, math.sqrt(radius)]))

    def pull(self, satellite: Satellite) -> Float[Array, "2"]:
        return -self.mass * satellite.position
""",
    # A class method takes nothing.
    "molecule": """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Molecule:
    positions: jax.Array
    bonds: jax.Array

    def distances(self) -> jax.Array:
        i, j = self.bonds[:, 0], self.bonds[:, 1]
        return jnp.linalg.norm(self.positions[i] - self.positions[j], axis=-1)

    @classmethod
    def water(cls) -> "Molecule":
        positions = jnp.array([[0.0, 0.0, 0.0], [0.96, 0.0, 0.0], [-0.24, 0.93, 0.0]])
        return cls(positions, jnp.array([[0, 1], [0, 2]]))
""",
    "gap": """
class Point(eqx.Module):
    at: Float[Array, " n"] = data()


class Gap(eqx.Module):
    w: Float[Array, " n"] = param("ones")

    def gap(self, point: Point, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.w * (point.at - x)
""",
    "lion": """
class Lion(eqx.Module):
    decay: float = eqx.field(static=True)

    def init(self, params: PyTree) -> PyTree:
        return jax.tree.map(lambda leaf: self.decay * leaf, params)
""",
    # A class is called nearly as a word of types.
    "phylogeny": """
class Tree(eqx.Module):
    children: Int[Array, "inner 2"]
    lengths: Float[Array, " branches"]

    def longest(self, scale: Float[Array, ""]) -> Float[Array, ""]:
        return scale * jnp.max(self.lengths)


class Pruning(eqx.Module):
    tree: Tree

    def __init__(self, tree: Tree):
        self.tree = tree

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.tree.longest(x)
""",
    # Tuples of arrays and of parts.
    "cells": """
class Cell(Module):
    weight: Float[Array, " n"] = param("normal")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x


class Cells(Module):
    scales: tuple[Float[Array, " n"], ...] = param()
    cells: tuple[Cell, ...]
    ends: tuple[Cell, Cell]

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        for scale in self.scales:
            x = x * scale
        for cell in (*self.cells, *self.ends):
            x = cell(x)
        return x
""",
    # A base that nobody knows takes what the class is built with, but for a class method.
    "turn": """
@struct.dataclass
class Turn(Formatter):
    parts: jax.Array

    @classmethod
    def identity(cls, batch: tuple[int, ...] = ()) -> "Turn":
        return Turn(parts=jnp.stack([jnp.ones(batch), jnp.zeros(batch)], axis=-1))

    def angle(self) -> jax.Array:
        return jnp.arctan2(self.parts[1], self.parts[0])
""",
    # All that a class method returns is what another one gives.
    "fit": """
@struct.dataclass
class Fit:
    params: dict[str, jax.Array]
    every: int = struct.field(pytree_node=False)

    @classmethod
    def _between(cls, low, high):
        return cls(params={"weight": jnp.linspace(low, high, 3)}, every=4)

    @classmethod
    def linear(cls, size: int):
        return cls._between(-size, size)

    def slope(self) -> jax.Array:
        return jnp.diff(self.params["weight"])
""",
    # The constructor is given what the code suggests, and no field is declared.
    "grid": """
@jax.tree_util.register_pytree_node_class
class Grid:
    def __init__(self, values):
        self.values = values

    def tree_flatten(self):
        return (self.values,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    @classmethod
    def zero(cls) -> "Grid":
        return cls(jnp.zeros((2, 2, 2)))

    def dot(self, other: "Grid"):
        return jnp.vdot(self.values, other.values)

    def flipped(self, axis: int):
        return Grid(jnp.flip(self.values, axis))
""",
    # Fields of which nothing says shape and dtype, where a class method makes them of a tree.
    "ring": """
@struct.dataclass
class Ring:
    held: PyTree
    full: jax.Array

    @classmethod
    def create(cls, slots: int, like: PyTree) -> "Ring":
        held = jax.tree.map(lambda leaf: jnp.zeros((slots, *leaf.shape)), like)
        return cls(held=held, full=jnp.full((slots,), False, dtype=bool))

    def is_full(self) -> jax.Array:
        return jnp.all(self.full)
""",
}
IN_TESTS = {
    "molecule": "Molecule.water()",
    "turn": "return Turn.identity()",
    "fit": "return Fit.linear(size=2)",
    "grid": "return Grid.zero()",
    "ring": 'Ring.create(slots=2, like={"a": sample(seed + 1, (2,)), "b": (sample(seed + 11, (3,)),)})',
}


@pytest.mark.parametrize("name", IN_TESTS)
def test_a_class_method_that_takes_what_anybody_has_builds_the_instance(tmp_path: Path, name: str) -> None:
    whole_suite(tmp_path, name, HEAD + CLASSES[name])
    assert IN_TESTS[name] in "".join(suite_text(tmp_path, name).split("\n")).replace("  ", ""), name


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_arguments_of_these_types_have_examples(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])


LOADED = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, test


@test(positive=["loading"])
class Beam(Module):
    weight: Float[Array, " n"] = param("ones")

    def loaded(self, loading: Float[Array, ""]) -> Float[Array, " n"]:
        return self.weight * loading
"""


@pytest.mark.slow  # a run of its own
def test_an_argument_of_a_method_may_be_positive(tmp_path: Path) -> None:
    tried(tmp_path, "beam", LOADED)
    assert "sample(seed, (), positive=True)" in suite_text(tmp_path, "beam")
