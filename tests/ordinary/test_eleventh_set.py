"""What an eleventh set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
import enum
from collections.abc import Callable
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, Scalar
from scaffold.skeleton import Module, buffer, module, param, state, static
"""
CLASSES = {  # aliases of types, guards of floats, checks of a field, a dim that a field is called, settings
    "mixing": """
Pair = Float[Array, "res res pair"]
Rate = Callable[[Scalar], Scalar]


class Mixing(eqx.Module):
    weight: Float[Array, " pair"]
    rate: Rate

    def __init__(self, pair: int, rate: Rate = jnp.exp, *, key: PRNGKeyArray):
        self.weight = jax.random.normal(key, (pair,))
        self.rate = rate

    def __call__(self, z: Pair, mask: Bool[Array, " res"] | None = None) -> Pair:
        z = z @ jnp.diag(self.weight)
        return z if mask is None else z * mask[:, None, None]

    def at(self, time: Scalar) -> Scalar:
        return self.rate(time) * jnp.sum(self.weight)
""",
    "glass": """
class Glass(eqx.Module):
    curvature: Array
    aperture: float = eqx.field(static=True)

    def __init__(self, curvature: float, *, aperture: float = 10.0):
        if abs(curvature) * aperture >= 1:
            raise ValueError("the aperture is wider than the sphere")
        self.curvature = jnp.asarray(curvature, dtype=jnp.float32)
        self.aperture = aperture

    def __call__(self, r: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.curvature * r**2
""",
    "sound": """
class Sound(Module):
    gain: Float[Array, ""] = param("ones")
    hop: int = static(64, check=lambda hop: hop >= 2 and hop % 2 == 0)

    def __call__(self, frames: Float[Array, "frames hop"]) -> Float[Array, "frames hop"]:
        halves = frames.reshape(-1, 2, self.hop // 2)
        return self.gain * halves[:, ::-1].reshape(-1, self.hop)
""",
    "stack": """
class Glass(eqx.Module):
    bend: Array

    def __init__(self, bend: float):
        self.bend = jnp.asarray(bend, dtype=jnp.float32)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.bend * x


class Stack(eqx.Module):
    surfaces: tuple[Glass, ...]
    gaps: Float[Array, " surfaces"]

    def __init__(self, surfaces: list[Glass], gaps: list[float]):
        if len(surfaces) != len(gaps):
            raise ValueError("as many gaps as surfaces")
        self.surfaces = tuple(surfaces)
        self.gaps = jnp.asarray(gaps, dtype=jnp.float32)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        for surface, gap in zip(self.surfaces, self.gaps):
            x = surface(x) + gap
        return x
""",
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
    "tower": """
class Kind(enum.Enum):
    EXP = "exp"
    LINEAR = "linear"

    def __call__(self, x):
        return jnp.exp(x) if self is Kind.EXP else x


@dataclass(frozen=True)
class Config:
    width: int = 6
    depth: int = 2
    rate: float = 0.1


class Block(eqx.Module):
    weight: Float[Array, "width width"]
    norm: eqx.nn.LayerNorm
    kind: Kind = eqx.field(static=True)

    def __init__(self, config: Config, kind: Kind, *, key: PRNGKeyArray):
        self.weight = config.rate * jax.random.normal(key, (config.width, config.width))
        self.norm = eqx.nn.LayerNorm(config.width)
        self.kind = kind

    def __call__(self, x):
        return self.kind(self.weight @ self.norm(x))


class Tower(eqx.Module):
    blocks: list[Block]

    def __init__(self, config: Config = Config(), *, key: PRNGKeyArray):
        keys = jax.random.split(key, config.depth)
        self.blocks = [Block(config, Kind.EXP, key=k) for k in keys]

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        for block in self.blocks:
            x = block(x)
        return x
""",
    "basin": """
class Basin(Module):
    flow: Float[Array, " pools"] = param("ones")
    mixer: eqx.nn.Linear = module(lambda pools, key: eqx.nn.Linear(pools, pools, key=key))
    level: Float[Array, " pools"] = state("zeros")
    pools: int = static(3)

    def __call__(self, rain: Float[Array, " pools"]) -> Float[Array, " pools"]:
        self.level = 0.5 * self.level + self.mixer(rain)
        return self.flow * self.level

    def drained(self, share: Float[Array, " pools"]) -> Float[Array, " pools"]:
        taken = self.level * jax.nn.sigmoid(share)
        self.level = self.level - taken
        return taken

    def deep(self, marks: Float[Array, "n pools"]) -> Bool[Array, "n pools"]:
        return self.level > marks
""",
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_with_examples_that_fit(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])


def test_the_alias_of_a_type_stays_in_the_class(tmp_path: Path) -> None:
    module = tried(tmp_path, "mixing", HEAD + CLASSES["mixing"])
    assert "    rate: Rate" in module and "z: Pair, mask" in module


