"""What a fourteenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, param, test
"""
CELLS = """

class Perception(eqx.Module):
    edge: Float[Array, "3"]

    def __call__(self, grid: Float[Array, "channel place"]) -> Float[Array, "3*channel place"]:
        return jnp.reshape(grid[:, None] * self.edge[:, None], (-1, grid.shape[1]))


class Rule(eqx.Module):
    hidden: eqx.nn.Conv1d
    out: eqx.nn.Conv1d

    def __init__(self, channels: int, width: int, *, key: PRNGKeyArray):
        first, second = jax.random.split(key)
        self.hidden = eqx.nn.Conv1d(3 * channels, width, 1, key=first)
        out = eqx.nn.Conv1d(width, channels, 1, key=second)
        self.out = eqx.tree_at(lambda conv: conv.weight, out, replace_fn=lambda weight: weight / 2)

    def __call__(self, seen: Float[Array, "perceived place"]) -> Float[Array, "channel place"]:
        return self.out(jax.nn.softplus(self.hidden(seen)))


class Automaton(eqx.Module):
    perception: Perception
    rule: Rule

    def __init__(self, channels: int, width: int, *, key: PRNGKeyArray):
        self.perception = Perception(jnp.array([1.0, 2.0, 3.0]))
        self.rule = Rule(channels, width, key=key)

    def __call__(self, grid: Float[Array, "channel place"]) -> Float[Array, "channel place"]:
        return grid + self.rule(self.perception(grid))


class Pool(NamedTuple):
    grids: Float[Array, "pool channel place"]

    def put(self, index: Int[Array, " batch"], grids: Float[Array, "batch c p"]) -> "Pool":
        return Pool(self.grids.at[index].set(grids))
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_dims_that_calls_name_are_as_long_as_the_layers_ask_that_take_them(tmp_path: Path) -> None:
    tried(tmp_path, "cells", HEAD + CELLS)
    suite = (tmp_path / "nets/tests/test_cells.py").read_text("utf-8")
    rule = suite[suite.index("class TestRule") : suite.index("class TestAutomaton")]
    assert '"channels": 5,' in rule and "return (sample(seed, (15, 2)),)" in rule, rule


SAID = """

@test(ties={"seen": "2*size"})
class Folded(Module):
    weight: Float[Array, " size"] = param("ones")

    def __call__(self, x: Float[Array, " seen"]) -> Float[Array, " size"]:
        return self.weight * jnp.sum(jnp.reshape(x, (2, -1)), axis=0)
"""


HALVED = """

class Halved(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, n: int, *, key: PRNGKeyArray):
        linear = eqx.nn.Linear(2 * n, n, key=key)
        linear = eqx.tree_at(lambda part: part.bias, linear, jnp.ones(n))
        self.linear = eqx.tree_at(lambda part: part.weight, linear, replace_fn=lambda weight: weight / 2)

    def __call__(self, x: Float[Array, "2*n"]) -> Float[Array, "n"]:
        return self.linear(x)


class Both(eqx.Module):
    halved: Halved

    def __init__(self, a: int, b: int, *, key: PRNGKeyArray):
        self.halved = Halved(a + b, key=key)

    def __call__(self, x: Float[Array, "seen"]) -> Float[Array, "kept"]:
        return self.halved(x)
"""


def test_sizes_take_the_place_of_names_in_brackets_and_a_layer_may_be_rebound(tmp_path: Path) -> None:
    generated(tmp_path, {"halved": HEAD + HALVED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "p07_jit or p09")) > 4
    suite = (tmp_path / "nets/tests/test_halved.py").read_text("utf-8")
    both = suite[suite.index("class TestBoth") :]
    assert '"a": 3,' in both and '"b": 5,' in both and "(sample(seed, (16,)),)" in both, both


def test_an_author_says_how_long_a_dim_is_in_terms_of_others(tmp_path: Path) -> None:
    tried(tmp_path, "folded", HEAD + SAID)


KERNEL = """

class Kernel(Module):
    width: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, "n d"], z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.exp(-self.width * jnp.sum((x[:, None] - z) ** 2, axis=-1))


class Inducing(Module):
    kernel: Kernel
    places: Float[Array, "m d"] = param("normal")

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return self.kernel(x, self.places) @ self.kernel(self.places, self.places)
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_dims_of_one_name_in_two_classes_are_no_ties(tmp_path: Path) -> None:
    tried(tmp_path, "inducing", HEAD + KERNEL)
    suite = (tmp_path / "nets/tests/test_inducing.py").read_text("utf-8")
    inducing = suite[suite.index("class TestInducing") :]
    assert '"m": 2,' in inducing and '"d": 3,' in inducing and "(5, 3)" in inducing, inducing


QUANTIZER = """

class Quantizer(Module):
    codebook: Float[Array, "codes size"] = state("normal")
    rate: float = static(0.9, check=lambda rate: 0 < rate < 1)

    def __call__(self, z: Float[Array, " size"]) -> Float[Array, " size"]:
        book = jax.lax.stop_gradient(self.codebook)
        index = jnp.argmin(jnp.sum((book - z) ** 2, axis=-1))
        code = book[index]
        self.codebook = book.at[index].set(self.rate * code + (1 - self.rate) * jax.lax.stop_gradient(z))
        return z + jax.lax.stop_gradient(code - z)
"""


@pytest.mark.slow
def test_a_state_that_the_author_cuts_off_has_no_gradient(tmp_path: Path) -> None:
    head = HEAD.replace("param, test", "param, state, static, test")
    tried(tmp_path / "right", "quantizer", head + QUANTIZER)
    lost = QUANTIZER.replace("jax.lax.stop_gradient(code - z)", "(jax.lax.stop_gradient(code) - z)")
    generated(tmp_path / "lost", {"quantizer": head + lost})
    ran = forked_pytest(tmp_path / "lost/nets", "--numbers=off")
    assert "a term of a sum is taken away again beside `stop_gradient`" in ran.stdout


NORMED = """

class Block(eqx.Module):
    linear: eqx.nn.Linear
    norm: eqx.nn.BatchNorm

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.norm = eqx.nn.BatchNorm(size, axis_name="batch", mode="batch")
        assert size > 0

    def __call__(self, x: Float[Array, " size"], state: eqx.nn.State) -> tuple[Float[Array, " size"], eqx.nn.State]:
        return self.norm(self.linear(x), state)


class Net(eqx.Module):
    block: Block
    head: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        first, second = jax.random.split(key)
        self.block = Block(size, key=first)
        self.head = eqx.nn.Linear(size, 2, key=second)
        assert size > 0

    def features(self, x: Float[Array, " size"], state: eqx.nn.State) -> tuple[Float[Array, " size"], eqx.nn.State]:
        return self.block(x, state)

    def __call__(self, x: Float[Array, " size"], state: eqx.nn.State) -> tuple[Float[Array, "2"], eqx.nn.State]:
        x, state = self.features(x, state)
        return self.head(x), state
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_a_class_averages_over_the_axes_of_the_classes_that_it_makes(tmp_path: Path) -> None:
    said = generated(tmp_path, {"normed": HEAD + NORMED})
    assert "Net: not tried: features (may average over the axis `batch`)" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "p05 or p07 or p12")) > 40
    suite = (tmp_path / "nets/tests/test_normed.py").read_text("utf-8")
    assert suite.count('axis_name="batch"') == 2
