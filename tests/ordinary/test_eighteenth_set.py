"""What an eighteenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int
"""
SAMPLING = """

class Transition(NamedTuple):
    obs: jax.Array
    reward: jax.Array


def sample(state: Transition, key: jax.Array, n: int) -> Transition:
    index = jax.random.randint(key, (n,), 0, len(state.reward))
    return jax.tree.map(lambda buffer: buffer[index], state)
"""


def test_a_module_may_have_a_function_of_the_name_of_one_of_the_laws(tmp_path: Path) -> None:
    generated(tmp_path, {"transition": HEAD + SAMPLING})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 25


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


def test_what_is_made_of_an_instance_has_a_size_that_nobody_declares(tmp_path: Path) -> None:
    generated(tmp_path, {"sparse": HEAD + SPARSE})
    text = (tmp_path / "nets/tests/test_sparse.py").read_text("utf-8")
    assert 'Leaf("diagonal", "param", None)' in text and "traced=False" in text
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


RUNNING = """

class Running(eqx.Module):
    mean: Float[Array, " dim"]
    m2: Float[Array, " dim"]
    count: Int[Array, ""]

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        var = self.m2 / jnp.maximum(self.count, 1)
        return (x - self.mean) / jnp.sqrt(var + 1e-5)
"""


def test_what_a_root_is_taken_of_by_way_of_a_local_name_is_positive(tmp_path: Path) -> None:
    tried(tmp_path, "running", HEAD + RUNNING)
    text = (tmp_path / "nets/tests/test_running.py").read_text("utf-8")
    assert '"m2": sample(seed + 1, (2,), positive=True)' in text


INHERITED = """

class Node(struct.PyTreeNode):
    weight: jax.Array

    def scaled(self, x: Float[Array, "4"], factor: float = 2.0) -> jax.Array:
        return self.moved(x) * self.weight * factor

    def moved(self, x: Float[Array, "4"]) -> jax.Array:
        return x


class Child(Node):
    shift: jax.Array

    def moved(self, x: Float[Array, "4"]) -> jax.Array:
        return x + self.shift


@struct.dataclass
class Base:
    weight: jax.Array


@struct.dataclass
class Leafy(Base):
    shift: jax.Array

    def apply(self, x: Float[Array, "3"]) -> jax.Array:
        return x * self.weight + self.shift
"""


def test_classes_of_other_libraries_inherit_within_a_file(tmp_path: Path) -> None:
    said = generated(tmp_path, {"nodes": HEAD + INHERITED})
    assert "not tested" not in said and "not tried" not in said, said
    text = (tmp_path / "nets/tests/test_nodes.py").read_text("utf-8")
    child, leafy = text.index("class TestChild"), text.index("class TestLeafy")
    assert '"weight": sample(seed, (4,))' in text[child:] and 'Method("scaled"' in text[child:]
    assert (
        '"weight": sample(seed, (3,))' in text[leafy:] and '"shift": sample(seed + 1, (3,))' in text[leafy:]
    )
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 200


BLOCKS = """

def make_norm(kind: str, channels: int, rngs: nnx.Rngs):
    if kind == "batch":
        return nnx.BatchNorm(channels, rngs=rngs)
    return None


class Block(nnx.Module):
    def __init__(self, size: int, *, norm: str = "batch", drop: float = 0.0, rngs: nnx.Rngs):
        self.dense = nnx.Linear(size, size, rngs=rngs)
        self.norm = make_norm(norm, size, rngs)
        self.drop = nnx.Dropout(drop, rngs=rngs)

    def __call__(self, x: Float[Array, "batch size"], *, train: bool = False) -> Float[Array, "batch size"]:
        x = self.dense(x)
        x = x if self.norm is None else self.norm(x)
        return nnx.relu(self.drop(x, deterministic=not train))
"""


def test_a_part_that_a_function_makes_is_a_part_and_a_dropout_drops_something(tmp_path: Path) -> None:
    generated(tmp_path, {"block": HEAD.replace("from flax import", "from flax import nnx,") + BLOCKS})
    text = (tmp_path / "nets/tests/test_block.py").read_text("utf-8")
    assert 'Var("norm", nnx.Module)' in text and '"drop": 0.3' in text
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60
