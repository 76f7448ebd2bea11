"""Sizes of data that the code of a class, or of a part, cuts: by modes, by a window, by how many of the largest it takes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried

SPECTRAL = """import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, module, param, static, test


@test(unused=["imag"])  # of the constant part
class SpectralConv(Module):
    real: Float[Array, "in_channels out_channels modes"] = param("normal(0.1)")
    imag: Float[Array, "in_channels out_channels modes"] = param("normal(0.1)")
    modes: int = static()

    def __call__(self, x: Float[Array, "in_channels n"]) -> Float[Array, "out_channels n"]:
        n = x.shape[-1]
        spectrum = jnp.fft.rfft(x)[:, : self.modes]
        weight = self.real + 1j * self.imag
        mixed = jnp.einsum("im,iom->om", spectrum, weight)
        padded = jnp.zeros((mixed.shape[0], n // 2 + 1), mixed.dtype).at[:, : self.modes].set(mixed)
        return jnp.fft.irfft(padded, n)


class Block(Module):
    conv: SpectralConv = module(lambda width, modes, key: SpectralConv.create(width, width, modes, key=key))
    skip: Float[Array, "width width"] = param("lecun_normal")

    def __call__(self, x: Float[Array, "width n"]) -> Float[Array, "width n"]:
        return jax.nn.gelu(self.conv(x) + self.skip @ x)
"""
FRAMES = """import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float


class Frames(eqx.Module):
    window: Float[Array, " fft_size"]
    hop: int = eqx.field(static=True)

    def __init__(self, fft_size: int = 64):
        self.window = jnp.ones(fft_size)
        self.hop = fft_size // 4

    def __call__(self, audio: Float[Array, " samples"]) -> Float[Array, "frames fft_size"]:
        size = self.window.shape[0]
        starts = jnp.arange(0, audio.shape[0] - size + 1, self.hop)
        return audio[starts[:, None] + jnp.arange(size)] * self.window
"""
TOP = """import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, module, param, static


class Router(Module):
    weight: Float[Array, "experts size"] = param("normal(0.02)")
    k: int = static(2)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " k"]:
        return jax.lax.top_k(self.weight @ x, self.k)[0]


class Top(Module):
    router: Router = module()

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, ""]:
        return self.router(x).sum()
"""
GRAPH = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray


class Graph(NamedTuple):
    nodes: Float[Array, "node feature"]
    edges: Float[Array, "edge edge_feature"]
    senders: Int[Array, " edge"]
    receivers: Int[Array, " edge"]


class Update(eqx.Module):
    edge_mlp: eqx.nn.Linear
    node_mlp: eqx.nn.Linear

    def __init__(self, node_size: int, edge_size: int, *, key: PRNGKeyArray):
        edge_key, node_key = jax.random.split(key)
        self.edge_mlp = eqx.nn.Linear(2 * node_size + edge_size, edge_size, key=edge_key)
        self.node_mlp = eqx.nn.Linear(node_size + edge_size, node_size, key=node_key)

    def __call__(self, graph: Graph) -> Graph:
        ends = jnp.concatenate([graph.nodes[graph.senders], graph.nodes[graph.receivers], graph.edges], axis=-1)
        messages = jax.vmap(self.edge_mlp)(ends)
        received = jax.ops.segment_sum(messages, graph.receivers, graph.nodes.shape[0])
        nodes = jax.vmap(self.node_mlp)(jnp.concatenate([graph.nodes, received], -1))
        return graph._replace(nodes=nodes, edges=graph.edges + messages)


class Rounds(eqx.Module):
    rounds: list[Update]

    def __init__(self, size: int, width: int, depth: int = 2, *, key: PRNGKeyArray):
        self.rounds = [Update(size, width, key=k) for k in jax.random.split(key, depth)]

    def __call__(self, graph: Graph) -> Float[Array, ""]:
        for update in self.rounds:
            graph = update(graph)
        return jnp.mean(graph.nodes)
"""
CLASSES = {
    "frames": (FRAMES, "return (sample(seed, (17,)),)"),
    "spectral": (SPECTRAL, "return (sample(seed, (2, 11)),)"),
    "top": (TOP, "Router.create("),
    "graph": (GRAPH, "nodes=sample(seed + 100, (5, 2)),"),
}


def test_data_are_as_long_as_the_code_asks(tmp_path: Path) -> None:
    generated(tmp_path, {name: text for name, (text, _) in CLASSES.items()})
    for name, (_, line) in CLASSES.items():
        assert line in suite_text(tmp_path, name), name
    spectral = suite_text(tmp_path, "spectral")
    graphs = suite_text(tmp_path, "graph")
    assert graphs.count("nodes=sample(seed + 100, (5, 2))") == 2, (
        "what is made of a class that ties them has them too"
    )
    assert spectral.count("sample(seed, (2, 11))") == 2, "a block around a layer that cuts has as many"


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", CLASSES)
def test_its_tests_pass(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, CLASSES[name][0])
