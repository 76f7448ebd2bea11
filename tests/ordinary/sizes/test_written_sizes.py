"""Sizes that an author writes: in a test, a setting, a constant, a default, a check or an initialiser."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx, struct
from jaxtyping import Array, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, Pytree, buffer, data, param, static, test
"""


SAID = """

@test(ties={"seen": "2*size"})
class Folded(Module):
    weight: Float[Array, " size"] = param("ones")

    def __call__(self, x: Float[Array, " seen"]) -> Float[Array, " size"]:
        return self.weight * jnp.sum(jnp.reshape(x, (2, -1)), axis=0)
"""


@pytest.mark.slow
def test_an_author_says_how_long_a_dim_is_in_terms_of_others(tmp_path: Path) -> None:
    tried(tmp_path, "folded", HEAD + SAID)


MECHANISM = """

@test(
    values={
        "orders": lambda: jnp.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        "species": lambda: ("A", "B", "C"),
    },
)
class Mechanism(Pytree, rebuild="static"):
    rate: Float[Array, " reaction"] = param("ones")
    orders: Float[Array, "reaction species"] = buffer()
    species: tuple[str, ...] = static()

    def __call__(self, x: Float[Array, " species"]) -> Float[Array, " reaction"]:
        return self.rate * (self.orders @ x)
"""


def test_example_arrays_say_the_sizes_of_dims_of_the_name_of_a_field(tmp_path: Path) -> None:
    said = generated(tmp_path, {"mechanism": HEAD + MECHANISM})
    tests = suite_text(tmp_path, "mechanism")
    assert (
        "error" not in said
        and 'Leaf("orders", "buffer", (2, 3))' in tests
        and "sample(seed + 50, (3,))" in tests
    )


SCHEDULE = """
@test(values={"betas": lambda: jnp.linspace(0.01, 0.4, 6)})
class Schedule(Module):
    betas: Float[Array, " steps"] = buffer()

    def __call__(self, x: Float[Array, " steps"]) -> Float[Array, " steps"]:
        return x * jnp.exp(jnp.cumsum(jnp.log1p(-self.betas)))
"""


@pytest.mark.slow
def test_the_values_of_tests_say_sizes(tmp_path: Path) -> None:
    tried(tmp_path, "schedule", HEAD + SCHEDULE)
    assert 'Leaf("betas", "buffer", (6,))' in suite_text(tmp_path, "schedule")


SOUND = """
class Field(eqx.Module):
    pressure: Float[Array, " cells"]
    velocity: Float[Array, " faces"]


@test(sizes={"cells": 4, "FACES": 5}, cases=[{"name": "twice", "values": {"scale": 2.0}}])
class Solver(Module):
    density: Float[Array, " cells"] = param("ones")
    scale: float = static(1.0)

    def __call__(self, pressure: Float[Array, " cells"]) -> Float[Array, " cells"]:
        return self.scale * pressure / self.density

    def step(self, field: Field) -> Float[Array, " cells"]:
        return self(field.pressure) - jnp.diff(field.velocity)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_size_may_be_that_of_a_class_which_a_method_takes(tmp_path: Path) -> None:
    tried(tmp_path, "sound", HEAD + SOUND.replace("FACES", "faces"))


APART = """
@test(sizes={"size": 3, "faces": 2})
class Plain(Module):
    scale: Float[Array, " size"] = param("ones")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.scale * x
"""
HELD = """
@test(sizes={"cells": 4, "faces": 5})
class Holder(Module):
    solver: Solver

    def __call__(self, pressure: Float[Array, " cells"]) -> Float[Array, " cells"]:
        return self.solver(pressure)