EDITS = {  # what a state beside a layer of Equinox declares
    "test_p12_methods_update_the_states_that_they_declare_alone": (
        "        state = state.set(self.level, state.get(self.level) - taken)\n",
        "",
    ),
    "test_p07_methods_give_what_is_declared": (
        "state.get(self.level) > marks",
        "(state.get(self.level) > marks).T",
    ),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("test", EDITS)
def test_the_states_beside_a_layer_are_declared(test: str, tmp_path: Path) -> None:
    generated(tmp_path, {"basin": HEAD + CLASSES["basin"]})
    module, (old, new) = tmp_path / "nets/basin.py", EDITS[test]
    text = module.read_text("utf-8")
    assert text.count(old) == 1, text
    module.write_text(text.replace(old, new), "utf-8")
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert test in run.stdout and run.returncode == 1


HIDDEN = """
Rate = Callable[[Array], Array]


def daily(knots: Float[Array, " knots"]) -> Rate:
    def rate(t):
        return jnp.interp(t, jnp.linspace(0.0, 1.0, knots.shape[0]), knots)

    return rate


class Arrivals(eqx.Module):
    level: Float[Array, " streams"]
    rate: Rate

    def __init__(self, streams: int, *, key: PRNGKeyArray):
        self.level = jax.random.normal(key, (streams,))
        self.rate = daily(jax.random.normal(key, (4,)))

    def __call__(self, t: Scalar) -> Float[Array, " streams"]:
        return self.level * self.rate(t)
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_what_a_closure_of_an_alias_hides_is_found(tmp_path: Path) -> None:
    generated(tmp_path, {"arrivals": HEAD + HIDDEN})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "`Arrivals.rate(closure over knots)`: an array of shape (4,) that is not a leaf" in run.stdout


BESIDE = """
class Cell(Module):
    weight: Float[Array, "out in_"] = param("lecun_normal")
    scale: Float[Array, " out"] = buffer("ones")

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.scale * (self.weight @ x)


class Pair(Module):
    cells: list[Cell]

    def __init__(self, width: int, *, key: PRNGKeyArray):
        self.cells = [{first} for k in jax.random.split(key, 2)]

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        for cell in self.cells:
            x = cell(x)
        return x

    def wider(self, key: PRNGKeyArray) -> "Pair":
        return eqx.tree_at(lambda one: one.cells[0], self, {second})
"""
FITS = "Cell.create(width, width, key=k)"
FOR_TWO = "Cell.create(2, 2, key=key)"


@pytest.mark.parametrize(
    ("first", "second", "place", "fix"),
    [
        (
            "Cell(width, width, key=k)",
            FOR_TWO,
            "fields.cells.init",
            "write `Cell.create(...)`, which takes `(out, in_,",
        ),
        (FITS, "Cell(2, key=key)", "methods.wider.body", "it takes `(weight, scale)`"),
        (
            FITS,
            "Cell.create(2, 2, depth=2, key=key)",
            "methods.wider.body",
            "it takes `(out, in_, dtype=..., *, key)`",
        ),
    ],
)
def test_a_call_of_another_class_of_the_file_fits_its_constructor(
    first: str, second: str, place: str, fix: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, {"specs/pair.py": HEAD + BESIDE.format(first=first, second=second)})
    made = scaffold(tmp_path, "new-module", "--spec=specs/pair.py")
    assert made.returncode == 2 and not (tmp_path / "pair.py").exists()
    assert f"Pair: {place}: `Cell" in made.stderr and "does not fit the constructor" in made.stderr
    assert fix in made.stderr, made.stderr


def test_calls_of_another_class_that_fit_are_taken(tmp_path: Path) -> None:
    generated(tmp_path, {"pair": HEAD + BESIDE.format(first=FITS, second=FOR_TWO)})


PLAIN = """
class Net(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.layer = eqx.nn.Linear(size, size, key=key)

    def __call__(self, x: Float[Array, " size"], *, bent: bool = False) -> Float[Array, " size"]:
        y = self.layer(x) + jnp.zeros(x.shape)
        return jnp.tanh(y) if bent else y
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_a_class_in_one_dtype_is_held_to_all_other_advice(tmp_path: Path) -> None:
    generated(tmp_path, {"net": HEAD + PLAIN})
    module = tmp_path / "nets/net.py"
    assert "    one_dtype = True\n" in (tmp_path / "nets/tests/test_net.py").read_text("utf-8")
    assert forked_pytest(tmp_path / "nets", "--numbers=off").returncode == 0
    text = module.read_text("utf-8")
    module.write_text(text.replace("jnp.tanh(y) if bent else y", "jnp.tanh(y)"), "utf-8")
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert run.returncode == 1 and "at `call(bent)`: at each of its values the same is computed" in run.stdout
