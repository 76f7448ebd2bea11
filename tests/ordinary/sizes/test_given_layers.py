"""Layers of Equinox and Flax that a class is given: its code says how wide they are, and a class of layers alone stays as it is."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried

HEAD = """
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

"""

CHAIN = """
class Chain(eqx.Module):
    first: eqx.nn.Linear
    norm: eqx.nn.LayerNorm
    second: eqx.nn.Linear
    activation: Callable = jax.nn.gelu

    def __call__(self, x):
        x = self.norm(self.activation(self.first(x)))
        return x + self.second(x)
"""

CLASSES = {
    "said": (
        """
class Said(eqx.Module):
    linear: eqx.nn.Linear

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return jax.nn.relu(self.linear(x))
""",
        ["eqx.nn.Linear(2, 2, "],
    ),
    "several": (
        """
class Several(eqx.Module):
    layers: tuple[eqx.nn.Linear, ...]
    final: Callable[[jax.Array], jax.Array]

    def __init__(self, layers, final=jax.nn.sigmoid):
        self.layers = tuple(layers)
        self.final = final

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.final(x)
""",
        [
            "eqx.nn.Linear(2, 2, key=jax.random.key(seed + 100))",
            "eqx.nn.Linear(2, 2, key=jax.random.key(seed + 1100))",
        ],
    ),
    "trainer": (
        """
class Rates(eqx.Module):
    weight: jax.Array

    def __init__(self, n: int, *, key):
        self.weight = jax.random.normal(key, (n, n))

    def __call__(self, c):
        return self.weight @ c


class Trainer(eqx.Module):
    model: Rates

    @staticmethod
    def loss(model, concentrations, derivatives):
        return jnp.mean((jax.vmap(model)(concentrations) - derivatives) ** 2)

    def step(self, concentrations, derivatives):
        loss, grads = eqx.filter_value_and_grad(self.loss)(self.model, concentrations, derivatives)
        return eqx.apply_updates(self.model, jax.tree.map(lambda g: -0.1 * g, grads)), loss
""",
        ["sample(seed, (3, 2)), sample(seed + 1, (3, 2))", "model=instance.model"],
    ),
    "block": (
        """
class Block(eqx.Module):
    attention: eqx.nn.MultiheadAttention
    norm: eqx.nn.LayerNorm
    dropout: eqx.nn.Dropout
    mlp: eqx.nn.Sequential

    def __call__(self, x, *, key=None):
        y = jax.vmap(self.norm)(x)
        x = x + self.attention(y, y, y)
        return x + self.dropout(jax.vmap(self.mlp)(x), key=key)
""",
        ["eqx.nn.LayerNorm(3)", "eqx.nn.Linear(3, 3, "],
    ),
    "image": (
        """
class Image(eqx.Module):
    conv: eqx.nn.Conv2d
    act: eqx.nn.PReLU
    last: eqx.nn.Lambda

    def __call__(self, x):
        return self.last(self.act(self.conv(x)))
""",
        ["eqx.nn.Conv2d(2, 3, 3, ", "sample(seed, (2, 8, 8))"],
    ),
    "table": (
        """
class Table(eqx.Module):
    table: eqx.nn.Embedding
    mlp: eqx.nn.MLP

    def __call__(self, index):
        return self.mlp(self.table(index))
""",
        ["eqx.nn.MLP(2, 3, 7, 2, ", "eqx.nn.Embedding(3, 2, "],
    ),
    "residual": (
        """
class Residual(eqx.Module):
    inner: eqx.Module

    def __call__(self, x):
        return x + self.inner(x)
""",
        ["eqx.nn.Linear(2, 2, "],
    ),
    "stopped": (
        """
class Stopped(eqx.Module):
    base: eqx.nn.Linear
    down: Float[Array, "rank size"]

    def __init__(self, base: eqx.nn.Linear, rank: int = 2, *, key: jax.Array):
        self.base = base
        bound = 1 / rank**0.5
        self.down = bound * jax.random.normal(key, (rank, base.in_features))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " out"]:
        base = jax.lax.stop_gradient(self.base)
        return base(x) + (self.down @ x).sum()
""",
        ["eqx.nn.Linear(3, 5, ", "sample(seed, (3,))"],
    ),
    "wrapped": (
        """
class Wrapped(nnx.Module):
    def __init__(self, layer: nnx.Linear, norm: nnx.LayerNorm, *, rngs: nnx.Rngs):
        self.layer = layer
        self.norm = norm
        self.scale = nnx.Param(jnp.ones(()))

    def __call__(self, x):
        return self.norm(nnx.relu(self.layer(x))) * self.scale
""",
        ["nnx.Linear(3, 5, ", "nnx.LayerNorm(5, "],
    ),
}


@pytest.mark.slow
def test_a_class_of_layers_alone_is_emitted_as_it_stands(tmp_path: Path) -> None:
    assert tried(tmp_path, "chain", HEAD + CHAIN).endswith(CHAIN)
    assert sorted(path.name for path in (tmp_path / "nets").glob("*.py")) == ["chain.py"]


@pytest.mark.spread(12)
@pytest.mark.parametrize("name", CLASSES)
def test_layers_are_as_wide_as_the_code_says(name: str, tmp_path: Path) -> None:
    code, made = CLASSES[name]
    tried(tmp_path, name, HEAD + code, least=40)
    tests = " ".join(suite_text(tmp_path, name).split())
    assert [text for text in made if text not in tests] == []


def test_a_function_that_is_a_default_may_be_a_layer(tmp_path: Path) -> None:
    net = """
class Net(eqx.Module):
    activation: Callable

    def __init__(self, activation: Callable = jax.nn.gelu):
        self.activation = activation

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.activation(x)
"""
    generated(tmp_path, {"net": HEAD + net})
    assert (tmp_path / "nets/net.py").read_text("utf-8").endswith(net)


BLOCKS = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Block(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, dim: int, *, key):
        self.linear = eqx.nn.Linear(dim, dim, key=key)

    def __call__(self, x):
        return jax.nn.relu(self.linear(x))


class Residual(eqx.Module):
    inner: Block
    scale: jax.Array

    def __init__(self, inner: Block):
        self.inner = inner
        self.scale = jnp.ones(())

    def __call__(self, x):
        return x + self.scale * self.inner(x)


class Pair(eqx.Module):
    left: Block
    right: Block

    def both(self, xs):
        return jax.vmap(self.left)(xs) + jax.vmap(self.right)(xs)
"""


@pytest.mark.slow
def test_what_a_class_of_the_file_takes_is_known_of_one_that_is_given(tmp_path: Path) -> None:
    tried(tmp_path, "blocks", BLOCKS, least=150)
