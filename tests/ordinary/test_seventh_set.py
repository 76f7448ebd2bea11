"""What a seventh set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest

HEAD = """
from functools import partial
from typing import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
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
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_as_it_is_written_and_its_tests_pass(tmp_path: Path, name: str) -> None:
    emitted = tried(tmp_path, name, HEAD + CLASSES[name])
    if name == "residual":
        assert "    body: Callable[..., Any]\n" in emitted
        assert (
            "    net: Callable[..., Any]\n    last: Callable[..., Any] = eqx.field(static=True)\n" in emitted
        )


def test_the_arguments_of_a_lambda_that_a_constructor_stores_are_its_own(tmp_path: Path) -> None:
    text = """
class Head(eqx.Module):
    linear: eqx.nn.Linear
    act: Callable

    def __init__(self, n, *, key):
        self.linear = eqx.nn.Linear(n, n, key=key)
        self.act = lambda x: jax.nn.relu(x) ** 2

    def __call__(self, x):
        return self.act(self.linear(x))
"""
    generated(tmp_path, {"head": HEAD + text})
    assert "        self.act = lambda x: jax.nn.relu(x) ** 2\n" in (tmp_path / "nets/head.py").read_text(
        "utf-8"
    )
    failed = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "under jax.jit a second instance was traced anew" in failed.stdout, (
        "each instance has a function of its own"
    )


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_what_a_module_of_flax_sows_is_understood_and_its_growth_is_noticed(tmp_path: Path) -> None:
    text = """
class Net(nnx.Module):
    def __init__(self, din, dout, *, rngs):
        self.linear = nnx.Linear(din, dout, rngs=rngs)

    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "act", jnp.mean(y))
        return y
"""
    generated(tmp_path, {"net": HEAD + text})
    failed = forked_pytest(tmp_path / "nets", "--numbers=off", "-Wignore")
    assert "P12 purity, at `act`: the call updated it, and it is not among `updates`" in failed.stdout
