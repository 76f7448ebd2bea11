"""Ordinary classes that nobody had tried when the tool met them: what they showed, each as a class whose tests pass."""

from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Complex, Float, Int, PRNGKeyArray
from scaffold.skeleton import Abstract, Module, Nnx, buffer, data, param, state, static
"""
CLASSES = {
    "a number that a method has by default is a size of its result": """
class Mixture(Module):
    logits: Float[Array, " k"] = param("zeros")
    means: Float[Array, "k d"] = param("normal")

    def log_prob(self, x: Float[Array, " d"]) -> Float[Array, ""]:
        per = -0.5 * jnp.sum((x - self.means) ** 2, axis=-1)
        return jax.nn.logsumexp(jax.nn.log_softmax(self.logits) + per)

    def sample(self, n: int = 1, *, key: PRNGKeyArray) -> Float[Array, "n d"]:
        which, noise = jax.random.split(key)
        index = jax.random.categorical(which, self.logits, shape=(n,))
        return self.means[index] + jax.random.normal(noise, (n, self.means.shape[1]), self.means.dtype)
""",
    "a result has a dim of its own": """
class Halving(Module):
    weight: Float[Array, "out_size in_size"] = param("lecun_normal")

    def __call__(self, x: Float[Array, "n in_size"]) -> Float[Array, "half out_size"]:
        return (x @ self.weight.T)[::2]
""",
    "a constructor reads the size of what it is given": """
class Coupling(Module):
    mask: Bool[Array, " d"] = buffer()
    net: eqx.nn.MLP

    def __init__(self, mask: Bool[Array, " d"], width: int = 8, *, key: PRNGKeyArray):
        d = mask.shape[0]
        self.mask = mask
        self.net = eqx.nn.MLP(d, d, width, 1, key=key)

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        return jnp.where(self.mask, x, x + self.net(jnp.where(self.mask, x, 0.0)))
""",
    "a gradient goes straight through": """
class Quantizer(Nnx, constructor="init"):
    codebook: Float[Array, "codes dim"] = param("normal")
    usage: Float[Array, " codes"] = state("zeros", variable="BatchStat")

    def __call__(self, x: Float[Array, "batch dim"]) -> Float[Array, "batch dim"]:
        index = jnp.argmin(jnp.sum((x[:, None] - self.codebook[None]) ** 2, -1), -1)
        self.usage += jnp.sum(jax.nn.one_hot(index, self.codebook.shape[0]), 0)
        quantized = self.codebook[index]
        return x + jax.lax.stop_gradient(quantized - x) + quantized - jax.lax.stop_gradient(quantized)
""",
    "a projection is called key": """
class Attend(Module):
    query: Float[Array, "size size"] = param("glorot_uniform")
    key: Float[Array, "size size"] = param("glorot_uniform")

    def __call__(self, x: Float[Array, " size"], y: Float[Array, " size"]) -> Float[Array, ""]:
        return (self.query @ x) @ (self.key @ y)
""",
    "integers and complex numbers of whatever width": """
class Spectrum(Module):
    weight: Complex[Array, "h n"] = param("normal(0.5)")
    counts: Int[Array, " h"] = data("zeros")
    order: Int[Array, " n"] = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " h"]:
        mixed = self.weight @ x[self.order % x.shape[0]].astype(self.weight.dtype)
        return jnp.abs(mixed) + self.counts.astype(x.dtype)
""",
    "a state is made of the one above it": """
class Codes(Nnx):
    table: Float[Array, "k d"] = state("normal")
    slow: Float[Array, "k d"] = state("=table * 0.5")

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " k"]:
        y = self.table @ x + self.slow @ x
        self.slow = 0.5 * (self.slow + self.table)
        return y

    def rows(self, *index: int) -> Float[Array, "n d"]:
        return self.table[jnp.array(index, int)]
""",
    "a field is of an abstract class, whose methods have their types from there": """
