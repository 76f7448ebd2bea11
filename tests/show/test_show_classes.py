"""`scaffold show` of classes that exist: what a class hands to jax is drawn at the attribute that holds it, once."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

STRATA = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx


@jax.tree_util.register_pytree_node_class
class Scaled:
    def __init__(self, factor: float = 2.0, order: int = 2) -> None:
        self.params = {"factor": jnp.asarray(factor)}
        self._cfg = (order, "fast")

    def tree_flatten(self):
        return (self.params,), {"cfg": self._cfg}

    @classmethod
    def tree_unflatten(cls, aux, children):
        new = object.__new__(cls)
        (new.params,) = children
        new._cfg = aux["cfg"]
        return new

    def __call__(self, x):
        return x * self.params["factor"]


@jax.tree_util.register_pytree_node_class
class Step:
    def __init__(self, rate: float = 0.5) -> None:
        self.rate = rate
        self.inner = Scaled()
        self.table = {"a": 1}
        self.cached = jnp.ones(2)

    def tree_flatten(self):
        return (self.inner, self.rate), tuple(self.table.items())

    @classmethod
    def tree_unflatten(cls, aux, children):
        new = object.__new__(cls)
        new.inner, new.rate = children
        new.table = dict(aux)
        return new

    def __call__(self, x):
        return self.rate * self.inner(x)


class Rule(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.weight = nnx.Param(jnp.ones(size))
        self.activation, self.dtype = jnp.tanh, None

    def __call__(self, x):
        return self.activation(self.weight * x)


@jax.tree_util.register_pytree_node_class
class Lookup:
    def __init__(self, capacity: int = 5):
        self.capacity = capacity
        self.nodes = jnp.zeros(2 ** (capacity - 1).bit_length() * 2 - 1)
        self.levels = jnp.zeros((3, capacity))
        self.reduce = jnp.add

    def tree_flatten(self):
        return (self.nodes, self.levels, self.reduce), (self.capacity,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        new = object.__new__(cls)
        (new.capacity,), (new.nodes, new.levels, new.reduce) = aux, children
        return new


class Drawn(eqx.Module):
    weight: jax.Array
    scale: float

    @classmethod
    def create(cls, size: int, *, key):
        return cls(jax.random.normal(key, (size, 2 * size)), 0.5)

    def trainable(self):
        return jax.tree.map(eqx.is_inexact_array, self)

    def __call__(self, x):
        return self.weight @ x
"""


def drawn(folder: Path, name: str, *options: str) -> dict[str, Any]:
    write_tree(folder, {"strata.py": STRATA})
    result = scaffold(folder, "show", f"strata.py:{name}", "--python", sys.executable, "--json", *options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["classes"][0]


def parts_of(parts: list[dict[str, Any]]) -> dict[str, str]:
    below = {path: role for part in parts for path, role in parts_of(part["parts"]).items()}
    return {part["path"]: part["role"] for part in parts} | below


@pytest.mark.slow
def test_a_class_registered_without_keys_is_drawn_by_its_attributes(tmp_path: Path) -> None:
    step = drawn(tmp_path, "Step")
    assert parts_of(step["parts"]) == {
        "rate": "number",
        "inner": "module",
        "inner.params": "items",
        "inner.params.factor": "param",
        "inner._cfg": "static",
        "table": "static",
    }
    # What is lost when jax rebuilds an instance is no part of it.
    assert "cached" not in json.dumps(step["parts"])
    assert not [line for line in step["compiles_anew"] if "rate" in line]


@pytest.mark.slow  # a run of its own, as others near it
def test_a_number_is_traced_by_jax_and_held_fixed_by_equinox(tmp_path: Path) -> None:
    assert parts_of(drawn(tmp_path, "Step")["parts"])["rate"] == "number"
    assert parts_of(drawn(tmp_path, "Drawn")["parts"])["scale"] == "python"


def dims_of(tree: dict[str, Any]) -> dict[str, list[str]]:
    return {
        part["path"]: [dim["name"] or str(dim["size"]) for dim in part["dims"]]
        for part in tree["parts"]
        if "dims" in part
    }


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_dim_has_the_name_of_an_integer_that_it_follows_and_of_no_other(tmp_path: Path) -> None:
    assert dims_of(drawn(tmp_path, "Lookup", "--set", "capacity=15")) == {
        "nodes": ["31"],
        "levels": ["3", "capacity"],
    }
    built = drawn(tmp_path, "Lookup", "--build", "Lookup(8)")
    assert dims_of(built) == {"nodes": ["15"], "levels": ["3", "capacity"]}


@pytest.mark.slow  # numbers are tried in every run
def test_a_function_is_refused_by_jax_and_held_fixed_by_flax(tmp_path: Path) -> None:
    assert parts_of(drawn(tmp_path, "Lookup")["parts"])["reduce"] == "foreign"
    rule = drawn(tmp_path, "Rule")
    assert parts_of(rule["parts"]) == {
        "weight.value": "param",
        "activation": "static",
        "dtype": "static",
    }
    assert "another value of activation, dtype" in rule["compiles_anew"]


@pytest.mark.slow  # a run of its own
def test_a_class_that_draws_its_arrays_is_built_as_it_does(tmp_path: Path) -> None:
    net = drawn(tmp_path, "Drawn")
    [built] = net["notes"]
    assert built.startswith("built by `Drawn.create(size=3, key=") and net["sizes"] == {"size": 3}


@pytest.mark.slow
def test_what_builds_a_class_may_import(tmp_path: Path) -> None:
    options = ("--build", "Drawn(j.ones(shape=(4, 8)) * m.pi, m.e)", "--with", "import math as m")
    net = drawn(tmp_path, "Drawn", *options, "--with", "import jax.numpy as j")
    assert [part["dims"][0]["size"] for part in net["parts"] if part["path"] == "weight"] == [4]


@pytest.mark.parametrize("option", ["--build", "--with", "--python"])
def test_what_builds_a_class_is_refused_where_a_spec_is_drawn(option: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"net.toml": ""})
    result = scaffold(tmp_path, "show", "net.toml", option, "import math")
    assert result.returncode == 2
    assert f"{option}: what has a spec is drawn from it, and nothing is built" in result.stderr
    assert "name a class as `pkg.mod:Class` or `path.py:Class`" in result.stderr


def test_a_function_is_none_of_a_class(tmp_path: Path) -> None:
    refused = scaffold(tmp_path, "show", "optax:adam")
    assert refused.returncode == 2
    assert "optax:adam: it is a function, and what it makes has no class to draw" in refused.stderr
    assert "fix: name a class" in refused.stderr
