"""Registered classes as strangers write them: what jax cannot take apart, what a function of several types does, closures over the instance."""

from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

pytestmark = pytest.mark.slow  # a run of its own
SOURCE = """
from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array
from jax.tree_util import register_pytree_node_class
from jaxtyping import Float


@register_pytree_node_class
class Childless:
    def __init__(self, positions: tuple[int, ...]):
        self.positions = positions

    def tree_flatten(self):
        return None, (self.positions,)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(aux[0])

    def __call__(self, p: Array) -> Array:
        return p[self.positions[0]]


@singledispatch
def turned(state: Any, angle: float) -> Any:
    raise NotImplementedError("turned is not implemented")


@turned.register
def _(state: Array, angle: float) -> Any:
    return state * jnp.cos(angle)


@register_pytree_node_class
class Turn:
    def __init__(self, angle: float, shift: float = 0.0):
        self.angle = angle
        self.shift = shift

    def tree_flatten(self):
        return (), (self.angle,)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children, *aux)

    def __call__(self, state: Array) -> Array:
        return turned(state, self.angle + self.shift)


@register_pytree_node_class
@dataclass
class Closed:
    param: float

    def __post_init__(self) -> None:
        def read() -> float:
            return self.param

        self.read = read

    def tree_flatten(self):
        return (), (self.param,)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children, *aux)

    def __call__(self, x: Array) -> Array:
        return x * jnp.cos(self.read())


@register_pytree_node_class
@dataclass
class Gate:
    name: str
    param: float = 0.0

    def tree_flatten(self):
        return (), (self.name, self.param)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children, *aux)

    def unitary(self, x: Array) -> Array:
        return x * self.param


class _Phase(Gate):
    pass


def phase(param: float) -> Gate:
    return _Phase("N", param)


class Policy(nnx.Module):
    def __init__(self, net: nnx.Module):
        self.net = net

    def __call__(self, x: Array) -> Array:
        return self.net(x)

    @nnx.jit
    def sample(self, x: Array, key: Array) -> Array:
        mean = self.net(x)
        return jax.random.normal(key, mean.shape) + mean


class Network(NamedTuple):
    n_reaches: int
    lengths: Float[Array, " n_reaches"]


class Router(eqx.Module):
    network: Network

    def route(self, inflows: Float[Array, "n_steps n_reaches"]) -> Float[Array, " n_steps"]:
        start = jnp.full(self.network.n_reaches, 0.1)

        def step(q, lateral):
            q = lateral + q / self.network.lengths
            return q, q.sum()

        return jax.lax.scan(step, start, inflows)[1]
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("registered")
    write_tree(folder, {"pyproject.toml": "[project]\nname = 'otherwise'\n", "otherwise.py": SOURCE})
    return scaffold(folder, "adopt", "otherwise.py", "-n", "1").stdout


def test_what_jax_cannot_take_apart_is_a_fault_and_needs_no_other_build(said: str) -> None:
    assert "fault  P3 round trip: jax cannot take an instance apart" in said
    assert "--build 'Childless(...)'" not in said


def test_a_function_that_others_register_with_is_no_call_of_subclasses(said: str) -> None:
    assert "left out" not in said
    assert "fault  P3 round trip: before a round trip 0.5, after 0.0" in said


def test_a_closure_over_the_instance_is_anew_in_each_and_cannot_be_pickled(said: str) -> None:
    assert "before a round trip <function" not in said
    assert "Can't pickle local object 'Closed.__post_init__.<locals>.read'" in said


def test_a_subclass_that_jax_does_not_know_stands_for_no_class(said: str) -> None:
    assert "_Phase" not in said


def test_a_method_under_nnx_jit_is_whole_after_it_was_traced(said: str) -> None:
    assert "has no attribute 'net'" not in said


def test_a_number_that_is_a_dim_has_its_size(said: str) -> None:
    assert "called by `route`" in said


def test_that_a_subclass_must_be_registered_is_told_in_passing(said: str) -> None:
    assert "a subclass of it is no pytree" not in said and "in passing" in said
