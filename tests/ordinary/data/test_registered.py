"""Classes that something else makes pytrees: they are emitted word for word, whatever registers them, and tested."""

import ast
from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed, scaffold
from tests.support.trees import write_tree

HEAD = """
from dataclasses import dataclass, field
from functools import partial

import attrs
import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float

"""

BODY = """class State:
    x: Float[Array, " dim"]
    n: int = {n}

    def norm(self) -> Float[Array, ""]:
        return (self.x**2).sum() / self.n
"""

STATIC = 'field(default=3, metadata={"static": True})'

FORMS = {
    "decorated": "@jax.tree_util.register_dataclass\n@dataclass(frozen=True)\n" + BODY.format(n=STATIC),
    "partial": '@partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["n"])\n@dataclass(frozen=True)\n'
    + BODY.format(n=3),
    "below": "@dataclass(frozen=True)\n"
    + BODY.format(n=3)
    + '\n\njax.tree_util.register_dataclass(State, data_fields=["x"], meta_fields=["n"])\n',
    "struct": "@struct.dataclass\n" + BODY.format(n="struct.field(pytree_node=False, default=3)"),
}
"""Forms in which one class is registered."""


@pytest.mark.spread(3)
@pytest.mark.parametrize("form", FORMS)
def test_a_class_that_something_registers_is_emitted_word_for_word(form: str, tmp_path: Path) -> None:
    said = generated(tmp_path, {"state": HEAD + FORMS[form]})
    assert "not tested" not in said and "not tried" not in said
    text = (tmp_path / "nets/state.py").read_text("utf-8")
    [written], [emitted] = (classes_of(FORMS[form]), classes_of(text))
    assert ast.dump(emitted) == ast.dump(written)
    ran = forked_pytest(tmp_path / "nets", "tests")
    assert passed(ran) > 50 and "warning" in ran.stdout, "what an author may have on purpose is a warning"


def classes_of(text: str) -> list[ast.ClassDef]:
    return [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]


@pytest.mark.slow  # classes that something registers are tried in every run
def test_words_of_the_tests_change_nothing_of_it(tmp_path: Path) -> None:
    above = (
        'from scaffold.skeleton import param, test\n\n\n@test(values={"scaled.factor": 2.0}, skip=["p17"])\n'
    )
    more = "\n    def scaled(self, factor):\n        return State(self.x * factor, self.n)\n"
    text = FORMS["decorated"].replace('" dim"]\n', '" dim"] = param()\n') + more
    said = generated(tmp_path, {"state": HEAD + above + text})
    assert "not tried" not in said
    emitted = (tmp_path / "nets/state.py").read_text("utf-8")
    assert "scaffold" not in emitted and "eqx.Module" not in emitted and "@dataclass(frozen=True)" in emitted
    tests = suite_text(tmp_path, "state")
    assert 'Leaf("x", "param")' in tests and "p17" in tests
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 50


@pytest.mark.parametrize(
    ("decorator", "fix"),
    [
        ("dataclass(frozen=True)", "; `@jax.tree_util.register_dataclass` above it says them"),
        ("attrs.frozen", ""),
    ],
)
def test_a_plain_dataclass_is_carried_and_one_line_says_why_it_has_no_tests(
    decorator: str, fix: str, tmp_path: Path
) -> None:
    said = generated(tmp_path, {"state": f"{HEAD}@{decorator}\n{BODY.format(n=3)}"})
    assert f"State: not tested: jax knows no leaves of it{fix}\n" in said
    assert "eqx.Module" not in (tmp_path / "nets/state.py").read_text("utf-8")
    assert not list((tmp_path / "nets").glob("tests/test_*.py"))


def test_a_plain_dataclass_stays_without_tests_though_it_can_be_built(tmp_path: Path) -> None:
    text = """
@dataclass
class Options:
    depth: object

    @classmethod
    def usual(cls) -> "Options":
        return cls(3)
"""
    said = generated(tmp_path, {"options": HEAD + text})
    assert "Options: not tested: jax knows no leaves of it" in said


def test_a_module_that_a_decorator_makes_is_a_module_still(tmp_path: Path) -> None:
    text = f"from typing import final\n\n\n@final\n{BODY.format(n=3).replace('State:', 'State(Module):')}"
    generated(tmp_path, {"state": f"{HEAD}from scaffold.skeleton import Module\n{text}"})
    assert "class State(eqx.Module)" in (tmp_path / "nets/state.py").read_text("utf-8")


def test_a_class_without_an_example_is_told_what_to_write(tmp_path: Path) -> None:
    text = FORMS["decorated"].replace('Float[Array, " dim"]', "jax.Array | Mesh")
    write_tree(
        tmp_path,
        {"state.py": HEAD.replace("import attrs", "from jax.sharding import Mesh") + text, "nets/a": ""},
    )
    made = scaffold(tmp_path / "nets", "new-module", "--spec=../state.py")
    assert made.returncode == 0, made.stderr
    assert (
        'of which nothing says type and shape: write `@test(...)` and `values={"x": lambda: ...}`'
        in made.stdout
    )


