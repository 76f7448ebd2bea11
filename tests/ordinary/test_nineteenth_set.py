"""A nineteenth set of classes as their authors would write them: each is generated as it stands, and its tests pass."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

LAYERS = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, param, static


class Layers(Module):
    params: dict[str, Float[Array, "..."]] = param()
    depth: int = static()

    def __init__(self, sizes: tuple[int, ...], *, key: PRNGKeyArray):
        params = {}
        for i, (n, m) in enumerate(zip(sizes[:-1], sizes[1:])):
            params[f"w{i}"] = jax.random.normal(jax.random.fold_in(key, i), (m, n))
        self.params = params
        self.depth = len(sizes) - 1

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        for i in range(self.depth):
            x = jnp.tanh(self.params[f"w{i}"] @ x)
        return x
"""
AVERAGE = """
import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Average:
    z: jax.Array
    t: jax.Array

    @classmethod
    def start(cls) -> "Average":
        return cls(jnp.arange(3.0), jnp.ones(()))

    def update(self, x: jax.Array) -> "Average":
        return self.replace(z=self.z + (x - self.z) / self.t, t=self.t + 1)
"""
CELL = """
import jax
from flax import nnx
from flax.nnx import rnglib
from jaxtyping import Array, Float


class Cell(nnx.Module):
    def __init__(self, n: int, *, rngs: rnglib.Rngs):
        self.w = nnx.Param(jax.random.normal(rngs.params(), (n, n)))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.w @ x
"""
HEAT = """
from dataclasses import dataclass
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static, test


@dataclass(frozen=True)
class Grid:
    n: int
    length: float = 1.0

    @cached_property
    def k(self) -> np.ndarray:
        return 2 * np.pi * np.fft.rfftfreq(self.n, self.length / self.n)


@test(values={"grid": lambda: Grid(8)}, sizes={"n": 8})
class Heat(Module):
    grid: Grid = static()
    nu: Float[Array, ""] = param("ones")

    def __call__(self, u: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.fft.irfft(jnp.exp(-self.nu * self.grid.k**2) * jnp.fft.rfft(u), n=u.shape[0])
"""
OBSERVER = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@jax.custom_vjp
def cubed(x):
    return x**3


cubed.defvjp(lambda x: (cubed(x), x), lambda x, g: (3 * x**2 * g,))


class Observer(eqx.Module):
    seen: eqx.nn.StateIndex

    def __init__(self):
        self.seen = eqx.nn.StateIndex(jnp.array(0.5, jnp.float32))

    def __call__(self, x: Float[Array, " n"], state: eqx.nn.State) -> tuple[Float[Array, " n"], eqx.nn.State]:
        top = jnp.maximum(state.get(self.seen), jnp.max(jnp.abs(x)))
        return cubed(x / top) * top, state.set(self.seen, top)
"""
SCALED = (
    OBSERVER.replace("cubed(x / top) * top", "x / top")
    + """

class Scaled(eqx.Module):
    linear: eqx.nn.Linear
    act: Observer

    def __init__(self, n: int, m: int, *, key: jax.Array):
        self.linear = eqx.nn.Linear(n, m, key=key)
        self.act = Observer()

    def __call__(self, x: Float[Array, " n"], state: eqx.nn.State) -> tuple[Float[Array, " m"], eqx.nn.State]:
        x, state = self.act(x, state)
        return self.linear(x), state
"""
)
NEWTON = """
from collections.abc import Callable
from typing import Any

import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, static


class Newton(Module):
    fn: Callable[[Array, Any], Array] = static()
    steps: int = 3

    def solve(self, x: Float[Array, ""], args: Float[Array, ""]) -> Float[Array, ""]:
        for _ in range(self.steps):
            f, df = jax.value_and_grad(self.fn)(x, args)
            x = x - f / df
        return x
"""


SET = {
    "layers": (LAYERS, 80),  # a name that a loop binds is no size of a call
    "average": (AVERAGE, 60),  # `arange` counts in floats too
    "cell": (CELL, 60),  # streams are known by the module that defines them
    "heat": (HEAT, 80),  # what a static value has cached is no part of it
    "observer": (OBSERVER, 80),  # a rule for the way back alone has slopes through a state
    "newton": (NEWTON, 60),  # a function of two arrays is given two
    "scaled": (SCALED, 160),  # what holds a part with a state hands that on
}
"""Each skeleton, and how many tests pass at least."""


@pytest.mark.parametrize("name", SET)
def test_it_is_tried_as_it_is_written_and_its_tests_pass(tmp_path: Path, name: str) -> None:
    skeleton, least = SET[name]
    said = generated(tmp_path, {name: skeleton})
    assert "not tried" not in said and "not tested" not in said, said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > least
