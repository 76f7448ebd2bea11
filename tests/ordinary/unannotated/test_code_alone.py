"""Classes of which the code alone says what they take: layers, cells, pictures, and nodes that are registered."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

HEAD = """
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param, static
"""

CLASSES = {
    "residual": """
class Residual(eqx.Module):
    body: Callable
    gain: jax.Array

    def __call__(self, x):
        return x + self.gain * self.body(x)


class Flow(eqx.Module):
    net: Callable
    last: Callable
    gain: jax.Array

    def __init__(self, size, *, key):
        self.net = eqx.nn.MLP(size, size, 8, 2, key=key)
        self.last = jax.nn.softplus
        self.gain = jnp.ones(size)

    def __call__(self, x):
        return self.last(self.gain * self.net(x))
""",
    "stack": """
class Stack(eqx.Module):
    layers: list
    last: eqx.nn.Linear

    def __init__(self, n, m, *, key):
        first, second, third = jax.random.split(key, 3)
        linear = partial(eqx.nn.Linear, use_bias=False)
        self.layers = [linear(n, m, key=first), linear(m, m, key=second)]
        self.last = linear(m, 1, key=third)

    def __call__(self, x):
        for layer in self.layers:
            x = jax.nn.relu(layer(x))
        return self.last(x)
""",
    "blocks": """
class Blocks(nnx.Module):
    def __init__(self, n, m, wide=True, *, rngs):
        norm = nnx.LayerNorm if wide else nnx.RMSNorm

        def dense(inputs, outputs):
            return nnx.Linear(inputs, outputs, rngs=rngs)

        self.norm = norm(n, rngs=rngs)
        self.first = dense(n, m)
        self.second = dense(m, n)

    def __call__(self, x):
        return self.second(jax.nn.relu(self.first(self.norm(x))))
""",
    "cell": """
class Cell(eqx.Module):
    w_in: jax.Array
    w_rec: jax.Array

    def __init__(self, n, m, *, key):
        first, second = jax.random.split(key)
        self.w_in = jax.random.normal(first, (m, n))
        self.w_rec = jax.random.normal(second, (m, m))

    def __call__(self, state, x):
        v, s = state
        v = 0.9 * v + self.w_in @ x + self.w_rec @ s
        return (v, jnp.tanh(v)), v


class Net(eqx.Module):
    cell: Cell
    readout: eqx.nn.Linear

    def __init__(self, n, m, *, key):
        first, second = jax.random.split(key)
        self.cell = Cell(n, m, key=first)
        self.readout = eqx.nn.Linear(m, 2, key=second)

    def __call__(self, xs):
        init = (jnp.zeros(self.cell.w_rec.shape[0]),) * 2
        _, vs = jax.lax.scan(lambda s, x: self.cell(s, x), init, xs)
        return self.readout(vs[-1])
""",
    "pictures": """
class Pictures(eqx.Module):
    first: eqx.nn.Conv2d
    second: eqx.nn.Conv2d
    norm: eqx.nn.LayerNorm

    def __init__(self, channels, width, *, key):
        one, two = jax.random.split(key)
        self.first = eqx.nn.Conv2d(channels, width, 3, padding=1, key=one)
        self.second = eqx.nn.Conv2d(width, width, kernel_size=(2, 2), stride=2, key=two)
        self.norm = eqx.nn.LayerNorm(width)

    def __call__(self, image):
        features = self.second(jax.nn.relu(self.first(image)))
        return self.norm(features.mean((1, 2)))

    def columns(self, image):
        return jax.vmap(self.norm, in_axes=1, out_axes=1)(image)


class Images(nnx.Module):
    def __init__(self, channels: int, width: int, *, rngs: nnx.Rngs):
        self.stem = nnx.Conv(channels, width, kernel_size=(3, 3), rngs=rngs)
        self.next = nnx.Conv(width, 2, (3, 3), strides=2, rngs=rngs)

    def __call__(self, images: jax.Array) -> jax.Array:
        return jnp.mean(self.next(nnx.relu(self.stem(images))), axis=(1, 2))
""",
    "lines": """
class Line(eqx.Module):
    slope: jax.Array
    shift: jax.Array

    @classmethod
    def default(cls):
        return cls(jnp.ones(3), jnp.zeros(3))

    def __call__(self, x):
        return self.slope * x + self.shift


