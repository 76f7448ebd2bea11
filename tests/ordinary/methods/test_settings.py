"""Settings: constants that a class keeps or a call takes, their other values, and what reads them."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import dataclasses
import enum
from dataclasses import dataclass
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray
from scaffold.skeleton import Module, param, static, test
"""


CHOSEN = """

class Way(enum.Enum):
    STRAIGHT = "straight"
    BENT = "bent"


@test(sizes={"width": 3}, other={"way": lambda: Way.BENT})
class Chosen(Module):
    head: eqx.nn.Linear
    way: Way = static(Way.STRAIGHT)

    def __init__(self, width: int, way: Way = Way.STRAIGHT, *, key: PRNGKeyArray):
        self.head = eqx.nn.Linear(width, 2, key=key)
        self.way = way

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " 2"]:
        y = self.head(x)
        return jnp.tanh(y) if self.way is Way.BENT else y
"""


@pytest.mark.slow
def test_another_configuration_has_another_choice_of_a_constructor_that_is_kept(tmp_path: Path) -> None:
    tried(tmp_path, "chosen", HEAD + CHOSEN)
    suite = suite_text(tmp_path, "chosen")
    assert '"way": Way.BENT,' in suite, suite


IDLE = """
JITTER = 1e-3


class Damped(Module):
    weight: Float[Array, " size"] = param("normal")
    jitter: float = static(JITTER, check=lambda jitter: jitter >= 0)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight * x + JITTER
"""
FOR_OTHERS = IDLE.replace("class Damped", '@test(unused=["jitter"])\nclass Damped')


@pytest.mark.slow
def test_a_setting_that_nothing_reads_is_noticed(tmp_path: Path) -> None:
    generated(tmp_path / "idle", {"damped": HEAD + IDLE})
    ran = forked_pytest(tmp_path / "idle/nets", "--numbers=off")
    assert "at `jitter`: no code of its module reads it" in ran.stdout, ran.stdout
    tried(tmp_path / "declared", "damped", HEAD + FOR_OTHERS)


NOISY = """

class Noisy(Module):
    weight: Float[Array, " size"] = param("normal")
    rate: float = static(0.0, check=lambda rate: 0 <= rate < 1)

    def __call__(self, x: Float[Array, " size"], *, key: PRNGKeyArray | None = None) -> Float[Array, " size"]:
        if key is not None and self.rate > 0:
            x = jnp.where(jax.random.bernoulli(key, 1 - self.rate, x.shape), x / (1 - self.rate), 0)
        return self.weight * x
"""


@pytest.mark.slow
def test_a_share_that_is_0_draws_where_it_is_one_half(tmp_path: Path) -> None:
    tried(tmp_path, "noisy", HEAD + NOISY)


FROST = """

class Frost(Module):
    weight: Float[Array, " plots"] = param("ones")
    base: float = static(0.1)
    pruning: Literal["guyot", "cordon", "bush"] = static("guyot")

    def __call__(self, x: Float[Array, " plots"]) -> Float[Array, " plots"]:
        return self.weight * x if self.pruning != "bush" else x - self.weight

    def frosted(self, nights: Float[Array, "n plots"], *, limit: int = 2) -> Bool[Array, " plots"]:
        return jnp.sum(nights < self.base, axis=0) > limit
"""


def test_counts_are_taken_of_more_than_their_bound_and_each_word_of_a_setting_is_accepted(
    tmp_path: Path,
) -> None:
    generated(tmp_path, {"frost": HEAD + FROST})
    tests = suite_text(tmp_path, "frost")
    assert "sample(seed, (5, 2))" in tests, "twice the limit, and one"
    assert '{"pruning": "cordon"},' in tests and '{"pruning": "bush"},' in tests


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


@pytest.mark.slow
def test_settings_that_a_call_takes_are_constants(tmp_path: Path) -> None:
    tried(tmp_path, "normal", HEAD + SETTINGS)
    tests = suite_text(tmp_path, "normal")
    assert "instance(x, prior=Prior(), side=Side.LEFT)" in tests


HEAT = """
from dataclasses import dataclass
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static, test


@dataclass(frozen=True)
class Grid:
    n: int
    length: float = 1.0

    @cached_property
    def k(self) -> np.ndarray:
        return 2 * np.pi * np.fft.rfftfreq(self.n, self.length / self.n)


@test(values={"grid": lambda: Grid(8)}, sizes={"n": 8})
class Heat(Module):
    grid: Grid = static()
    nu: Float[Array, ""] = param("ones")

    def __call__(self, u: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.fft.irfft(jnp.exp(-self.nu * self.grid.k**2) * jnp.fft.rfft(u), n=u.shape[0])
"""


@pytest.mark.slow
def test_what_a_static_value_has_cached_is_no_part_of_it(tmp_path: Path) -> None:
    tried(tmp_path, "heat", HEAT, least=80)


TOWER = """
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
"""


@pytest.mark.slow
def test_settings_that_a_constructor_reads_are_constants(tmp_path: Path) -> None:
    tried(tmp_path, "tower", HEAD + TOWER)
