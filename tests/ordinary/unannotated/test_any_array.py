"""Arrays of which no annotation says the shape, as `jax.Array`: the code says it, and the class stays as it is written."""

import argparse
import ast
import collections
import plistlib
import pprint
import pydoc
import statistics
from pathlib import Path
from types import ModuleType

import pytest

from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.skeletons.shapes.of_class import shapes_by_class
from tests.ordinary.generated import generated, suite_text, whole_suite
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, PRNGKeyArray
"""
CLASSES = {
    "dense": """
class Dense(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __init__(self, in_size, out_size, key):
        first, second = jax.random.split(key)
        self.weight = jax.random.normal(first, (out_size, in_size))
        self.bias = jax.random.normal(second, (out_size,))

    def __call__(self, x):
        return self.weight @ x + self.bias
""",
    "stack": """
class Stack(eqx.Module):
    layers: list
    shift: jax.Array

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.layers = [eqx.nn.Linear(2, 8, key=first), eqx.nn.Linear(8, 2, key=second)]
        self.shift = jnp.ones(2)

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = jax.nn.relu(layer(x))
        return self.layers[-1](x) + self.shift
""",
    "given": """
class Given(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    scale: float = eqx.field(static=True, default=2.0)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * (self.weight @ x + self.bias)

    def inverse(self, y: jax.Array) -> jax.Array:
        return jnp.linalg.pinv(self.weight) @ (y / self.scale - self.bias)
""",
    "squeeze": """
class Squeeze(eqx.Module):
    pool: eqx.nn.AdaptiveAvgPool2d
    most: eqx.nn.MaxPool2d
    conv: eqx.nn.Conv2d
    last: eqx.Module

    def __init__(self, channels: int, layer=eqx.nn.Linear, *, key: jax.Array):
        self.pool = eqx.nn.AdaptiveAvgPool2d(2)
        self.most = eqx.nn.MaxPool2d(2)
        first, second = jax.random.split(key)
        self.conv = eqx.nn.Conv2d(channels, 3, 1, key=first)
        self.last = layer(channels, channels, key=second)

    def __call__(self, x):
        scale = self.pool(x)
        return self.conv(self.most(scale))

    def mixed(self, x):
        return self.last(x)
""",
    "scanned": """
class Scanned(eqx.Module):
    cell: eqx.Module
    out: eqx.nn.Linear
    width: int = eqx.field(static=True)

    def __init__(self, in_size, width, *, key):
        first, second = jax.random.split(key)
        self.cell = eqx.nn.GRUCell(in_size, width, key=first)
        self.out = eqx.nn.Linear(width, 1, key=second)
        self.width = width

    def __call__(self, xs):
        def step(hidden, x):
            return self.cell(x, hidden), None

        hidden, _ = jax.lax.scan(step, jnp.zeros((self.width,), xs.dtype), xs)
        return self.out(hidden)
""",
    "field": """
class Field(eqx.Module):
    mlp: eqx.nn.MLP

    def __init__(self, size, *, key, **kwargs):
        super().__init__(**kwargs)
        self.mlp = eqx.nn.MLP(in_size=size, out_size=size, width_size=4, depth=1, key=key)

    def __call__(self, t, y, args):
        return self.mlp(y)
""",
    "block": """
class Block(eqx.Module):
    norm: eqx.nn.LayerNorm
    attention: eqx.nn.MultiheadAttention
    dropout: eqx.nn.Dropout

    def __init__(self, size: int, heads: int, rate: float, key):
        self.norm = eqx.nn.LayerNorm(size)
        self.attention = eqx.nn.MultiheadAttention(heads, size, key=key)
        self.dropout = eqx.nn.Dropout(rate)

    def __call__(self, x: Array, enable_dropout: bool, key) -> Array:
        inner = jax.vmap(self.norm)(x)
        x = x + self.attention(inner, inner, inner)
        return self.dropout(x, inference=not enable_dropout, key=key)
""",
    "adapted": """
class Adapted(eqx.Module):
    base: eqx.nn.Linear
    down: Float[Array, "rank in_features"]
    up: Float[Array, "out_features rank"]

    def __init__(self, base: eqx.nn.Linear, rank: int, *, key: PRNGKeyArray):
        self.base = base
        self.down = jax.random.normal(key, (rank, base.in_features)) / rank
        self.up = jnp.zeros((base.out_features, rank))

    def __call__(self, x: Float[Array, " in_features"]) -> Float[Array, " out_features"]:
        return self.base(x) + self.up @ (self.down @ x)
""",
    "normalised": """
class Normalised(nnx.Module):
    def __init__(self, din, dmid, dout, rngs: nnx.Rngs):
        self.inner = nnx.Linear(din, dmid, rngs=rngs)
        self.norm = nnx.BatchNorm(dmid, rngs=rngs)
        self.outer = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x):
        return self.outer(nnx.relu(self.norm(self.inner(x))))
""",
    "point": """
@jax.tree_util.register_pytree_node_class
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def tree_flatten(self):
        return (self.x, self.y), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

    def norm(self):
        return jnp.sqrt(self.x**2 + self.y**2)
""",
    "weights": """
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Weights:
    w: jax.Array
    b: jax.Array
    activation: str = dataclasses.field(default="relu", metadata={"static": True})

    def apply(self, x):
        y = x @ self.w + self.b
        return jnp.maximum(y, 0) if self.activation == "relu" else jnp.tanh(y)
""",
    "tokens": """
class Tokens(eqx.Module):
    embed: eqx.nn.Embedding
    places: Array
    head: eqx.nn.Linear

    def __init__(self, vocab, dim, length, *, key):
        first, second, third = jax.random.split(key, 3)
        self.embed = eqx.nn.Embedding(vocab, dim, key=first)
        self.places = 0.02 * jax.random.normal(second, (length, dim))
        self.head = eqx.nn.Linear(dim, vocab, key=third)

    def __call__(self, tokens):
        x = jax.vmap(self.embed)(tokens) + self.places[: tokens.shape[0]]
        return jax.vmap(self.head)(x)
""",
    "lowrank": """
class Lowrank(nnx.Module):
    def __init__(self, linear: nnx.Linear, rank: int, rngs: nnx.Rngs):
        self.linear = linear
        self.down = nnx.Param(jax.random.normal(rngs(), (linear.in_features, rank)))
        self.up = nnx.Param(jnp.zeros((rank, linear.out_features)))

    def __call__(self, x: jax.Array):
        return self.linear(x) + x @ self.down @ self.up
""",
    "step": """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Stats:
    mean: jax.Array
    count: jax.Array

    def update(self, batch):
        total = self.count + batch.shape[0]
        return Stats(self.mean + (batch.mean(0) - self.mean) / total, total)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Step:
    stats: Stats
    count: jax.Array
    key: jax.Array

    def noise(self):
        return jax.random.normal(jax.random.fold_in(self.key, self.count), (3,))
""",
}
IN_TESTS = {
    "squeeze": (
        "return (sample(seed, (2, 8, 8)),)",
        'Method("mixed", lambda seed: (sample(seed, (2,)),))',
    ),
    "dense": ('Leaf("weight", "param"),', "        return (sample(seed, (2,)),)\n"),
    "stack": ('Leaf("layers", "module"),', "        return (sample(seed, (2,)),)\n"),
    "given": ('"weight": sample(seed, (3, 2)),', 'Method("inverse", lambda seed: (sample(seed, (3,)),))'),
    "scanned": ('severity = "fault"', "        return (sample(seed, (5, 2)),)\n"),
    "field": ('ignored = ("t", "args")',),
    "block": ('"heads": 3,', '"size": 6,'),
    "adapted": ('"base": eqx.nn.Linear(3, 5, key=jax.random.key(seed + 100)),',),
    "normalised": ("        return (sample(seed, (7, 2)),)\n",),
    "point": ('"x": sample(seed, (2,)),', '"y": sample(seed + 1, (2,)),'),
    "tokens": ('        return (sample(seed, (7,), "int32"),)\n',),
    "lowrank": ('"linear": nnx.Linear(2, 5, rngs=nnx.Rngs(seed + 100)),',),
    "step": (
        'Method("update", lambda seed: (sample(seed + 50, (2, 3)),))',
        "mean=sample(seed + 100, (3,)), count=sample(seed + 101, (3,))",
        '"count": sample(seed + 1, (), "int32"),',
    ),
    "weights": ('"w": sample(seed, (2, 3)),', '"b": sample(seed + 1, (3,)),'),
}


@pytest.mark.spread(24)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_with_the_shapes_that_its_code_asks_for(tmp_path: Path, name: str) -> None:
    said = generated(tmp_path, {name: HEAD + CLASSES[name]})
    assert "not trie" not in said and "not tested" not in said
    assert CLASSES[name].splitlines()[-1] in (tmp_path / "nets" / f"{name}.py").read_text("utf-8")
    suite = suite_text(tmp_path, name)
    for line in IN_TESTS[name]:
        assert line in suite
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 40


def test_a_pooling_keeps_the_channels_and_an_argument_makes_the_layer_of_its_default(tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, "squeeze", HEAD + CLASSES["squeeze"])
    assert [line for line in IN_TESTS["squeeze"] if line not in suite] == []


def test_the_arrays_that_an_own_constructor_draws_are_trained(tmp_path: Path) -> None:
    text = CLASSES["dense"].replace("        self.bias", "        super().__init__()\n        self.bias")
    text = text.replace("jax.Array", 'Float[Array, "..."]')
    generated(tmp_path, {"dense": HEAD + text})
    emitted = (tmp_path / "nets/dense.py").read_text("utf-8")
    assert "def trainable" not in emitted, "all is trained"
    assert 'Leaf("weight", "param")' in suite_text(tmp_path, "dense")


def test_what_is_given_beside_what_is_trained_is_trained_as_in_equinox_and_a_line_says_so(
    tmp_path: Path,
) -> None:
    text = """
class Masked(eqx.Module):
    mask: Array
    gain: Array

    def __init__(self, mask: Array, *, key):
        self.mask = mask
        self.gain = jax.random.normal(key, mask.shape)
"""
    head = HEAD + "from scaffold.skeleton import Module, param\n"
    marked = head + text.replace("gain: Array", "gain: Array = param()")
    said = generated(tmp_path / "marked", {"masked": marked})
    assert "Masked: taken for trained, as Equinox does: mask (`data()` says otherwise)\n" in said
    assert "taken for" not in generated(tmp_path / "plain", {"masked": HEAD + text}), "it stays as it is"
    write_tree(tmp_path, {"specs/masked.py": head + text.replace("eqx.Module", "Module")})
    said = scaffold(tmp_path, "new-module", "--spec=specs/masked.py").stderr
    assert "fields.mask.role: nothing says whether it is trained (other parts of the class are)\n" in said


@pytest.mark.spread(7)
@pytest.mark.parametrize("module", [plistlib, argparse, ast, collections, pprint, pydoc, statistics])
def test_code_that_knows_no_arrays_is_read_as_well(module: ModuleType) -> None:
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    beside = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name, shapes in shapes_by_class(classes, beside).items():
        functions = [part for part in classes[name].body if isinstance(part, ast.FunctionDef)]
        types = [shapes.of_argument(each.name, part.arg) for each in functions for part in each.args.args]
        types += [
            shapes.of_field(part.attr) for part in ast.walk(classes[name]) if isinstance(part, ast.Attribute)
        ]
        assert all(isinstance(parse_type(text), ArrayType) for text in types if text)