@jax.tree_util.register_pytree_node_class
class Turn:
    def __init__(self, quarter):
        self.quarter = quarter

    def tree_flatten(self):
        return (self.quarter,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        turn = object.__new__(cls)
        turn.quarter = children[0]
        return turn

    @classmethod
    def none(cls):
        return cls(jnp.array([1.0, 0.0, 0.0, 0.0]))

    def inverse(self):
        return Turn(self.quarter * jnp.array([1.0, -1.0, -1.0, -1.0]))
""",
    "plate": """
class Wave(eqx.Module):
    phase: jax.Array
    shape: Callable[[jax.Array], jax.Array]

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.shape(x + self.phase)


class Plate(eqx.Module):
    phase: jax.Array
    aperture: jax.Array | None = None

    def __call__(self, field):
        out = field * jnp.cos(self.phase)
        return out if self.aperture is None else out * self.aperture


class Screen(eqx.Module):
    plates: list[Plate]
    order: int = eqx.field(static=True, default=1)

    def __init__(self, size, depth=2, order=1, *, key):
        self.plates = [Plate(jax.random.normal(k, (size,))) for k in jax.random.split(key, depth)]
        self.order = order

    def __check_init__(self):
        if self.order not in (0, 1):
            raise ValueError(f"order is 0 or 1, not {self.order}")

    @classmethod
    def flat(cls, size: int, order: int = 1) -> "Screen":
        return cls(size, 1, order, key=jax.random.key(0))
""",
    "slots": """
class Slots(nnx.Module):
    def __init__(self, size, slots, width, dilation, *, rngs):
        self.mean = nnx.Param(jax.random.normal(rngs.params(), (width,)))
        self.embed = nnx.Linear(size, width, rngs=rngs)
        self.gates = nnx.Conv(width, width, (2,), kernel_dilation=dilation, padding="CAUSAL", rngs=rngs)
        self.head = nnx.Linear(width, size, rngs=rngs)
        self.slots = slots

    def start(self) -> jax.Array:
        return jnp.ones((self.slots, 1)) * self.mean[...]

    def __call__(self, x):
        return self.head(self.gates(self.embed(x) + self.start().mean(0)))


class Encoder(nnx.Module):
    def __init__(self, *sizes: int, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(n, m, rngs=rngs) for n, m in pairwise(sizes)])

    @property
    def last(self):
        *_, last = self.layers
        return last


class Coded(nnx.Module):
    def __init__(self, levels: int, width: int, depth: int = 2, *, rngs: nnx.Rngs):
        self.embed = nnx.Embed(levels, width, rngs=rngs)
        self.blocks = nnx.List([nnx.Linear(width, width, rngs=rngs) for _ in range(depth)])
        self.mix = nnx.Param(jnp.ones(depth))

    def __call__(self, codes: jax.Array) -> jax.Array:
        x = self.embed(codes)
        for weight, block in zip(self.mix[...], self.blocks):
            x = x + weight * block(x)
        return x
""",
    "memory": """
class Memory(Module):
    keys: Float[Array, "heads depth size"] = param()
    taps: Float[Array, "width size"] = param()
    heads: int = static()

    def __init__(self, size: int, heads: int = 2, width: int = 4, *, key: jax.Array) -> None:
        first, second = jax.random.split(key)
        shape = (heads, size // heads, size)
        self.keys = jax.random.normal(first, shape) / size**0.5
        self.taps = jax.random.normal(second, (width, size))
        self.heads = heads

    def __call__(self, x: Float[Array, "time size"]) -> Float[Array, "time heads depth"]:
        width, size = self.taps.shape
        kept = jax.lax.conv_general_dilated(
            x[None],
            self.taps[:, None, :],
            window_strides=(1,),
            padding=[(width - 1, 0)],
            dimension_numbers=("NWC", "WIO", "NWC"),
            feature_group_count=size,
        )
        return jnp.einsum("hds,ts->thd", self.keys, kept[0])


class Sketch(Module):
    rows: Float[Array, "capacity size"] = data()

    def leading(self, count: int) -> Float[Array, "count size"]:
        return jnp.linalg.qr(self.rows.T @ self.rows).Q[:count]
""",
    "ring": """
@jax.tree_util.register_pytree_node_class
class Ring:
    def __init__(self, points, mixing=1.0):
        self.points = points
        self.mixing = mixing

    @classmethod
    def empty(cls, memory: int, size: int) -> "Ring":
        return cls(jnp.zeros((memory, size)))

    def tree_flatten(self):
        return (self.points,), (self.mixing,)

    @classmethod
    def tree_unflatten(cls, settings, children):
        new = object.__new__(cls)
        (new.points,), (new.mixing,) = children, settings
        return new

    def total(self):
        return self.mixing * self.points.sum()
""",
}
EMITTED = {
    "residual": (
        "    body: Callable\n",
        "    net: Callable\n    last: Callable\n",
    ),
    "plate": (
        "    aperture: jax.Array | None = None\n",
        "    shape: Callable[[jax.Array], jax.Array]\n",
    ),
}


@pytest.mark.spread(12)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_as_it_is_written_and_its_tests_pass(tmp_path: Path, name: str) -> None:
    module = tried(tmp_path, name, HEAD + CLASSES[name])
    for text in EMITTED.get(name, ()):
        assert text in module
