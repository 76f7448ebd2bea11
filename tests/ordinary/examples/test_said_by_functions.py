"""Examples that functions of the file, and methods, say, the lists that a constructor fills, and convolutions."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

HEAD = """
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float, Int
from scaffold.skeleton import test

"""

CLASSES = {
    "linear": (
        """
def project(value: Float[Array, "*batch input"], weight: Float[Array, "output input"]):
    return jnp.einsum("...i,oi->...o", value, weight)


class Linear(eqx.Module):
    weight: Float[Array, "axis0 axis1"]
    bias: Float[Array, " output"] | None = None

    def __call__(self, value: Float[Array, "*batch input"]) -> Float[Array, "*batch output"]:
        output = project(value, self.weight)
        return output if self.bias is None else output + self.bias
""",
        ['"weight": sample(seed, (2, 3))', '"bias": sample(seed + 1, (2,))', "(2, 3, 3)"],
    ),
    "lora": (
        """
def project(value: Float[Array, "*batch input"], weight: Float[Array, "output input"]):
    return jnp.einsum("...i,oi->...o", value, weight)


class Lora(eqx.Module):
    weight: Float[Array, "*stack output input"]
    lora_a: Float[Array, "*stack rank input"]

    def __call__(self, value: Float[Array, "*batch input"]) -> Float[Array, "*batch output"]:
        return project(value, self.weight) + project(value, self.lora_a).sum(-1, keepdims=True)
""",
        ['"weight": sample(seed, (2, 3))', '"lora_a": sample(seed + 1, (5, 3))'],
    ),
    "rows": (
        """
class Rows(eqx.Module):
    weight: Float[Array, "m n"]

    def one(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        return self.weight @ x

    def each(self, x: Float[Array, "k n"], bias):
        return jax.vmap(self.one, out_axes=0)(x) + bias

    def centred(self, x: Float[Array, "k n"], shift):
        return jnp.sum(x, 0, keepdims=True) + shift
""",
        ["(5, 3)), sample(seed + 51, (5, 2))", "(5, 3)), sample(seed + 51, (7, 3))"],
    ),
    "mono": (
        """
class Mono(nnx.Module):
    def __init__(self, in_features: int, units: int, *, rngs: nnx.Rngs):
        self.weight = nnx.Param(nnx.initializers.normal()(rngs.params(), (in_features, units)))

    def __call__(self, x: jnp.ndarray) -> jnp.ndarray:
        return dense(x, self.weight[...])


def dense(x, weight):
    return x @ jnp.abs(weight)
""",
        ["sample(seed, (2,))"],
    ),
    "conv": (
        """
class Conv(eqx.Module):
    weight: jnp.ndarray

    def __init__(self, inputs: int, outputs: int, size: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (size, size, inputs, outputs))

    def __call__(self, x: jnp.ndarray) -> jnp.ndarray:
        return jax.lax.conv_general_dilated(
            x, self.weight, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
""",
        ["8, 8, 2)"],
    ),
    "spectral": (
        """
class Spectral(eqx.Module):
    weights: list[jax.Array]

    def __init__(self, modes: int, channels: int, key):
        self.weights = []
        for k in jax.random.split(key, 4):
            self.weights.append(jax.random.uniform(k, (channels, channels, modes, modes)))

    def mul(self, a, b):
        return jnp.einsum("ixy,ioxy->oxy", a, b)

    def __call__(self, x: jax.Array):
        return self.mul(x, self.weights[0])
""",
        ["sample(seed, (2, 3, 3))"],
    ),
    "filled": (
        """
class Filled(eqx.Module):
    layers: tuple[eqx.nn.Linear, ...]

    def __init__(self, in_size: int = 2, width: int = 3, depth: int = 3, *, key: jax.Array):
        layers = []
        if depth == 0:
            layers.append(eqx.nn.Linear(in_size, 1, key=key))
        else:
            layers.append(eqx.nn.Linear(in_size, width, key=key))
        self.layers = tuple(layers)

    def __call__(self, x: Array) -> Array:
        for layer in self.layers[:-1]:
            x = jax.nn.tanh(layer(x))
        return self.layers[-1](x)
""",
        ["sample(seed, (2,))"],
    ),
    "layout": (
        """
@jax.tree_util.register_pytree_node_class
@dataclass(frozen=True, eq=False)
class Layout:
    size_: int
    indices: np.ndarray

    def tree_flatten(self):
        return (self.indices,), self.size_

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(aux, *children)

    def unpack(self, vector):
        if vector.shape != (self.indices.size,):
            raise ValueError("wrong shape")
        return jnp.zeros(self.size_).at[jnp.asarray(self.indices)].set(vector)
""",
        ['"unpack"'],
    ),
    "given": (
        """
@test(values={"weight": lambda: jnp.ones((2, 4)), "value": lambda: jnp.ones((5, 4))})
class Given(eqx.Module):
    weight: Float[Array, "*stack output input"]

    def __call__(self, value: Float[Array, "*batch input"]) -> Float[Array, "*batch output"]:
        return jnp.einsum("...i,oi->...o", value, self.weight)
""",
        ['Leaf("weight", "param", (2, 4))', "Output((5, 2))"],
    ),
    "pool": (
        """
class Pool(eqx.Module):
    weight: Array

    def __init__(self, size: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (size, size, 1, 1))

    def __call__(self, x: Float[Array, "n h w 1"]):
        return jax.lax.conv_general_dilated(
            x, self.weight, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
""",
        ["sample(seed, (2, 4, 5, 1))"],
    ),
    "graph": (
        """
class Graph(eqx.Module):
    weight: Float[Array, "out in_"]

    def messages(self, edges: Float[Array, "edges in_"], senders: Int[Array, " edges"]):
        return (edges @ self.weight.T)[senders]

    def __call__(self, edges, senders):
        return self.messages(edges, senders).sum(0)
""",
        ["def arguments", '"int32"'],
    ),
    "labelled": (
        """
class Labelled(eqx.Module):
    linear: eqx.nn.Linear

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.vmap(self.linear)(x)

    def loss(self, x: jax.Array, labels: jax.Array) -> jax.Array:
        log_probs = jax.nn.log_softmax(self(x))
        return -jnp.mean(jnp.take_along_axis(log_probs, labels[:, None], axis=-1))
""",
        ['(sample(seed, (2, 3)), sample(seed + 1, (2,), "int32"))'],
    ),
    "mixer": (
        """
@dataclass
class Config:
    d_model: int
    head_dim: int = 64

    def __post_init__(self):
        assert self.d_model % self.head_dim == 0
        self.heads = self.d_model // self.head_dim


class Mixer(nnx.Module):
    def __init__(self, config: Config, *, rngs: nnx.Rngs):
        self.proj = nnx.Linear(config.d_model, config.d_model, rngs=rngs)

    def __call__(self, x):
        return self.proj(x)
""",
        ["Config(d_model=64)"],
    ),
}


@pytest.mark.spread(12)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_with_what_the_code_says(name: str, tmp_path: Path) -> None:
    code, made = CLASSES[name]
    tried(tmp_path, name, HEAD + code, least=40)
    tests = suite_text(tmp_path, name)
    assert [text for text in made if text not in tests] == []
