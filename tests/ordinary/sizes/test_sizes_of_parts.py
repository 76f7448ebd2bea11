"""Sizes of parts: a part is as wide as what gives to it, takes from it, or makes it."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, buffer, module, param, static, test
"""


CELLS = """

class Perception(eqx.Module):
    edge: Float[Array, "3"]

    def __call__(self, grid: Float[Array, "channel place"]) -> Float[Array, "3*channel place"]:
        return jnp.reshape(grid[:, None] * self.edge[:, None], (-1, grid.shape[1]))


class Rule(eqx.Module):
    hidden: eqx.nn.Conv1d
    out: eqx.nn.Conv1d

    def __init__(self, channels: int, width: int, *, key: PRNGKeyArray):
        first, second = jax.random.split(key)
        self.hidden = eqx.nn.Conv1d(3 * channels, width, 1, key=first)
        out = eqx.nn.Conv1d(width, channels, 1, key=second)
        self.out = eqx.tree_at(lambda conv: conv.weight, out, replace_fn=lambda weight: weight / 2)

    def __call__(self, seen: Float[Array, "perceived place"]) -> Float[Array, "channel place"]:
        return self.out(jax.nn.softplus(self.hidden(seen)))


class Automaton(eqx.Module):
    perception: Perception
    rule: Rule

    def __init__(self, channels: int, width: int, *, key: PRNGKeyArray):
        self.perception = Perception(jnp.array([1.0, 2.0, 3.0]))
        self.rule = Rule(channels, width, key=key)

    def __call__(self, grid: Float[Array, "channel place"]) -> Float[Array, "channel place"]:
        return grid + self.rule(self.perception(grid))


class Pool(NamedTuple):
    grids: Float[Array, "pool channel place"]

    def put(self, index: Int[Array, " batch"], grids: Float[Array, "batch c p"]) -> "Pool":
        return Pool(self.grids.at[index].set(grids))
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_dims_that_calls_name_are_as_long_as_the_layers_ask_that_take_them(tmp_path: Path) -> None:
    tried(tmp_path, "cells", HEAD + CELLS)
    suite = suite_text(tmp_path, "cells")
    rule = suite[suite.index("class TestRule") : suite.index("class TestAutomaton")]
    assert '"channels": 5,' in rule and "return (sample(seed, (15, 2)),)" in rule, rule


HALVED = """

class Halved(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, n: int, *, key: PRNGKeyArray):
        linear = eqx.nn.Linear(2 * n, n, key=key)
        linear = eqx.tree_at(lambda part: part.bias, linear, jnp.ones(n))
        self.linear = eqx.tree_at(lambda part: part.weight, linear, replace_fn=lambda weight: weight / 2)

    def __call__(self, x: Float[Array, "2*n"]) -> Float[Array, "n"]:
        return self.linear(x)


class Both(eqx.Module):
    halved: Halved

    def __init__(self, a: int, b: int, *, key: PRNGKeyArray):
        self.halved = Halved(a + b, key=key)

    def __call__(self, x: Float[Array, "seen"]) -> Float[Array, "kept"]:
        return self.halved(x)
"""


@pytest.mark.slow
def test_sizes_take_the_place_of_names_in_brackets_and_a_layer_may_be_rebound(tmp_path: Path) -> None:
    generated(tmp_path, {"halved": HEAD + HALVED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "p07_jit or p09")) > 4
    suite = suite_text(tmp_path, "halved")
    both = suite[suite.index("class TestBoth") :]
    assert '"a": 3,' in both and '"b": 5,' in both and "(sample(seed, (16,)),)" in both, both


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


@pytest.mark.spread(2)
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
    given = HEAD + RECORD.replace("\nclass Net(Module):", GIVEN)
    generated(tmp_path / "wrong", {"graph": given.replace("Conv.create(5, 3", "Conv.create(5, 4")})
    ran = forked_pytest(tmp_path / "wrong/nets", "-k", "TestNet")
    assert failed_tests(ran) == {"test_p07_outputs_are_as_declared"}
    told = "parts of the example whose sizes do not fit each other, as one that takes what another gives: first, second."
    assert told in ran.stdout, ran.stdout
    generated(tmp_path / "given", {"graph": given})
    assert passed(forked_pytest(tmp_path / "given/nets", "-k", "TestNet")) > 50


SPARSE = """

