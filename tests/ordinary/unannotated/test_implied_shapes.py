"""Shapes that code implies from one function to another: of records, rows, squares, draws and stacked numbers."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried

GRAPH = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp


class Graph(NamedTuple):
    nodes: jax.Array
    edges: jax.Array
    senders: jax.Array


class Layer(eqx.Module):
    edge: eqx.nn.Linear

    def __init__(self, width: int, edge_width: int, *, key):
        self.edge = eqx.nn.Linear(width + edge_width, edge_width, key=key)

    def _edges(self, graph):
        inputs = jnp.concatenate([graph.edges, graph.nodes[graph.senders]], axis=1)
        return jax.vmap(self.edge)(inputs)

    def __call__(self, graph: Graph, mask=None) -> Graph:
        edges = self._edges(graph)
        if mask is not None:
            edges = edges * mask[:, None]
        return graph._replace(edges=edges)
"""
ATTENTION = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Attention(eqx.Module):
    query: eqx.nn.Linear

    def __init__(self, hidden: int, *, key):
        self.query = eqx.nn.Linear(hidden, hidden, key=key)

    def __call__(self, h, memory, mask=None):
        energy = memory @ self.query(h)
        if mask is not None:
            energy = jnp.where(mask, energy, -1e9)
        weights = jax.nn.softmax(energy / 2)
        return weights @ memory, weights
"""
MIXTURE = """
import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Mixture:
    means: jax.Array
    factors: jax.Array

    @classmethod
    def init(cls, key, data, k):
        n, d = data.shape
        places = jax.random.choice(key, n, (k,), replace=False)
        return cls(data[places], jnp.tile(jnp.eye(d), (k, 1, 1)))

    def distances(self, x):
        y = jnp.einsum("kji,kj->ki", self.factors, x[None, :] - self.means)
        return jnp.sum(y**2, axis=1)

    def moved(self, data, shares):
        means = (shares.T @ data) / shares.sum(axis=0)[:, None]
        apart = data[:, None, :] - means
        spread = jnp.einsum("nk,nki,nkj->kij", shares, apart, apart) + jnp.eye(data.shape[1])
        return self.replace(means=means, factors=jnp.linalg.cholesky(jnp.linalg.inv(spread)))
"""
CHAIN = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Section(eqx.Module):
    b: jax.Array

    @classmethod
    def lowpass(cls, cutoff: float):
        w = 2 * jnp.pi * cutoff
        return cls(jnp.stack([jnp.cos(w), jnp.sin(w)]))

    def init(self):
        return jnp.zeros(2)

    def step(self, z, x):
        y = self.b[0] * x + z[0]
        return jnp.stack([self.b[1] * x + z[1], y]), y

    def __call__(self, signal):
        return jax.lax.scan(lambda z, x: self.step(z, x), self.init(), signal)[1]


class Chain(eqx.Module):
    sections: list[Section]

    def __call__(self, signal):
        for section in self.sections:
            signal = section(signal)
        return signal
"""
NAMES = """
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, static


class Kinetics(Module):
    order: Float[Array, "reactions species"] = buffer()
    species: tuple[str, ...] = static()

    def __init__(self, rows: int, species: tuple[str, ...]):
        self.species = species
        self.order = jnp.ones((rows, len(species)))

    def rates(self, c: Float[Array, " species"]):
        return jnp.prod(c[None, :] ** self.order, axis=1)

    def rhs(self, t, c):
        return self.order.T @ self.rates(c) * self.decayed(2.0, c)

    def decayed(self, horizon, c):
        return jnp.exp(-(horizon - c))
"""
CASES = {"graph": GRAPH, "attention": ATTENTION, "mixture": MIXTURE, "chain": CHAIN, "kinetics": NAMES}
EXAMPLES = {
    "graph": (
        "edges=sample(seed + 101, (5, 3))",
        'senders=sample(seed + 102, (5,), "int32")',
        "(seed + 1, (5,))",
    ),
    "attention": ("sample(seed, (2,))", "sample(seed + 1, (3, 2))", "sample(seed + 2, (3,))"),
    "mixture": ("sample(seed + 1, (2, 5, 5))", "(sample(seed + 50, (7, 5)), sample(seed + 51, (7, 2)))"),
    "chain": ("(sample(seed, (2,)), sample(seed + 1, ()))", "return (sample(seed, (5,)),)"),
    "kinetics": ("(sample(seed, ()), sample(seed + 1, (2,)))", '"rates", lambda seed: (sample(seed, (2,)),)'),
}


@pytest.mark.parametrize("name", CASES)
def test_an_example_has_the_shape_that_the_functions_imply_together(tmp_path: Path, name: str) -> None:
    said = generated(tmp_path, {name: CASES[name]})
    assert "not tried" not in said
    text = suite_text(tmp_path, name)
    assert [example for example in EXAMPLES[name] if example not in text] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_all_that_they_imply_fits(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, CASES[name])
