"""Right classes, which are given what they ask for: layers, signals, parts of abstract classes, plain values, tokens."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed

ADAPTER = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, module, param


class Adapter(Module):
    base: eqx.nn.Linear = module(frozen=True)
    a: Float[Array, "rank n"] = param()
    b: Float[Array, "m rank"] = param()

    def __init__(self, base: eqx.nn.Linear, rank: int = 4, *, key: PRNGKeyArray):
        m, n = base.weight.shape
        self.base = base
        self.a = jax.random.normal(key, (rank, n))
        self.b = jnp.zeros((m, rank))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        return self.base(x) + self.b @ (self.a @ x)
"""

NORMAL = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, param


class Normal(Module):
    loc: Float[Array, " d"] = param()

    def log_prob(self, x: Float[Array, " d"]) -> Float[Array, ""]:
        return -0.5 * jnp.sum((x - self.loc) ** 2)

    def sample(self, key: PRNGKeyArray, shape: tuple[int, ...] = ()) -> Float[Array, "*batch d"]:
        return self.loc + jax.random.normal(key, (*shape, *self.loc.shape), self.loc.dtype)
"""

FRAMES = """
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, static


class Frames(Module):
    window: Float[Array, " n_fft"] = buffer()
    n_fft: int = static()
    hop: int = static()

    def __init__(self, n_fft: int = 8, hop: int = 2):
        self.window = jnp.hanning(n_fft)
        self.n_fft = n_fft
        self.hop = hop

    def __call__(self, x: Float[Array, " time"]) -> Float[Array, "frames n_fft"]:
        n = 1 + (x.shape[0] - self.n_fft) // self.hop
        idx = self.hop * jnp.arange(n)[:, None] + jnp.arange(self.n_fft)[None]
        return x[idx] * self.window
"""

EULER = """
from abc import abstractmethod

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static


class Field(Module):
    @abstractmethod
    def __call__(self, t: Float[Array, ""], y: Float[Array, " n"]) -> Float[Array, " n"]: ...


class Autonomous(Field):
    a: Float[Array, " n"] = param()

    def __call__(self, t: Float[Array, ""], y: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.tanh(self.a * y)


class Driven(Field):
    a: Float[Array, " n"] = param()

    def __call__(self, t: Float[Array, ""], y: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.tanh(self.a * y) + jnp.cos(t)


class Euler(Module):
    field: Field
    dt: float = static(0.1)

    def step(self, t: Float[Array, ""], y: Float[Array, " n"]) -> Float[Array, " n"]:
        return y + self.dt * self.field(t, y)
"""

RESIDUAL = """
from typing import Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Layer(eqx.Module):
    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        raise NotImplementedError


L = TypeVar("L", bound=Layer)


class Scale(Layer):
    w: Float[Array, " n"] = param()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.w * x


class Residual(eqx.Module, Generic[L]):
    inner: L
    gain: Float[Array, " n"] = param()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x + self.gain * self.inner(x)
"""

HEAT = """
from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static


@dataclass(frozen=True)
class Grid:
    n: int
    length: float = 1.0


class Heat(Module):
    grid: Grid = static()
    nu: Float[Array, ""] = param("ones")

    def __call__(self, u: Float[Array, " n"]) -> Float[Array, " n"]:
        dx = self.grid.length / self.grid.n
        return u + self.nu / dx**2 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))
"""

ENCODING = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, param


class Encoding(Module):
    w: Float[Array, "levels 3"] = param()

    def __init__(self, levels: int = 3, *, key: PRNGKeyArray):
        self.w = jax.random.normal(key, (levels, 3))

    def __call__(self, x: Float[Array, " 3"]) -> Float[Array, " levels"]:
        offset = jnp.array([0.1, 0.2, 0.3], x.dtype)
        return jnp.sin(self.w @ (x + offset))
"""

TAGGER = """
import jax
import jax.numpy as jnp
from flax import nnx


class Tagger(nnx.Module):
    def __init__(self, vocab: int, dim: int, *, rngs: nnx.Rngs):
        self.embed = nnx.Embed(vocab, dim, rngs=rngs)
        self.head = nnx.Linear(dim, vocab, rngs=rngs)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = self.embed(tokens)
        h = jnp.zeros((tokens.shape[0], x.shape[-1]))
        outs = []
        for t in range(tokens.shape[1]):
            h = jnp.tanh(h + x[:, t])
            outs.append(self.head(h))
        return jnp.stack(outs, axis=1)
"""

CENTRE = """
from jaxtyping import Array, Float
from scaffold.skeleton import Nnx, state


class Centre(Nnx):
    mean: Float[Array, " n"] = state("zeros")
    count: Float[Array, ""] = state("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        y = x - self.mean
        self.mean = self.mean + y / (1 + self.count)
        self.count = self.count + 1
        return y
"""
RIGHT = {
    "adapter": (ADAPTER, "eqx.nn.Linear(2, 3, "),  # sizes that are read off a layer need none in the spec
    "normal": (NORMAL, "Output((..., 2))"),  # leading axes that nothing says may be any
    "frames": (FRAMES, "(sample(seed, (11,)),)"),  # a signal is longer than the window that slides over it
    "euler": (EULER, "Driven.create("),  # what stands for an abstract part reads all that it is given
    "residual": (RESIDUAL, "Scale.create("),  # the bound of a type variable has an example
    "heat": (HEAT, "Grid(n=3)"),  # so has a dataclass of plain values
    "encoding": (ENCODING, '"levels": 2'),  # no dim has a size that annotations say in numbers
    "tagger": (TAGGER, '(sample(seed, (5, 7), "int32"),)'),  # tokens have the axes that the code reads
    "centre": (CENTRE, 'used = ("mean", "count")'),  # what only the next state depends on is used
}
"""Each skeleton, and what its tests have."""


@pytest.mark.slow
def test_right_classes_are_tried_with_what_they_ask_for(tmp_path: Path) -> None:
    said = generated(tmp_path, {name: skeleton for name, (skeleton, _) in RIGHT.items()})
    assert "not tried" not in said, said
    suites = {name: suite_text(tmp_path, name) for name in RIGHT}
    assert {name: text in suites[name] for name, (_, text) in RIGHT.items()} == dict.fromkeys(RIGHT, True)
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 900