BESIDE = """
class Pair(NamedTuple):
    a: Float[Array, " n"]
    b: ModuleType


@struct.dataclass
class Rates:
    growth: Float[Array, ""]


class Model(eqx.Module):
    linear: eqx.nn.Linear
    rates: Rates

    def __init__(self, *, key):
        self.linear = eqx.nn.Linear(2, 2, key=key)
        self.rates = Rates(jnp.ones(()))

    def __call__(self, x: Float[Array, " 2"]) -> Float[Array, " 2"]:
        return self.rates.growth * self.linear(x)
"""


@pytest.mark.slow  # classes that something registers are tried in every run
def test_beside_a_module_they_have_tests_or_a_line_and_are_types_of_its_fields(tmp_path: Path) -> None:
    said = generated(
        tmp_path,
        {
            "plant": f"from types import ModuleType\nfrom typing import NamedTuple\n\nimport equinox as eqx{HEAD}{BESIDE}"
        },
    )
    assert "Pair: not tested: the tests have no example for `b`, of which nothing says type and shape" in said
    assert "or let `scaffold adopt plant.py:Pair` look for one by running the class" in said, said
    assert "Rates: not" not in said and "Model: not" not in said
    tests = suite_text(tmp_path, "plant")
    assert '"""Tests of `Rates` and `Model`."""' in tests
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 100


def test_where_no_class_has_tests_there_is_no_file_of_them(tmp_path: Path) -> None:
    pair = BESIDE.partition("\n\n@struct")[0]
    text = f"from types import ModuleType\nfrom typing import NamedTuple\n{HEAD}{pair}\n\n{pair.strip().replace('Pair', 'Other')}\n"
    said = generated(tmp_path, {"pairs": text})
    assert said.count("not tested") == 2 and "next:" not in said.partition("note")[0]
    assert not list((tmp_path / "nets").glob("tests/test_*.py"))


CELL = """
import dataclasses

import chex
import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Float


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Cell:
    value: Float[chex.Array, "cell"]
    faces: Float[chex.Array, "cell"]

    def total(self) -> Float[chex.Array, ""]:
        return jnp.sum(self.value * self.faces)


@struct.dataclass
class Transform:
    pos: jax.Array
    rot: jax.Array

    @classmethod
    def create(cls, pos=None, rot=None) -> "Transform":
        if pos is None and rot is None:
            raise ValueError("give one")
        return cls(jnp.zeros(3) if pos is None else pos, jnp.ones(4) if rot is None else rot)

    @classmethod
    def zero(cls, shape=()) -> "Transform":
        return cls(jnp.zeros((*shape, 3)), jnp.ones((*shape, 4)))

    def do(self, other: Any) -> "Transform":
        return Transform(self.pos + other.pos, self.rot * other.rot)
"""


def test_arrays_of_chex_have_dims_and_what_needs_an_argument_builds_nothing(tmp_path: Path) -> None:
    said = generated(tmp_path, {"cells": "from typing import Any\n" + CELL})
    assert "not tested" not in said, said
    assert "Transform.create()" not in suite_text(tmp_path, "cells")


KEPT = """
@jax.tree_util.register_pytree_node_class
class Heat:
    def __init__(self, u, n_cells, dx):
        self.u, self.n_cells, self.dx = u, n_cells, dx

    def tree_flatten(self):
        children, aux = (self.u,), (self.n_cells, self.dx)
        return children, aux

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)

    def points(self):
        return jnp.arange(self.n_cells) * self.dx

    def step(self, rate):
        return Heat(self.u + rate * self.u / self.dx**2, self.n_cells, self.dx)
"""
MATRIX = """
@jax.tree_util.register_pytree_node_class
class Affine:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def tree_flatten(self):
        return (self.bias,), (self.weight,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*aux, *children)

    def apply(self, x):
        return self.weight @ x + self.bias
"""


@pytest.mark.slow
def test_what_is_computed_with_and_kept_beside_the_leaves_is_a_number(tmp_path: Path) -> None:
    generated(tmp_path, {"heat": HEAD + KEPT})
    text = suite_text(tmp_path, "heat")
    assert '"n_cells": 2,' in text and '"dx": 0.3,' in text and '"u": sample(seed, (' in text
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 50


def test_a_matrix_that_is_kept_beside_the_leaves_is_told(tmp_path: Path) -> None:
    generated(tmp_path, {"affine": HEAD + MATRIX})
    told = failed_tests(forked_pytest(tmp_path / "nets", "tests"))
    assert "test_p05_aux_is_hashable_and_free_of_arrays" in told


STATS = """import chex
import jax.numpy as jnp


@chex.dataclass(frozen=True)
class Stats:
    total: chex.Array

    def mean(self) -> chex.Array:
        return self.total / 2
"""


def test_the_views_of_a_mapping_are_no_methods_to_try(tmp_path: Path) -> None:
    generated(tmp_path, {"stats": STATS})
    ran = forked_pytest(tmp_path / "nets", "tests")
    assert passed(ran) > 50 and "dict_values" not in ran.stdout
