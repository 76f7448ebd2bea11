"""NNX modules as Flax's own code writes them: without annotations, with the Variables that their constructors choose."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import abc

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Nnx, param, state, test


"""
NETWORK = """class Encoder(nnx.Module):
    def __init__(self, din, hidden, *, use_bn: bool = True, rngs):
        self.cls = nnx.Param(jnp.zeros((hidden,)))
        self.fc = nnx.Linear(din, hidden, rngs=rngs)
        self.bn = nnx.BatchNorm(hidden, rngs=rngs) if use_bn else None
        self.hidden, self.is_deep = hidden, False

    def __call__(self, x: Float[Array, "b din"]):
        h = self.fc(x) + self.cls
        return nnx.relu(h if self.bn is None else self.bn(h))


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
ANNOTATED = """@test(unused=["spare"])
class Annotated(Nnx):
    spare: Float[Array, " dout"] = param()
    kernel: nnx.Param = param()
    bias: Float[Array, " dout"] = param()
    count: nnx.Variable = state()

    def __init__(self, din: int, dout: int, *, rngs: nnx.Rngs):
        self.kernel = nnx.Param(rngs.params.normal((din, dout)))
        self.bias = nnx.Param(jnp.zeros((dout,)))
        self.spare = nnx.Param(jnp.zeros((dout,)))
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


TEXTS = {"annotated": ANNOTATED, "family": FAMILY, "network": NETWORK, "attention": ATTENTION}
SKELETONS = {name: HEAD + text for name, text in TEXTS.items()}
QUICK = ("annotated",)


def module(folder: Path, path: str) -> str:
    return (folder / "nets" / path).read_text("utf-8")


def test_they_are_accepted_as_they_stand(tmp_path: Path) -> None:
    said = generated(tmp_path, SKELETONS)
    assert "not tried" not in said and said.count("not tested") == 1  # `Layer` is abstract
    text = module(tmp_path, "network.py").partition("class Network")[2].partition("def __call__")[0]
    written = NETWORK.partition("class Network")[2].partition("def __call__")[0]
    annotations = [
        line for line in text.splitlines() if ": " in line and "def " not in line and '"' not in line
    ]
    assert (
        not annotations
        and "self.scale = nnx.Param(jnp.ones(()))" in written
        and written.count("self.") == text.count("self.")
    )
    tests = module(tmp_path, "tests/test_network.py")
    for row in ('Var("scale", nnx.Param, below=True)', 'Var("calls", nnx.Variable, below=True, flows=True)'):
        assert row in tests
    assert '"width": 6,' in module(tmp_path, "tests/test_attention.py")
    assert 'Var("spare", nnx.Param, unused=True)' in module(tmp_path, "tests/test_annotated.py")
    family = module(tmp_path, "family.py")
    assert "def snapshot" not in family and "class Layer(abc.ABC, nnx.Module):" in family


@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(TEXTS), marks=pytest.mark.slow)])
def test_they_pass_their_tests(tmp_path: Path, names: tuple[str, ...]) -> None:
    generated(tmp_path, {name: SKELETONS[name] for name in names})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 75 * len(names)
