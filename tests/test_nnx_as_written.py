"""NNX modules as Flax's own code writes them: without annotations, with the Variables that their constructors choose."""

from pathlib import Path

from tests.forking import forked_pytest
from tests.projects import passed, scaffold
from tests.support import write_tree

HEAD = """
import abc

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Nnx, param, state


"""
NETWORK = """class Encoder(nnx.Module):
    def __init__(self, din, hidden, *, rngs):
        self.fc = nnx.Linear(din, hidden, rngs=rngs)
        self.bn = nnx.BatchNorm(hidden, rngs=rngs)
        self.hidden, self.is_deep = hidden, False

    def __call__(self, x: Float[Array, "b din"]):
        return nnx.relu(self.bn(self.fc(x)))


class Network(nnx.Module):
    def __init__(self, din, hidden, depth=2, *, rngs):
        self.encoder = Encoder(din, hidden, rngs=rngs)
        self.layers = nnx.List([nnx.Linear(hidden, hidden, rngs=rngs) for _ in range(depth)])
        self.scale = nnx.Param(jnp.ones(()))
        self.calls = nnx.Variable(jnp.zeros((), jnp.int32))
        self.depth = depth

    def __call__(self, x: Float[Array, "b din"]):
        self.calls[...] += 1
        x = self.encoder(x)
        for layer in self.layers:
            x = x + layer(x)
        return self.scale * x
"""
ATTENTION = """class Block(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.attention = nnx.MultiHeadAttention(2, width, decode=False, rngs=rngs)

    def __call__(self, x: Float[Array, "t width"]) -> Float[Array, "t width"]:
        return x + self.attention(x)


class Reader(nnx.Module):
    def __init__(self, words: int, width: int, *, rngs: nnx.Rngs):
        self.embed = nnx.Embed(words, width, rngs=rngs)
        self.block = Block(width, rngs=rngs)

    def __call__(self, tokens: Int[Array, " t"]) -> Float[Array, "t width"]:
        return self.block(self.embed(tokens))
"""
ANNOTATED = """class Annotated(Nnx):
    kernel: nnx.Param = param()
    bias: Float[Array, " dout"] = param()
    count: nnx.Variable = state()

    def __init__(self, din: int, dout: int, *, rngs: nnx.Rngs):
        self.kernel = nnx.Param(rngs.params.normal((din, dout)))
        self.bias = nnx.Param(jnp.zeros((dout,)))
        self.count = nnx.BatchStat(jnp.zeros((), jnp.int32))

    def __call__(self, x: Float[Array, "b din"]) -> Float[Array, "b dout"]:
        self.count[...] += 1
        return x @ self.kernel + self.bias
"""
FAMILY = """class Layer(abc.ABC, nnx.Module):
    @abc.abstractmethod
    def __call__(self, x): ...


class Scale(Layer):
    def __init__(self, n: int):
        self.s = nnx.Param(jnp.ones((n,)))

    def __call__(self, x: Float[Array, " n"]):
        return self.s * x


class Shifted(Scale):
    def __init__(self, n: int):
        super().__init__(n)
        self.t = nnx.Param(jnp.zeros((n,)))

    def __call__(self, x: Float[Array, " n"]):
        return super().__call__(x) + self.t


class Squashed(Scale):
    def __call__(self, x: Float[Array, " n"]):
        return jnp.tanh(super().__call__(x))


class Holder(nnx.Module):
    def __init__(self, n: int):
        self.layer = Shifted(n)

    def __call__(self, x: Float[Array, " n"]):
        return self.layer(x)
"""


def test_they_are_accepted_and_pass_their_tests(tmp_path: Path) -> None:
    texts = {"network": NETWORK, "attention": ATTENTION, "annotated": ANNOTATED, "family": FAMILY}
    write_tree(tmp_path, {f"specs/{name}.py": HEAD + text for name, text in texts.items()})
    write_tree(tmp_path, {"nets/readme.md": ""})
    made = scaffold(tmp_path / "nets", "new-module", *(f"--spec=../specs/{name}.py" for name in texts))
    assert made.returncode == 0, made.stderr
    assert "not tried" not in made.stdout and made.stdout.count("not tested") == 1  # `Layer` is abstract
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 700
    network = (tmp_path / "nets" / "network.py").read_text("utf-8")
    assert NETWORK.partition("class Network")[2].partition("def __call__")[0].split() == (
        network.partition("class Network")[2]
        .partition("def __call__")[0]
        .replace('"""Holds `encoder`, `layers`, `scale`, `calls` and `depth`."""', "")
        .split()
    )
    tests = (tmp_path / "nets" / "tests" / "test_network.py").read_text("utf-8")
    for row in ('Var("scale", nnx.Param, below=True)', 'Var("calls", nnx.Variable, below=True)'):
        assert row in tests
    family = (tmp_path / "nets" / "family.py").read_text("utf-8")
    assert family.count("def snapshot") == 2 and "class Layer(ABC, nnx.Module):" in family
