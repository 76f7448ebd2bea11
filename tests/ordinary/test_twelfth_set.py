"""What a twelfth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
import abc

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, buffer, param, static, test
"""
AUGMENTATION = """

class Augmentation(nnx.Module):
    def __init__(self, strength: float = 0.5, *, deterministic: bool = False):
        if not 0 <= strength <= 1:
            raise ValueError(f"the strength is {strength}")
        self.strength = nnx.Param(jnp.full(3, strength, jnp.float32))
        self.deterministic = deterministic

    @abc.abstractmethod
    def apply(self, image: Float[Array, "height 3"]) -> Float[Array, "height 3"]: ...

    def __call__(self, image: Float[Array, "height 3"]) -> Float[Array, "height 3"]:
        return image if self.deterministic else self.strength[...] * self.apply(image)


class Flip(Augmentation):
    def apply(self, image: Float[Array, "height 3"]) -> Float[Array, "height 3"]:
        return image[:, ::-1]
"""
CLASSES = {  # a class that is called nearly as a word of types, sizes that constants of the module are, no Variables
    "grid": """
class Grid(nnx.Module):
    def __init__(self, bins: int = 5):
        self.bins = bins

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.clip(x, -self.bins, self.bins)
""",
    "phylogeny": """
class Tree(eqx.Module):
    children: Int[Array, "inner 2"]
    lengths: Float[Array, " branches"]

    def longest(self, scale: Float[Array, ""]) -> Float[Array, ""]:
        return scale * jnp.max(self.lengths)


class Pruning(eqx.Module):
    tree: Tree

    def __init__(self, tree: Tree):
        self.tree = tree

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.tree.longest(x)
""",
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
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", CLASSES)
def test_each_class_is_tried_whole(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])


def test_a_subclass_inherits_the_constructor_of_a_base_that_leaves_methods_open(tmp_path: Path) -> None:
    said = generated(tmp_path, {"augmentation": HEAD + AUGMENTATION})
    emitted = (tmp_path / "nets/augmentation.py").read_text("utf-8")
    assert emitted.count("def __init__") == 1
    assert "not tested: it leaves methods to subclasses" in said
    assert "strength" in (tmp_path / "nets/tests/test_augmentation.py").read_text("utf-8")


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


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_a_size_may_be_that_of_a_class_which_a_method_takes(tmp_path: Path) -> None:
    tried(tmp_path, "sound", HEAD + SOUND.replace("FACES", "faces"))


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


SETTINGS = """
@dataclasses.dataclass(frozen=True)
class Prior:
    scale: float = 2.0


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"


class Normal(eqx.Module):
    mean: Float[Array, " n"]

    def __call__(self, x: Float[Array, " n"], prior: Prior, side: Side) -> Float[Array, " n"]:
        moved = x - self.mean if side is Side.LEFT else x + self.mean
        return moved / prior.scale

    def kl(self, prior: Prior) -> Float[Array, ""]:
        return jnp.sum(self.mean**2) / prior.scale
"""


def test_settings_that_a_call_takes_are_constants(tmp_path: Path) -> None:
    tried(tmp_path, "normal", "import dataclasses\nimport enum\n" + HEAD + SETTINGS)
    tests = (tmp_path / "nets/tests/test_normal.py").read_text("utf-8")
    assert "instance(x, prior=Prior(), side=Side.LEFT)" in tests


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


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_sizes_are_those_that_settings_and_top_k_ask_for(tmp_path: Path) -> None:
    tried(tmp_path, "experts", "import dataclasses\nfrom typing import NamedTuple\n" + HEAD + EXPERTS)


SCHEDULE = """
@test(values={"betas": lambda: jnp.linspace(0.01, 0.4, 6)})
class Schedule(Module):
    betas: Float[Array, " steps"] = buffer()

    def __call__(self, x: Float[Array, " steps"]) -> Float[Array, " steps"]:
        return x * jnp.exp(jnp.cumsum(jnp.log1p(-self.betas)))
"""


def test_the_values_of_tests_say_sizes(tmp_path: Path) -> None:
    tried(tmp_path, "schedule", HEAD + SCHEDULE)
    assert 'Leaf("betas", "buffer", (6,))' in (tmp_path / "nets/tests/test_schedule.py").read_text("utf-8")


PORTFOLIO = """
class Portfolio(eqx.Module):
    holdings: Float[Array, " assets"]
    shifts: Float[Array, " assets"]
    growth: float = eqx.field(static=True, default=1.5)

    def risk(self, weights: Float[Array, " assets"] | None = None) -> Float[Array, ""]:
        weights = self.holdings if weights is None else weights
        return jnp.sum(jnp.tanh(weights * self.shifts))

    def moved(self, by: Float[Array, " assets"]) -> "Portfolio":
        return Portfolio(self.holdings + by, self.shifts, self.growth)

    def level(self, x: Float[Array, " assets"], level: int = 0) -> Float[Array, " assets"]:
        return x * self.holdings * self.growth**level

    def shifted(self, by: Float[Array, " assets"]) -> Float[Array, ""]:
        return self.moved(by).holdings.sum()
"""


@pytest.mark.slow
def test_what_an_example_leaves_out_is_not_declared_as_used(tmp_path: Path) -> None:
    tried(tmp_path, "portfolio", HEAD + PORTFOLIO)


TANK = """
class Tank(Module):
    level: Float[Array, ""] = state("ones")
    gain: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        self.level = 0.9 * self.level + self.gain * x
        return self.level

    def emptied(self, share: Float[Array, ""], *, wholly: bool = False) -> Float[Array, ""]:
        if wholly:
            self.level = jnp.zeros_like(self.level)
        return share * self.level
"""


@pytest.mark.slow
def test_an_option_may_be_what_updates_a_state(tmp_path: Path) -> None:
    tried(tmp_path, "tank", HEAD.replace("param, static", "param, state, static") + TANK)


RING = """
class Ring(Module):
    filled: Int[Array, ""] = state("zeros")
    gain: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.gain * x

    def rewind(self, steps: Int[Array, ""]) -> Int[Array, ""]:
        self.filled = jnp.maximum(self.filled - jnp.abs(steps) - 1, 0)
        return self.filled
"""


def test_a_count_that_is_set_back_is_updated_where_something_was_counted(tmp_path: Path) -> None:
    tried(tmp_path, "ring", HEAD.replace("param, static", "param, state, static") + RING)
