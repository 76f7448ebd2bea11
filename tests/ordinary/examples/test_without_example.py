"""Arguments without an example: the command names them, and what takes them is not tried."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import dataclasses
import typing
from collections.abc import Hashable, Sized

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param
"""


OF_CLASSES = """

class Search(Module):
    rate: Float[Array, " n"] = param()

    def init(self, x: Float[Array, " n"], like: jax.ShapeDtypeStruct) -> Float[Array, " n"]:
        return jnp.zeros(like.shape, like.dtype) + self.rate * x

    def placed(self, x: Float[Array, " n"], device: jax.Device, name: Hashable) -> Float[Array, " n"]:
        return jax.device_put(self.rate * x, device)

    def counted(self, x: Float[Array, " n"], parts: Sized, others: typing.SupportsInt) -> Float[Array, " n"]:
        return (len(parts) + int(others)) * self.rate * x
"""


@pytest.mark.slow
def test_classes_of_jax_and_typing_are_classes_like_any_other(tmp_path: Path) -> None:
    said = generated(tmp_path, {"search": HEAD + OF_CLASSES})
    assert "init (no example for like); placed (no example for device, name)" in said, said
    assert "counted (no example for parts, others)" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50
    text = (tmp_path / "nets/search.py").read_text("utf-8")
    assert "from collections.abc import Hashable, Sized\n" in text and "others: typing.SupportsInt" in text


KWARGS = """
class Compartment(eqx.Module):
    rate: jax.Array

    def __init__(self, size: int = 2, *, key: jax.Array):
        self.rate = jax.random.normal(key, (size,))

    @classmethod
    def slow(cls, rate: float, **kwargs) -> "Compartment":
        made = cls(**kwargs)
        return eqx.tree_at(lambda one: one.rate, made, made.rate * rate)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.rate * x
"""


@pytest.mark.slow
def test_what_the_constructor_needs_of_keywords_that_are_handed_on_has_no_example(tmp_path: Path) -> None:
    said = generated(tmp_path, {"compartment": HEAD + KWARGS})
    assert "Compartment: not tried: slow (no example for key in **kwargs)\n" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 40


def test_operators_without_an_example_are_named_and_what_jax_calls_is_not(tmp_path: Path) -> None:
    text = """
class Ring(eqx.Module):
    items: Float[Array, "n d"] = data()

    def __getitem__(self, index):
        return self.items[index]

    def __mul__(self, other):
        return Ring(jnp.concatenate([self.items, *other]))

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""
    told = generated(tmp_path, {"ring": HEAD + text})
    way_out = 'write `@test(values={"__mul__.other": lambda: ...})`\n'
    assert f"Ring: not tried: __mul__ (no example for other): {way_out}" in told


def test_all_that_no_example_is_known_of_is_told_at_once(tmp_path: Path) -> None:
    text = """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Belief:
    mean: object
    cov: object

    def moved(self, by):
        return Belief(self.mean.moved(by), self.cov)
"""
    said = generated(tmp_path, {"belief": HEAD + text})
    assert (
        "no example for `cov`, `mean`, of which nothing says type and shape: write `@test(...)` and " in said
    )
    assert '`values={"cov": lambda: ..., "mean": lambda: ...}`' in said
    assert "not tried" not in said


HELD = """

class Held(eqx.Module):
    term: Term
    solver: Solver
    mass: Array

    def __init__(self, term: Term, solver: Solver, mass: Array, *args):
        self.term, self.solver, self.mass = term, solver, mass
"""


def test_each_reason_is_said_in_a_sentence_of_its_own(tmp_path: Path) -> None:
    head = f"{HEAD}from diffrax import AbstractSolver as Solver, AbstractTerm as Term\n"
    said = generated(tmp_path, {"held": head + HELD})
    assert "for the tests cannot" not in said and said.count("the tests cannot build a `") == 2, said
    code = (tmp_path / "nets/held.py").read_text("utf-8")
    assert "AbstractTerm as Term" in code and "def __init__(self, term: Term, solver: Solver" in code


def test_values_by_a_name_are_refused_and_no_fault_of_the_tool(tmp_path: Path) -> None:
    text = """
import equinox as eqx
import jax.numpy as jnp
from scaffold.skeleton import test

VALUES = {"x": lambda: jnp.ones(3)}


@test(values=VALUES)
class Scaled(eqx.Module):
    factor: float

    def __call__(self, x):
        return self.factor * x
"""
    write_tree(tmp_path, {"specs/scaled.py": text})
    made = scaffold(tmp_path, "new-module", "--spec=specs/scaled.py")
    assert made.returncode == 2 and "test.values: '=VALUES' is not a table" in made.stderr, made.stderr


SPACING = """
class Spacing(eqx.Module):
    step: Array | None

    def __init__(self, step=None):
        self.step = None if step is None else jnp.asarray(step, float)

    @property
    def width(self):
        if self.step is None:
            raise ValueError("step must be given")
        return 3 * self.step

    def moved(self, by: Float[Array, " n"]) -> Float[Array, " n"]:
        return by if self.step is None else by + self.step
"""


def test_what_raises_without_an_argument_that_the_tests_leave_out_is_not_tried(tmp_path: Path) -> None:
    said = generated(tmp_path, {"spacing": HEAD + SPACING})
    assert "Spacing: not tried: width (raises where `step` is None, as it is in the tests)\n" in said, said
    given = HEAD.replace("import Module", "import test, Module") + SPACING.replace(
        "class", '@test(values={"step": lambda: 2.0})\nclass', 1
    )
    assert "not tried" not in generated(tmp_path / "given", {"spacing": given})
