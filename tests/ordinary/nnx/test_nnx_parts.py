"""Parts of NNX modules: those that functions make, that draw, that check their sizes, and caches that a method fills."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
"""


BLOCKS = """

def make_norm(kind: str, channels: int, rngs: nnx.Rngs):
    if kind == "batch":
        return nnx.BatchNorm(channels, rngs=rngs)
    return None


class Block(nnx.Module):
    def __init__(self, size: int, *, norm: str = "batch", drop: float = 0.0, rngs: nnx.Rngs):
        self.dense = nnx.Linear(size, size, rngs=rngs)
        self.norm = make_norm(norm, size, rngs)
        self.drop = nnx.Dropout(drop, rngs=rngs)

    def __call__(self, x: Float[Array, "batch size"], *, train: bool = False) -> Float[Array, "batch size"]:
        x = self.dense(x)
        x = x if self.norm is None else self.norm(x)
        return nnx.relu(self.drop(x, deterministic=not train))
"""


@pytest.mark.slow
def test_a_part_that_a_function_makes_is_a_part_and_a_dropout_drops_something(tmp_path: Path) -> None:
    generated(tmp_path, {"block": HEAD + BLOCKS})
    text = suite_text(tmp_path, "block")
    assert 'Var("norm", nnx.Module)' in text and '"drop": 0.3' in text
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60


CACHED = """

class Cached(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(width, width, rngs=rngs)
        self.width = width
        self.past: nnx.Cache | None = nnx.data(None)

    def reset(self, batch: int) -> None:
        self.past = nnx.Cache(jnp.zeros((batch, self.width)))

    def __call__(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        return self.linear(x)

    def decode(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        if self.past is None:
            raise RuntimeError("call reset first")
        self.past[...] = self.past[...] + x
        return self.linear(self.past[...])


class Holder(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.cached = Cached(width, rngs=rngs)

    def __call__(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        return self.cached(x)

    def decode(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        return 2 * self.cached.decode(x)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_method_that_asks_for_another_one_first_is_not_tried(tmp_path: Path) -> None:
    said = generated(tmp_path, {"cached": HEAD + CACHED})
    assert "Cached: not tried: reset (returns nothing); decode (asks for `reset` first)" in said
    assert "Holder: not tried: decode (asks for `reset` first)" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


BLUR = """
class Blur(nnx.Module):
    def __init__(self, dim: int, width: int, *, rngs: nnx.Rngs):
        if width % 2 == 0 or width < 5:
            raise ValueError(f"the width has to be odd, and at least 5, not {width}")
        assert dim > 2, "too few"
        self.conv = nnx.Conv(dim, dim, kernel_size=(width,), rngs=rngs)

    def __call__(self, x: Float[Array, "time dim"]) -> Float[Array, "time dim"]:
        return self.conv(x)
"""


@pytest.mark.slow
def test_a_part_has_a_size_that_the_constructor_does_not_refuse(tmp_path: Path) -> None:
    tried(tmp_path, "blur", HEAD + BLUR)


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


def test_streams_are_known_by_the_module_that_defines_them(tmp_path: Path) -> None:
    tried(tmp_path, "cell", CELL, least=60)


BRANCHES = """
from flax import nnx
from jaxtyping import Array, Float


class Block(nnx.Module):
    def __init__(self, din: int, dout: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(din, dout, rngs=rngs)
        if din != dout:
            self.skip = nnx.Linear(din, dout, rngs=rngs)
        else:
            self.skip = None

    def __call__(self, x: Float[Array, "batch din"]):
        return self.linear(x) + (x if self.skip is None else self.skip(x))
"""


@pytest.mark.slow  # a run of its own
def test_what_one_branch_makes_and_another_leaves_out_is_a_module(tmp_path: Path) -> None:
    tried(tmp_path, "block", BRANCHES)
    assert 'Var("skip", nnx.Module)' in suite_text(tmp_path, "block")
