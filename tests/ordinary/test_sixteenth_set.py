"""What a sixteenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, Nnx, module, param, state, static, test
"""
TRAINING = """

class Norm(Nnx):
    scale: Float[Array, " dim"] = param("ones")
    mean: Float[Array, " dim"] = state("zeros")
    tracks: bool = static(False)

    def observe(self, x: Float[Array, " dim"]) -> None:
        self.mean = 0.9 * self.mean + 0.1 * x

    def __call__(self, x: Float[Array, " dim"], train: bool = False) -> Float[Array, " dim"]:
        if train:
            self.observe(x)
        return self.scale * (x - self.mean)

    def follow(self, x: Float[Array, " dim"], *, still: bool = True) -> Float[Array, " dim"]:
        if still:
            return x - self.mean
        self.mean = x
        return x

    def watch(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        if self.tracks:
            self.mean = x
        return 2 * x
"""


def test_what_an_option_alone_updates_is_not_declared(tmp_path: Path) -> None:
    tried(tmp_path, "norm", HEAD + TRAINING)
    suite = (tmp_path / "nets/tests/test_norm.py").read_text("utf-8")
    assert suite.count("updates=") == 1, suite  # of `observe`
    assert "    updates = " not in suite, suite


ALWAYS = """

class Count(Nnx):
    scale: Float[Array, " dim"] = param("ones")
    seen: Float[Array, " dim"] = state("zeros")

    def __call__(self, x: Float[Array, " dim"], train: bool = True) -> Float[Array, " dim"]:
        if train and x.ndim == 1:
            self.seen = self.seen + x
        for _ in range(2):
            if not train:
                return x
        return self.scale * x
"""


def test_what_the_example_updates_is_declared(tmp_path: Path) -> None:
    generated(tmp_path, {"count": HEAD + ALWAYS})
    assert 'updates = ("seen",)' in (tmp_path / "nets/tests/test_count.py").read_text("utf-8")


DENSE = """

class Dense(Module):
    weight: Float[Array, "out features"] = param("glorot_uniform")

    def __call__(self, x: Float[Array, " features"]) -> Float[Array, " out"]:
        return self.weight @ x
"""
CHAIN = """

class Chain(Module):
    first: Dense = module()
    second: Dense = module()

    def __call__(self, x: Float[Array, " inputs"]) -> Float[Array, " outputs"]:
        return self.second(jax.nn.relu(self.first(x)))
"""
RESIDUAL = """

class Residual(Module):
    embed: Dense = module()
    layers: list[Dense] = module()
    head: Dense = module()
    residual: bool = static(True)

    def __call__(self, xs: Float[Array, "time inputs"]) -> Float[Array, "time classes"]:
        h = jax.vmap(self.embed)(xs)
        for layer in self.layers:
            new = jnp.tanh(eqx.filter_vmap(layer)(h))
            if self.residual:
                new = new + h
            h = new
        return jax.vmap(self.head)(h)
"""


@pytest.mark.parametrize(("name", "classes"), [("chain", CHAIN), ("residual", RESIDUAL)])
def test_a_part_takes_what_another_gives(tmp_path: Path, name: str, classes: str) -> None:
    tried(tmp_path, name, HEAD + DENSE + classes)


RECORD = """

class Graph(NamedTuple):
    nodes: Float[Array, "nodes features"]


class Conv(Module):
    weight: Float[Array, "out features"] = param("glorot_uniform")

    def __call__(self, graph: Graph) -> Graph:
        return graph._replace(nodes=graph.nodes @ self.weight.T)


class Net(Module):
    first: Conv = module()
    second: Conv = module()

    def __call__(self, graph: Graph) -> Float[Array, "nodes out"]:
        return self.second(self.first(graph)).nodes
"""
GIVEN = """
@test(values={
    "graph": lambda: Graph(jnp.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.7]])),
    "first": lambda: Conv.create(3, 2, key=jax.random.key(seed)),
    "second": lambda: Conv.create(5, 3, key=jax.random.key(seed + 9)),
})
class Net(Module):"""


@pytest.mark.slow  # runs of its own
def test_parts_that_do_not_fit_each_other_are_named(tmp_path: Path) -> None:
    generated(tmp_path / "as_is", {"graph": HEAD + RECORD})
    ran = forked_pytest(tmp_path / "as_is/nets", "-k", "TestNet")
    assert failed_tests(ran) == {"test_p07_outputs_are_as_declared"}
    told = "parts of the example whose sizes do not fit each other, as one that takes what another gives: first, second."
    assert told in ran.stdout, ran.stdout
    generated(tmp_path / "given", {"graph": HEAD + RECORD.replace("\nclass Net(Module):", GIVEN)})
    assert passed(forked_pytest(tmp_path / "given/nets", "-k", "TestNet")) > 50
