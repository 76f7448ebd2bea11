"""What methods read: of the branches, the options and the defaults that their examples take."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, buffer, param, static
"""


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


FILTER = """
class Belief(NamedTuple):
    mean: Float[Array, " n"]
    var: Float[Array, " n"]


class Filter(Module):
    decay: Float[Array, " n"] = param("ones")
    noise: Float[Array, " n"] = param("zeros")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.predict(Belief(x, x)).var

    def predict(self, belief: Belief) -> Belief:
        return Belief(self.decay * belief.mean, belief.var + jnp.exp(self.noise))

    def next_mean(self, belief: Belief) -> Float[Array, " n"]:
        return self.decay * self.predict(belief).mean
"""


def test_what_a_method_reads_for_another_part_of_its_result_is_not_declared_as_used(tmp_path: Path) -> None:
    generated(tmp_path, {"filter": HEAD.replace("Literal", "Literal, NamedTuple") + FILTER})
    assert 'used=("decay",)' in suite_text(tmp_path, "filter")


JAM = """

class Jam(Module):
    weight: Float[Array, " stops"] = param("ones")
    closed: Bool[Array, " stops"] = buffer()
    grip: float = static(0.8)
    period: float = static(5.0, check=lambda period: period > 0)
    character: Literal["fixed", "flashing", "occulting"] = static("fixed")

    def __call__(self, x: Float[Array, " stops"]) -> Float[Array, " stops"]:
        return self.weight * x

    def jammed(self, queues: Float[Array, "n stops"], *, most: int = 1) -> Bool[Array, " n"]:
        full = (queues > self.grip) & ~self.closed
        return jnp.sum(full, axis=1) > most

    def rhythm(self, times: Float[Array, " n"]) -> Float[Array, " n"]:
        phase = 2 * jnp.pi * times / self.period
        if self.character == "flashing":
            return jax.nn.relu(jnp.sin(phase))
        if self.character == "occulting":
            return 1 - jnp.square(jnp.cos(phase))
        return jnp.ones_like(times)
"""


@pytest.mark.slow
def test_a_local_that_some_branches_read_is_not_used_in_each_and_a_mask_shows_with_large_numbers(
    tmp_path: Path,
) -> None:
    tried(tmp_path, "jam", HEAD + JAM)
    tests = suite_text(tmp_path, "jam")
    assert 'used=("grip", "closed")' in tests and 'used=("period"' not in tests


GUSTS = """

class Gusts(Module):
    weight: Float[Array, " n"] = param("ones")
    weather: PRNGKeyArray = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x

    def gusts(self, hours: Int[Array, " m"]) -> Float[Array, " m"]:
        return jax.vmap(lambda hour: jax.random.normal(jax.random.fold_in(self.weather, hour), (), self.weight.dtype))(hours)
"""


@pytest.mark.slow
def test_a_method_uses_the_key_that_it_draws_from(tmp_path: Path) -> None:
    tried(tmp_path, "gusts", HEAD + GUSTS)
    assert 'used=("weather",)' in suite_text(tmp_path, "gusts")


BRANCHES = """class Routed(Module):
    w: Float[Array, "experts dim"] = param("normal")
    k: int = static(default=2)
    is_hard: bool = static(default=False)

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " experts"]:
        scores = self.w @ x
        match self.is_hard:
            case True:
                return jnp.where(scores >= jnp.sort(scores)[-self.k], scores, 0)
            case _:
                return jax.nn.softmax(scores)
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_what_one_case_of_a_match_reads_need_not_show(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/routed.py": HEAD + BRANCHES, "nets/readme.md": ""})
    made = scaffold(tmp_path / "nets", "new-module", "--spec=../specs/routed.py")
    assert made.returncode == 0, made.stderr
    assert 'used = ("is_hard",)' in (tmp_path / "nets" / "tests" / "test_routed.py").read_text("utf-8")
    passed(forked_pytest(tmp_path / "nets", "tests"))


DIAL = """
class Dial(Module):
    rim: Float[Array, " n"] = param("ones")
    tilt: Float[Array, ""] = param("full(0.9)")

    def __call__(self, sun: Float[Array, " n"], *, noon: bool = False) -> Float[Array, " n"]:
        shadow = self.rim * jnp.sin(sun)
        return shadow * jnp.cos(self.tilt) if noon else shadow

    def turned(self, angle: Float[Array, ""]) -> "Dial":
        return eqx.tree_at(lambda dial: dial.rim, self, self.rim * angle)
"""


def test_a_parameter_that_an_option_alone_reads_is_used(tmp_path: Path) -> None:
    generated(tmp_path, {"dial": HEAD + DIAL})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60


CLASSES = {
    # A mode leaves a parameter out.
    "filter": """
class Filter(Module):
    threshold: Float[Array, ""] = param("ones")
    window: Float[Array, " k"] = buffer()
    mode: Literal["soft", "linear"] = static("soft")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        if self.mode == "soft":
            return jnp.tanh(x * self.threshold)
        return jnp.convolve(x, self.window, mode="same")
""",
    # A projection is called key.
    "attend": """
class Attend(Module):
    query: Float[Array, "size size"] = param("glorot_uniform")
    key: Float[Array, "size size"] = param("glorot_uniform")

    def __call__(self, x: Float[Array, " size"], y: Float[Array, " size"]) -> Float[Array, ""]:
        return (self.query @ x) @ (self.key @ y)
""",
    "schedule": """
class Table(eqx.Module):
    steps: Float[Array, " n"] = buffer()


class Schedule(eqx.Module):
    table: Table
    gain: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * self.table.steps * x
""",
}
EMITTED = {"schedule": "self.gain * jax.lax.stop_gradient(self.table.steps) * x\n"}


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_what_is_read_of_a_class_is_known(tmp_path: Path, name: str) -> None:
    module = tried(tmp_path, name, HEAD + CLASSES[name])
    assert EMITTED.get(name, "") in module
