"""Classes that register themselves in their own way: children in a dict without keys, and files by a text alone."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

SOURCE = """
import pickle

import jax
import jax.numpy as jnp


class Tree:
    def save(self, filename: str):
        if not filename.endswith(".pkl"):
            filename = filename + ".pkl"
        with open(filename, "wb") as file:
            pickle.dump(self, file)

    @staticmethod
    def load(filename: str):
        with open(filename, "rb") as file:
            return pickle.load(file)


def registered(*static):
    def register(cls):
        def flatten(self):
            held = {name: value for name, value in vars(self).items() if name not in static}
            return [held], tuple((name, getattr(self, name)) for name in static)

        def unflatten(aux, children):
            made = object.__new__(cls)
            made.__dict__.update(children[0])
            made.__dict__.update(aux)
            return made

        jax.tree_util.register_pytree_node(cls, flatten, unflatten)
        return cls

    return register


@registered("kind")
class Rule(Tree):
    def __init__(self, limit: jax.Array, kind: int = 3):
        self.limit, self.kind = jnp.array(limit), kind

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.kind * self.limit * x


@registered()
class Search(Tree):
    def __init__(self, rule: Rule, start: jax.Array):
        self.rule, self.start = rule, jnp.array(start)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.rule(x) + self.start
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("own_trees")
    write_tree(folder, {"lib.py": SOURCE})
    return scaffold(folder, "adopt", "lib.py:Rule", "lib.py:Search").stdout


@pytest.mark.slow
def test_a_load_by_a_text_alone_is_no_load_into_a_skeleton(printed: str) -> None:
    assert "P14" not in printed and "PosixPath" not in printed


@pytest.mark.slow
def test_a_value_below_a_dict_without_keys_is_found(printed: str) -> None:
    assert "Search" in printed and "has no attribute '0'" not in printed


CONSTANT = """
from typing import ClassVar, NamedTuple

import jax


class Axes(NamedTuple):
    axes: jax.Array
    mode: jax.Array


class Rows(Axes):
    axes: ClassVar = ["rows", None]
    mode = "train"
"""


@pytest.mark.slow
def test_a_named_tuple_whose_fields_are_constants_of_the_class_is_left_out(tmp_path: Path) -> None:
    write_tree(tmp_path, {"axes.py": CONSTANT})
    report = json.loads(scaffold(tmp_path, "adopt", "axes.py", "--dry-run", "--json").stdout)
    assert [one["class"] for one in report["classes"]] == ["axes:Axes"]
    named = scaffold(tmp_path, "adopt", "axes.py:Rows", "--dry-run").stderr
    assert "its field `axes` is a constant of the class, whatever an instance holds" in named


CORNER = """
import equinox as eqx
import jax


class Corner(tuple):
    pass


class Box(eqx.Module):
    width: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.width * x
"""


def test_a_tuple_that_nothing_registers_is_no_class_of_jax(tmp_path: Path) -> None:
    write_tree(tmp_path, {"corner.py": CORNER})
    ran = scaffold(tmp_path, "adopt", "corner.py", "--python", sys.executable, "--json", "--dry-run")
    assert [one["class"] for one in json.loads(ran.stdout)["classes"]] == ["corner:Box"]