class Kernel(Abstract):
    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]: ...

    def gram(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jax.vmap(lambda a: jax.vmap(lambda b: self(a, b))(y))(x)


class Radial(Kernel):
    log_scale: Float[Array, " d"] = param("zeros")

    def __call__(self, x, y):
        return jnp.exp(-0.5 * jnp.sum(((x - y) * jnp.exp(-self.log_scale)) ** 2))


class Total(Kernel):
    left: Kernel
    right: Kernel

    def __call__(self, x, y):
        return self.left(x, y) + self.right(x, y)


class Regression(Module):
    kernel: Radial

    def quadratic(self, x: Float[Array, "n d"], y: Float[Array, " n"]) -> Float[Array, ""]:
        return y @ self.kernel.gram(x, x) @ y
""",
    "an author's own constructor stores a list": """
class Towers(Module):
    towers: list[eqx.nn.Linear]

    def __init__(self, size: int, depth: int = 2, *, key: PRNGKeyArray):
        self.towers = [eqx.nn.Linear(size, size, key=one) for one in jax.random.split(key, depth)]

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        for tower in self.towers:
            x = jnp.tanh(tower(x))
        return x
""",
    "a mode leaves a parameter out": """
class Filter(Module):
    threshold: Float[Array, ""] = param("ones")
    window: Float[Array, " k"] = buffer()
    mode: Literal["soft", "linear"] = static("soft")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        if self.mode == "soft":
            return jnp.tanh(x * self.threshold)
        return jnp.convolve(x, self.window, mode="same")
""",
    "values of bfloat16 are not for this function of jax": """
class Curve(Module):
    knots: Float[Array, " n"] = data()
    heights: Float[Array, " n"] = param()

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return jnp.interp(x, jnp.sort(self.knots), self.heights)
""",
    "tuples of arrays and of sub-modules": """
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
    "sizes that a constructor divides, and a sub-module without arrays": """
class Attention(Module):
    qkv: eqx.nn.Linear
    norm: eqx.Module
    heads: int = static()

    def __init__(self, size: int, heads: int, *, norms: bool = False, key: PRNGKeyArray):
        head_size = size // heads
        assert head_size * heads == size, "size must be divisible by heads"
        self.qkv = eqx.nn.Linear(size, 3 * size, key=key)
        self.norm = eqx.nn.LayerNorm(head_size) if norms else eqx.nn.Identity()
        self.heads = heads

    def __call__(self, x: Float[Array, "n size"]) -> Float[Array, "n size"]:
        q, k, v = jnp.split(jax.vmap(self.qkv)(x).reshape(x.shape[0], self.heads, -1), 3, axis=-1)
        weights = jax.nn.softmax(jnp.einsum("nhd,mhd->hnm", jax.vmap(jax.vmap(self.norm))(q), k))
        return jnp.einsum("hnm,mhd->nhd", weights, v).reshape(x.shape)
""",
    "what an own constructor leaves out by default": """
class Scaler(Module):
    offset: Array | None = data()
    scale: Array | None = data()

    def __init__(self, offset: Array | None = None, scale: Array | None = None):
        if scale is not None and offset is None:
            raise ValueError("an offset is needed with a scale")
        self.offset = None if offset is None else jnp.array(offset)
        self.scale = None if scale is None else jnp.array(scale)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        x = x if self.offset is None else x - self.offset
        return x if self.scale is None else x / self.scale
""",
}


@pytest.mark.spread(16)
@pytest.mark.parametrize("what", CLASSES)
def test_the_class_is_accepted_and_its_tests_pass(tmp_path: Path, what: str) -> None:
    write_tree(tmp_path, {"specs/unseen.py": HEAD + CLASSES[what]})
    made = scaffold(tmp_path, "new-module", "--spec", "specs/unseen.py")
    assert made.returncode == 0, made.stdout + made.stderr
    assert passed(forked_pytest(tmp_path, "tests", "--numbers=off")) > 70