class Csr(eqx.Module):
    data: Float[Array, " nnz"]
    indices: Int[Array, " nnz"]
    rows: Int[Array, " nnz"]
    shape: tuple[int, int] = eqx.field(static=True)

    @classmethod
    def fromdense(cls, dense) -> "Csr":
        dense = np.asarray(dense)
        rows, cols = np.nonzero(dense)
        return cls(jnp.asarray(dense[rows, cols]), jnp.asarray(cols), jnp.asarray(rows), dense.shape)

    def __matmul__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        return jax.ops.segment_sum(self.data * x[self.indices], self.rows, self.shape[0])


class Jacobi(eqx.Module):
    matrix: Csr
    diagonal: Float[Array, " m"]

    def __init__(self, matrix: Csr):
        self.matrix = matrix
        self.diagonal = jnp.zeros(matrix.shape).at[matrix.rows, matrix.indices].add(matrix.data).diagonal()

    def __call__(self, b: Float[Array, " m"]) -> Float[Array, " m"]:
        return (b - self.matrix @ b) / jnp.where(self.diagonal == 0, 1.0, self.diagonal)
"""


@pytest.mark.slow
def test_what_is_made_of_an_instance_has_a_size_that_nobody_declares(tmp_path: Path) -> None:
    generated(tmp_path, {"sparse": HEAD + SPARSE})
    text = suite_text(tmp_path, "sparse")
    assert 'Leaf("diagonal", "param", None)' in text and "traced=False" in text
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


CLASSES = {
    "voice": """
class Ear(Module):
    weight: Float[Array, ""] = param("ones")

    def __call__(self, pitch: Float[Array, " frames"]) -> Float[Array, " frames"]:
        return self.weight * jnp.log2(pitch / 440.0)


class Voice(Module):
    ear: Ear
    loudness: Float[Array, ""] = param("ones")

    def __call__(self, pitch: Float[Array, " frames"]) -> Float[Array, " frames"]:
        return self.loudness * self.ear(pitch)
""",
    "linear": """
class Batch(NamedTuple):
    x: Float[Array, "b n"]
    y: Float[Array, " b"]


class Linear(eqx.Module):
    w: Float[Array, " n"] = param("zeros")
    inner: eqx.nn.Linear

    def __init__(self, n: int, *, key: PRNGKeyArray):
        self.w = jnp.zeros(n)
        self.inner = eqx.nn.Linear(n, n, key=key)

    def loss(self, batch: Batch) -> Float[Array, ""]:
        guess = batch.x @ (self.w + self.inner(jnp.ones_like(self.w)))
        return jnp.mean((guess - batch.y) ** 2)
""",
    # The constructor reads the size of what it is given.
    "coupling": """
class Coupling(Module):
    mask: Bool[Array, " d"] = buffer()
    net: eqx.nn.MLP

    def __init__(self, mask: Bool[Array, " d"], width: int = 8, *, key: PRNGKeyArray):
        d = mask.shape[0]
        self.mask = mask
        self.net = eqx.nn.MLP(d, d, width, 1, key=key)

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        return jnp.where(self.mask, x, x + self.net(jnp.where(self.mask, x, 0.0)))
""",
}
EMITTED = {"linear": "    inner: eqx.nn.Linear\n"}
IN_TESTS = {
    "linear": ", (3, 2)), y=sample(seed",
}


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_parts_have_the_sizes_of_what_they_meet(tmp_path: Path, name: str) -> None:
    module = tried(tmp_path, name, HEAD + CLASSES[name])
    assert EMITTED.get(name, "") in module
    suite = suite_text(tmp_path, name)
    assert IN_TESTS.get(name, "") in suite


CHECKED_PART = """

class Grid(Module):
    nx: int = static(check=lambda nx: nx > 2)

    def ddx(self, f: Float[Array, " nx"]) -> Float[Array, " nx"]:
        return (jnp.roll(f, -1) - jnp.roll(f, 1)) * self.nx / 2


class Water(Module):
    grid: Grid = module()
    bottom: Float[Array, " nx"] = param("zeros")

    def __call__(self, h: Float[Array, " nx"]) -> Float[Array, " nx"]:
        return self.grid.ddx(h + self.bottom)


class Sea(Module):
    waters: list[Water] = module()
    salt: Float[Array, " nx"] = param("ones")

    def __call__(self, h: Float[Array, " nx"]) -> Float[Array, " nx"]:
        for water in self.waters:
            h = water(h)
        return h * self.salt
"""


def test_the_check_of_a_part_chooses_the_sizes_of_its_holders(tmp_path: Path) -> None:
    generated(tmp_path, {"water": HEAD + CHECKED_PART})
    suite = suite_text(tmp_path, "water")
    assert "nx=2" not in suite and suite.count("Grid.create(nx=3)") == 3
    assert 'Leaf("salt", "param", (3,)' in suite and passed(forked_pytest(tmp_path / "nets", "--numbers=off"))
