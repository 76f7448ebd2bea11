"""A nineteenth set of classes as their authors would write them: each is generated as it stands, and its tests pass."""

from pathlib import Path

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


def test_a_name_that_a_loop_binds_is_no_size_of_a_call(tmp_path: Path) -> None:
    assert "not tried" not in generated(tmp_path, {"layers": LAYERS})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 80


def test_arange_counts_in_floats_too(tmp_path: Path) -> None:
    assert "not tried" not in generated(tmp_path, {"average": AVERAGE})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60


def test_streams_are_known_by_the_module_that_defines_them(tmp_path: Path) -> None:
    assert "not tested" not in generated(tmp_path, {"cell": CELL})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60


def test_what_a_static_value_has_cached_is_no_part_of_it(tmp_path: Path) -> None:
    assert "not tried" not in generated(tmp_path, {"heat": HEAT})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 80


def test_a_rule_for_the_way_back_alone_has_slopes_through_a_state(tmp_path: Path) -> None:
    assert "not tried" not in generated(tmp_path, {"observer": OBSERVER})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 80


def test_a_function_of_two_arrays_is_given_two(tmp_path: Path) -> None:
    assert "not tried" not in generated(tmp_path, {"newton": NEWTON})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60


def test_what_holds_a_part_with_a_state_hands_that_on(tmp_path: Path) -> None:
    assert "not tried" not in generated(tmp_path, {"scaled": SCALED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 160
