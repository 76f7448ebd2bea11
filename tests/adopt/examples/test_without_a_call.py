"""What ended the search for an example: a module of NNX without a call, and a protocol of jax, which an array fits."""

import re
from pathlib import PurePosixPath

import pytest

from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.report import Outcome
from scaffold.files.fileset import File
from tests.adopt.asking import Asked, asked_of

SOURCE = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jax._src.typing import SupportsDType


class Network(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(size, rngs=rngs)

    def __call__(self, field: jax.Array) -> jax.Array:
        raise ValueError("expected another field")


class Cast(eqx.Module):
    weight: jax.Array
    kind: str = eqx.field(static=True)

    def __init__(self, size: int, dtype: SupportsDType | None = None):
        self.weight = jnp.ones(size)
        self.kind = str(dtype)


class Component(eqx.Module):
    weight: jax.Array

    def check_dim(self, dim: int) -> None:
        if self.weight.ndim != dim:
            raise ValueError("another dim")


class Linear(eqx.Module):
    ridge: float = 0.0

    def fit(self, X: jax.Array, y: jax.Array) -> jax.Array:
        '''`X` has the shape `(n, p)`, and `y` `(n,)`.'''
        if len(X) <= X.shape[1]:
            raise ValueError("too few rows")
        return jnp.linalg.solve(X.T @ X + self.ridge * jnp.eye(X.shape[1]), X.T @ y)

    def coefficients(self, X: jax.Array, y: jax.Array) -> jax.Array:
        '''`X` has the shape `(n, p)`, and `y` `(n,)`.'''
        return self.fit(X, y)


class Quiet(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array):
        assert x.shape


class Trained(eqx.Module):
    weight: jax.Array

    def fit(self, X: jax.Array, steps: int) -> None: ...


@jax.tree_util.register_pytree_node_class
class Error:
    def __init__(self):
        self.value = jnp.zeros((), jnp.float32)

    def update(self, true, pred):
        self.value += jnp.mean((true - pred) ** 2)

    def tree_flatten(self):
        return (self.value,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        self = cls()
        (self.value,) = children
        return self


class Picks(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, 1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        score = self.linear(x)[:, 0]
        return x[score >= jnp.median(score)]


class State(NamedTuple):
    value: jax.Array
    slope: jax.Array = jnp.asarray(0.0)


class Game(eqx.Module):
    '''A game that is over after a million steps.'''

    prize: jax.Array

    def over(self, time: jax.Array) -> jax.Array:
        return jnp.asarray(time) + jnp.sum(self.prize) > 1000000

    def reward(self, action: jax.Array) -> jax.Array:
        return action * self.prize


class Product(eqx.Module):
    part: jax.Array

    def __call__(self) -> jax.Array:
        raise ValueError("no such product")

    def __mul__(self, other):
        return Product(self.part)


@jax.tree_util.register_pytree_node_class
class Scheme:
    def __init__(self, size: int):
        self.operator = self.formula(jnp.arange(size, dtype=jnp.float32), 0.5)

    def formula(self, place, step):
        return place / step

    def apply_gradient(self, u_hat: jax.Array) -> jax.Array:
        return self.operator * u_hat[..., None]

    def tree_flatten(self):
        return (self.operator,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = object.__new__(cls)
        (made.operator,) = children
        return made
"""
asked = asked_of("without_a_call", SOURCE)


@pytest.mark.slow  # a search of its own in another interpreter
def test_a_module_without_a_call_is_built(asked: Asked) -> None:
    assert asked.adopt("Network")["inputs"]


@pytest.mark.slow
def test_an_array_is_no_example_of_a_protocol_of_jax(asked: Asked) -> None:
    assert [name for name, *_ in asked.adopt("Cast")["inputs"]] == ["size"]


def test_a_hook_that_gives_nothing_is_no_method_to_call(asked: Asked) -> None:
    assert asked.adopt("Component")["methods"] == []


def test_of_two_calls_the_one_whose_result_varies_is_taken(asked: Asked) -> None:
    answer = asked.adopt("Game")
    assert answer["method"] == "reward" and [name for name, *_ in answer["extra"]] == ["over"]


def test_why_there_is_no_call_is_what_the_call_raised_and_not_what_an_operator_gives(asked: Asked) -> None:
    assert asked.adopt("Product")["why"] == "ValueError: no such product"


@pytest.mark.slow
def test_a_helper_that_reads_no_leaf_stands_behind_what_does(asked: Asked) -> None:
    assert asked.adopt("Scheme")["method"] == "apply_gradient"


@pytest.mark.slow
def test_a_matrix_of_a_docstring_has_more_rows_than_columns(asked: Asked) -> None:
    [(_, matrix, _), (_, vector, _)] = asked.adopt("Linear")["arguments"]
    rows, columns = map(int, re.findall(r"\d+", matrix)[:2])
    assert rows > columns and f"({rows},)" in vector


def test_what_may_train_is_not_called_and_that_is_told(asked: Asked) -> None:
    found = asked.adopt("Trained")
    assert found["methods"] == [] and found["actions"] == ["fit(X, steps)"]
    outcome = Outcome(
        Adopted("nets", "Trained", "trained", found), file=File(PurePosixPath("tests/x.py"), "")
    )
    assert "is not called by itself: `fit(X, steps)`" in "".join(each.text for each in outcome.hints())


@pytest.mark.slow  # a run of its own
def test_a_method_that_gives_nothing_back_is_told_so(asked: Asked) -> None:
    assert (
        asked.adopt("Error")["why"]
        == "`update` works, and gives no arrays back: under `jax.jit` what it stores on `self` is lost"
    )


def test_a_call_of_the_instance_that_gives_nothing_back_is_told_so(asked: Asked) -> None:
    assert asked.adopt("Quiet")["why"] == "`__call__` works, and gives no arrays back"


@pytest.mark.slow  # a run of its own
def test_a_call_that_jit_refuses_for_a_mask_is_a_call(asked: Asked) -> None:
    assert [name for name, *_ in asked.adopt("Picks")["arguments"]] == ["x"]


@pytest.mark.slow
def test_a_default_of_weak_type_stays(asked: Asked) -> None:
    assert [name for name, *_ in asked.adopt("State")["inputs"]] == ["value"]
