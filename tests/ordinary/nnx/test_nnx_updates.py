"""Updates of Variables by calls: what is declared of those that an option makes, and of what a module sows."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Nnx, param, state, static
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


@pytest.mark.slow  # a run of its own
def test_what_an_option_alone_updates_is_not_declared(tmp_path: Path) -> None:
    tried(tmp_path, "norm", HEAD + TRAINING)
    suite = suite_text(tmp_path, "norm")
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
    assert 'updates = ("seen",)' in suite_text(tmp_path, "count")


COUNTER = """
class Counter(nnx.Module):
    def __init__(self, dim, *, rngs):
        self.scale = nnx.Param(jnp.ones(dim))
        self.seen = nnx.Variable(jnp.zeros(dim))

    def __call__(self, x: Float[Array, " dim"], train: bool = True) -> Float[Array, " dim"]:
        if train:
            self.seen[...] = 0.9 * self.seen[...] + 0.1 * x
        return self.scale * x
"""


@pytest.mark.slow  # the classes of other subjects are tried in every run
def test_what_a_default_updates_is_declared(tmp_path: Path) -> None:
    tried(tmp_path, "counter", HEAD + COUNTER)
    assert 'updates = ("seen",)' in suite_text(tmp_path, "counter")


@pytest.mark.slow  # a run of its own, as others near it
def test_what_a_module_of_flax_sows_is_understood_and_its_growth_is_noticed(tmp_path: Path) -> None:
    text = """
class Net(nnx.Module):
    def __init__(self, din, dout, *, rngs):
        self.linear = nnx.Linear(din, dout, rngs=rngs)

    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "act", jnp.mean(y))
        return y
"""
    generated(tmp_path, {"net": HEAD + text})
    failed = forked_pytest(tmp_path / "nets", "--numbers=off", "-Wignore")
    assert "P12 purity, at `act`: the call updated it, and it is not among `updates`" in failed.stdout


def test_what_a_container_holds_is_updated_in_place(tmp_path: Path) -> None:
    means = """
from flax import nnx
import jax
import jax.numpy as jnp


class Means(nnx.Module):
    def __init__(self, size: int):
        self.means = nnx.Dict({"low": nnx.BatchStat(jnp.zeros(size)), "high": nnx.BatchStat(jnp.ones(size))})

    def follow(self, x: jax.Array, name: str = "low"):
        self.means[name][...] = 0.9 * self.means[name][...] + 0.1 * x
        return self.means[name][...]
"""
    generated(tmp_path, {"means": means})
    assert "self.means[name][...] = 0.9 * " in (tmp_path / "nets/means.py").read_text("utf-8")