"""


def test_a_size_may_be_that_of_a_part_of_a_part(tmp_path: Path) -> None:
    generated(tmp_path, {"sound": HEAD + SOUND.replace("FACES", "faces") + HELD})


CELLS = """
class Cell(Module):
    weight: Float[Array, "size size"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight @ x


class Scale(Module):
    weight: Float[Array, " size"] = param("ones")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight * x


def stacked(size, key):
    return [Cell(size, size, key=key)]
"""


@pytest.mark.parametrize(
    ("skeleton", "place"),
    [
        (SOUND, "Solver: test.sizes: `FACES` is no dim"),
        (SOUND.replace("FACES", "faces") + APART, "Plain: test.sizes: `faces` is no dim"),
        (SOUND.replace('{"scale"', '{"scales"').replace("FACES", "faces"), "`scales` is no argument"),
        (CELLS, "`Cell(...)` does not fit the constructor: too many positional arguments"),
    ],
)
def test_of_a_file_with_several_classes_unknown_names_and_misfits_are_refused(
    tmp_path: Path, skeleton: str, place: str
) -> None:
    write_tree(tmp_path, {"specs/sound.py": HEAD + skeleton})
    made = scaffold(tmp_path, "new-module", "--spec", "specs/sound.py")
    assert made.returncode == 2 and place in made.stderr
    assert not (tmp_path / "sound.py").exists()


NET = """

@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 5
    features: int = 7


class Net(nnx.Module):
    def __init__(self, config: Config = Config(), *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(config.width, config.features, rngs=rngs)

    def encode(self, x: Float[Array, "batch width"]) -> tuple[Float[Array, "batch features"], Array]:
        return self.linear(x), jnp.zeros(())

    def __call__(self, x: Float[Array, "batch width"]) -> Array:
        return self.encode(x)[0]
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_setting_is_the_size_of_a_dim_of_a_result_that_is_carried(tmp_path: Path) -> None:
    tried(tmp_path, "net", HEAD + NET)


EXPERTS = """
@dataclasses.dataclass(frozen=True)
class Config:
    features: int = 3
    hidden: int = 8


class Graph(NamedTuple):
    features: Float[Array, "nodes features"]
    senders: Int[Array, " edges"]


class Network(eqx.Module):
    weight: Float[Array, "hidden _"]

    def __init__(self, config: Config, *, key: Array):
        self.weight = jax.random.normal(key, (config.hidden, config.features))

    def __call__(self, graph: Graph) -> Float[Array, "edges hidden"]:
        return (graph.features @ self.weight.T)[graph.senders % graph.features.shape[0]]


class Router(eqx.Module):
    weight: Float[Array, "experts width"]
    top_k: int = eqx.field(static=True)

    def __init__(self, width: int, experts: int, top_k: int, *, key: Array):
        self.weight = jax.random.normal(key, (experts, width))
        self.top_k = top_k

    def __call__(self, x: Float[Array, "tokens width"]) -> Float[Array, "tokens _"]:
        return jax.lax.top_k(x @ self.weight.T, self.top_k)[0]
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_sizes_are_those_that_settings_and_top_k_ask_for(tmp_path: Path) -> None:
    tried(tmp_path, "experts", HEAD + EXPERTS)


BASIS = """

class Basis(Module):
    basis: Float[Array, "size rank"] = buffer("orthogonal")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " rank"]:
        return x @ jnp.linalg.qr(self.basis)[0]
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_what_begins_orthogonal_has_no_more_columns_than_rows(tmp_path: Path) -> None:
    tried(tmp_path, "basis", HEAD + BASIS)
    assert '"basis", "buffer", (3, 2)' in suite_text(tmp_path, "basis")


CLASSES = {
    # A number that a method has by default is a size of its result.
    "mixture": """
class Mixture(Module):
    logits: Float[Array, " k"] = param("zeros")
    means: Float[Array, "k d"] = param("normal")

    def log_prob(self, x: Float[Array, " d"]) -> Float[Array, ""]:
        per = -0.5 * jnp.sum((x - self.means) ** 2, axis=-1)
        return jax.nn.logsumexp(jax.nn.log_softmax(self.logits) + per)

    def sample(self, n: int = 1, *, key: PRNGKeyArray) -> Float[Array, "n d"]:
        which, noise = jax.random.split(key)
        index = jax.random.categorical(which, self.logits, shape=(n,))
        return self.means[index] + jax.random.normal(noise, (n, self.means.shape[1]), self.means.dtype)
""",
    # A size is what the check of a field takes.
    "sound": """
class Sound(Module):
    gain: Float[Array, ""] = param("ones")
    hop: int = static(64, check=lambda hop: hop >= 2 and hop % 2 == 0)

    def __call__(self, frames: Float[Array, "frames hop"]) -> Float[Array, "frames hop"]:
        halves = frames.reshape(-1, 2, self.hop // 2)
        return self.gain * halves[:, ::-1].reshape(-1, self.hop)
""",
    # A list says how many there are.
    "lattice": """
class Lattice(Module):
    rate: Float[Array, ""] = param()
    weights: Float[Array, " q"] = buffer()
    moves: Int[Array, "q two"] = data()

    def __init__(self, rate: Float[Array, ""]):
        axis = [(0, 0), (1, 0), (0, 1), (-1, 0)]
        moves = [*axis, (0, -1)]
        self.moves = jnp.array([(b, a) for a, b in moves])
        self.weights = jnp.array([1 / 3, *[1 / 6] * 4])
        self.rate = rate

    def __call__(self, x: Float[Array, " q"]) -> Float[Array, " q"]:
        return x + self.rate * (self.weights - x)
""",
    # Constants of the module are sizes.
    "substitution": """
ALPHABET = "ACGT"
STATES: int = len(ALPHABET)
UNBOUNDED = 1e999  # no whole number
UPPER = jnp.triu_indices(STATES, k=1)


class Exchange(eqx.Module):
    log_rates: Float[Array, " pairs"]

    def __init__(self, rates: Float[Array, " pairs"] | None = None):
        pairs = STATES * (STATES - 1) // 2
        self.log_rates = jnp.zeros(pairs, jnp.float32) if rates is None else jnp.log(rates)

    def __call__(self, x: Float[Array, " 4"]) -> Float[Array, " 4"]:
        upper = jnp.zeros((STATES, STATES), x.dtype).at[UPPER].set(jnp.exp(self.log_rates).astype(x.dtype))
        return (upper + upper.T) @ x


class Mixture(eqx.Module):
    weights: Float[Array, " states"]

    def __init__(self):
        self.weights = jnp.ones(STATES, jnp.float32)

    def __call__(self, x: Float[Array, " states"]) -> Float[Array, " states"]:
        return self.weights * x
""",
    # A dim has the name of a field.
    "ranking": """
@struct.dataclass
class Ranking:
    items: Float[Array, "items rank"]

    def top(self, user: Float[Array, " rank"], k: int = 1) -> Int[Array, " k"]:
        scores = self.items @ user
        return jax.lax.top_k(scores, k)[1]

    def score(self, user: Float[Array, " rank"]) -> Float[Array, " items"]:
        return self.items @ user
""",
}


@pytest.mark.spread(16)
@pytest.mark.parametrize("name", CLASSES)
def test_sizes_are_those_that_are_written(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])
