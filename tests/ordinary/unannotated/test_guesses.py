"""Examples that the code alone suggests: they are guesses, which need not fit."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, call, data
"""


GUESSED = """
class Filter(eqx.Module):
    weight: jax.Array

    def __init__(self, n, m, *, key):
        self.weight = jax.random.normal(key, (n, m))

    def __call__(self, x):
        if x.ndim < 3:
            raise ValueError("three axes are needed")
        return x @ self.weight

    def twice(self, x):
        return self.weight @ x
"""


@pytest.mark.slow
def test_an_example_that_the_code_alone_suggests_is_not_tried_where_it_does_not_fit(tmp_path: Path) -> None:
    generated(tmp_path, {"filter": HEAD + GUESSED})
    assert 'guessed = ("__call__", "twice")\n' in suite_text(tmp_path, "filter")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert passed(ran) > 30
    said = "not tried: the example of `__call__` is a guess, and does not fit (ValueError: three axes are needed)"
    assert ran.stdout.count(f"\ntests/test_filter.py::TestFilter: {said}") == 1


@pytest.mark.slow  # a run of its own, as others near it
def test_an_edit_that_breaks_what_is_on_record_is_no_misfit(tmp_path: Path) -> None:
    text = GUESSED.replace("if x.ndim < 3", "if x.ndim != 1")
    generated(tmp_path, {"filter": HEAD + text})
    passed(forked_pytest(tmp_path / "nets", "--numbers=record"))
    module = tmp_path / "nets/filter.py"
    module.write_text(module.read_text("utf-8").replace("x.ndim != 1", "x.ndim < 3"), "utf-8")
    assert (
        "`call` on the example raised ValueError"
        in forked_pytest(tmp_path / "nets", "--numbers=check").stdout
    )
    module.write_text(module.read_text("utf-8").replace("self.weight @ x", "self.weight.T @ x"), "utf-8")
    failed = forked_pytest(tmp_path / "nets", "--numbers=check").stdout
    assert "P7 jit equals eager, at `twice`: it raised TypeError" in failed


@pytest.mark.slow
def test_a_mistake_of_a_guessed_example_is_no_misfit(tmp_path: Path) -> None:
    text = GUESSED.replace("if x.ndim < 3", "if x.dims != 3")
    generated(tmp_path, {"filter": HEAD + text})
    assert (
        "`call` on the example raised AttributeError"
        in forked_pytest(tmp_path / "nets", "--numbers=off").stdout
    )


RING = """
class Transition(NamedTuple):
    obs: jax.Array
    reward: jax.Array


class Ring(Module):
    obs: Float[Array, "capacity size"] = data("zeros")
    reward: Float[Array, " capacity"] = data("zeros")
    insert: Int[Array, ""] = data("zeros")

    @call(carry="self")
    def add(self, t: Transition) -> "Ring":
        i = self.insert
        new = (self.obs.at[i].set(t.obs), self.reward.at[i].set(t.reward), (i + 1.5) % 3)
        return eqx.tree_at(lambda b: (b.obs, b.reward, b.insert), self, new)
"""


def test_a_method_whose_example_does_not_fit_is_said_to_be_untried(tmp_path: Path) -> None:
    generated(tmp_path, {"ring": HEAD + RING.replace("t.reward)", "jnp.squeeze(t.reward, 0))")})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off", "-rs", "-k", "methods_give")
    assert "not tried: the example of `add` is a guess, and does not fit" in ran.stdout, ran.stdout


def test_a_mistake_is_told_of_a_method_that_puts_what_it_takes_into_its_arrays(tmp_path: Path) -> None:
    generated(tmp_path, {"ring": HEAD + RING})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "methods_give")
    assert "of the instance that it gives, `insert` is float32: it is int32 as built" in ran.stdout, (
        ran.stdout
    )


RECORD = """
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Cache(NamedTuple):
    ssm: Float[Array, "inner state"]


class Scan(Module):
    log_a: Float[Array, "inner state"] = param()

    def __init__(self, inner: int, order: int = 4):
        self.log_a = jnp.tile(jnp.arange(1, order + 1, dtype=jnp.float32), (inner, 1))

    def __call__(self, u: Float[Array, " inner"]) -> Float[Array, " inner"]:
        return u * self.log_a.sum(1)

    def step(self, cache: Cache, u: Float[Array, " inner"]) -> Cache:
        return Cache(cache.ssm * jnp.exp(self.log_a) + u[:, None])
"""


@pytest.mark.slow
def test_a_record_with_a_dim_whose_size_nothing_says_is_a_guess(tmp_path: Path) -> None:
    generated(tmp_path, {"scan": RECORD})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert passed(ran) > 100
    assert (
        "TestScan: not tried: the example of `step` is a guess, and does not fit (TypeError: mul got"
        in ran.stdout
    )


TIMED = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Timed(eqx.Module):
    mlp: eqx.nn.Linear
    width: int = eqx.field(static=True)

    def __init__(self, width: int = 8, *, key):
        self.mlp = eqx.nn.Linear(width, width, key=key)
        self.width = width

    def __call__(self, t, x):
        half = self.width // 2
        angles = t * jnp.exp(-jnp.arange(half) / half)
        return x + self.mlp(jnp.concatenate([jnp.cos(angles), jnp.sin(angles)]))
"""


@pytest.mark.slow
def test_a_time_is_one_number_for_a_table_of_frequencies(tmp_path: Path) -> None:
    tried(tmp_path, "timed", TIMED)
    assert "sample(seed, ())" in suite_text(tmp_path, "timed")
