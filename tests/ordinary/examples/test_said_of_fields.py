"""What a skeleton says of fields whose types say little: of a rate, of an alias, of what no code reads, of annotations that no role allows."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
from typing import Callable, Generic, Optional, TypeVar, Union

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key
from scaffold.skeleton import Module, data, test
"""

DROP = """
@test(values={"rate": 0.0})
class Drop(eqx.Module):
    dropout: eqx.nn.Dropout

    def __init__(self, *, rate):
        self.dropout = eqx.nn.Dropout(rate)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.dropout(x)
"""


def test_what_a_dropout_takes_is_a_rate(tmp_path: Path) -> None:
    generated(tmp_path, {"drop": HEAD + DROP})
    assert '"rate": 0.0' in suite_text(tmp_path, "drop")


SPARE = """
@test(unused=["spare"])
class Spare(eqx.Module):
    spare: Float[Array, "n ..."]
    level: Array

    def __init__(self, n: int, *, key):
        first, second = jax.random.split(key)
        self.spare = 0.5 * jax.random.normal(first, (n, 2))
        self.level = jax.random.normal(second, (n,))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.level * x
"""


@pytest.mark.slow
def test_an_array_of_any_shape_may_be_unused(tmp_path: Path) -> None:
    tried(tmp_path, "spare", HEAD + SPARE)


MEDIUM = """
Value = Optional[Union[Callable, float, Float[Array, ""]]]


class Medium(Module):
    density: Value = data(default=1.0)
    alpha: Value = data(default=None)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x * self.density if self.alpha is None else x * self.alpha
"""


def test_what_is_none_by_default_is_no_leaf(tmp_path: Path) -> None:
    generated(tmp_path, {"medium": HEAD + MEDIUM})
    assert 'leaves = (Leaf("density", "data"),)' in suite_text(tmp_path, "medium")


TREE = """
T = TypeVar("T")


@chex.dataclass(frozen=True)
class Tree(Generic[T]):
    visits: chex.Array
    extra: T


@chex.dataclass(frozen=True)
class Summary:
    value: chex.Array
"""


def test_what_no_code_reads_may_be_anything(tmp_path: Path) -> None:
    tried(tmp_path, "tree", HEAD + TREE)
    assert '"extra": sample(' in suite_text(tmp_path, "tree")


LOADER = """
class Loader(eqx.Module):
    arrays: tuple[Float[Array, "n x"], Float[Array, "n class"]]
    rest: Float[Array, "... class"]
    bound: chex.Array | float
    key: Key

    def __call__(self, step: Int[Array, ""]) -> tuple[Array, Array]:
        return self.arrays[0][step], self.bound * self.arrays[1][step] + self.rest


class Steps(eqx.Module):
    steps: Array

    def __str__(self) -> str:
        return f"{self.steps} steps"
"""


@pytest.mark.slow  # a run of its own
def test_annotations_that_no_role_allows_are_examples(tmp_path: Path) -> None:
    tried(tmp_path, "loader", HEAD + LOADER)
    assert all(f'"{name}": ' in suite_text(tmp_path, "loader") for name in ("arrays", "rest", "bound", "key"))


SENSOR = """
class Sensor(eqx.Module):
    gain: Array

    def __init__(self, code: str, n: int):
        if not code.startswith("x"):
            raise ValueError("codes begin with x")
        self.gain = jnp.ones(n)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * x
"""


def test_a_constructor_that_refuses_a_chosen_value_is_not_tried_and_the_run_says_so(tmp_path: Path) -> None:
    generated(tmp_path, {"sensor": HEAD + SENSOR})
    run = forked_pytest(tmp_path / "nets")
    assert run.returncode == 0, run.stdout
    line = "TestSensor: not tried: the example of `__init__` is a guess, and does not fit (ValueError: codes begin with x)"
    assert run.stdout.count(line) == 1, run.stdout


OPTIMISED = """
import optax


@test(values={"tx": lambda: optax.sgd(1e-3)})
class Optimised(eqx.Module):
    model: eqx.nn.MLP
    opt_state: optax.OptState
    tx: optax.GradientTransformation = eqx.field(static=True)

    def __init__(self, model: eqx.nn.MLP, tx: optax.GradientTransformation):
        self.model = model
        self.opt_state = tx.init(eqx.filter(model, eqx.is_inexact_array))
        self.tx = tx
"""


@pytest.mark.slow  # a run of its own
def test_an_optimiser_that_is_given_is_the_one_that_is_declared(tmp_path: Path) -> None:
    tried(tmp_path, "optimised", HEAD + OPTIMISED, least=40)
    assert '"tx": self.static["tx"]' in suite_text(tmp_path, "optimised")


TRAINED = """
import flax


@test(values={"tx": lambda: optax.sgd(1e-3)})
@flax.struct.dataclass
class Trained:
    weights: Float[Array, " n"]
    tx: optax.GradientTransformation = flax.struct.field(pytree_node=False)

    def halved(self) -> Float[Array, " n"]:
        return 0.5 * self.weights
"""


@pytest.mark.slow  # a run of its own
def test_functions_that_each_build_makes_anew_are_no_fault(tmp_path: Path) -> None:
    tried(tmp_path, "trained", HEAD + TRAINED.replace("import flax", "import flax\nimport optax"), least=40)


BATCH = """
@chex.dataclass(frozen=True)
class Batch:
    mean: jax.Array
    error: jax.Array

    @property
    def shape(self) -> tuple:
        return self.mean.shape

    def real(self):
        return self.replace(mean=jnp.real(self.mean))

    def is_like(self, other: "Batch") -> bool:
        return self.error.shape == other.error.shape and self.mean.dtype == other.mean.dtype
"""


@pytest.mark.slow  # a run of its own
def test_what_any_array_has_says_no_shape(tmp_path: Path) -> None:
    tried(tmp_path, "batch", HEAD + BATCH)
    assert '"mean": sample(' in suite_text(tmp_path, "batch")


TABLE = """
class Table(eqx.Module):
    rows: Float[Array, "n d"]

    def __getitem__(self, key):
        return jax.tree.map(lambda x: x[key], self)
"""


@pytest.mark.slow
def test_the_key_of_an_entry_is_no_random_one(tmp_path: Path) -> None:
    tried(tmp_path, "table", HEAD + TABLE)
    tests = suite_text(tmp_path, "table")
    assert '"int32")' in tests and '"key")' not in tests
