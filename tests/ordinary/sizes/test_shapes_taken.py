"""What a constructor takes for a shape, or for several sizes, without an annotation."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
"""

CELL = """
class Cell(nnx.Module):
    def __init__(self, inner, *, rngs: nnx.Rngs):
        self.inner = inner
        self.beta = nnx.Param(nnx.initializers.normal()(rngs.params(), self.inner))

    def __call__(self, x):
        return jnp.sum(self.beta[...]) * jnp.sum(x**2)

    def initial_state(self, batch_size):
        return jnp.zeros((batch_size,) + tuple(2 * v for v in self.inner))
"""


def test_what_an_initialiser_draws_is_a_shape(tmp_path: Path) -> None:
    tried(tmp_path, "cell", HEAD + CELL)
    text = suite_text(tmp_path, "cell")
    assert '"inner": (2, 3),' in text and 'guessed = ("__init__", "__call__", "initial_state")' in text


@pytest.mark.slow
def test_what_methods_go_through_is_no_number(tmp_path: Path) -> None:
    made = "nnx.Param(nnx.initializers.normal()(rngs.params(), self.inner))"
    tried(tmp_path, "cell", HEAD + CELL.replace(made, "nnx.Param(jnp.ones(2))"))
    assert '"inner": (2, 3),' in suite_text(tmp_path, "cell")


TOWER = """
class Tower(eqx.Module):
    layers: list
    start: jax.Array

    def __init__(self, size, hidden, start_dims, *, key):
        first, key = jax.random.split(key)
        self.start = jax.random.normal(first, start_dims)
        self.layers = []
        for k, width in zip(jax.random.split(key, len(hidden)), hidden):
            self.layers.append(eqx.nn.Linear(size, width, key=k))

    def total(self):
        return sum(jnp.sum(layer.weight) + jnp.sum(layer.bias) for layer in self.layers) + jnp.sum(self.start)
"""


@pytest.mark.slow
def test_entries_that_layers_take_for_sizes_are_several_sizes(tmp_path: Path) -> None:
    tried(tmp_path, "tower", HEAD + TOWER)
    text = suite_text(tmp_path, "tower")
    assert '"hidden": (2, 3),' in text and '"start_dims": (2, 3),' in text


NOISE = """
class Noise(nnx.Module):
    def __init__(self, level, *, rngs: nnx.Rngs):
        self.level = level
        self.table = nnx.Param(jnp.ones(2) * max(map(float, level)))

    def __call__(self, x):
        return jnp.sum(x**2) * self.level
"""


def test_a_number_that_nothing_says_is_a_guess(tmp_path: Path) -> None:
    generated(tmp_path, {"noise": HEAD + NOISE})
    said = forked_pytest(tmp_path / "nets", "--numbers=off").stdout
    assert "not tried: the example of `__init__` is a guess, and does not fit (TypeError: 'float'" in said
    assert "fault" not in said


@pytest.mark.parametrize(
    ("kind", "pairs", "given"),
    [
        ("tuple[int, ...]", "zip(sizes[:-1], sizes[1:])", "(2, 3, 5)"),
        ("list[int]", "zip(sizes, sizes[1:])", "[2, 3, 5]"),
        ("tuple[int, ...]", "itertools.pairwise(sizes)", "(2, 3, 5)"),
        ("tuple[int, ...]", "[(sizes[i], sizes[i + 1]) for i in range(len(sizes) - 1)]", "(2, 3, 5)"),
        ("tuple[int, ...]", "[(size, size) for size in sizes]", "(2, 3)"),
    ],
)
def test_sizes_that_are_read_in_pairs_make_two_layers(
    tmp_path: Path, kind: str, pairs: str, given: str
) -> None:
    text = f"""
import itertools

import equinox as eqx
import jax


class Stack(eqx.Module):
    layers: list[eqx.nn.Linear]

    def __init__(self, sizes: {kind}, *, key):
        self.layers = [eqx.nn.Linear(taken, made, key=key) for taken, made in {pairs}]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
    generated(tmp_path, {"stack": text})
    assert f'"sizes": {given},' in suite_text(tmp_path, "stack")
