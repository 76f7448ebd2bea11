"""What a file has besides its classes, and comments and aliases of theirs: it stays, and the tests do not run into it."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray, Scalar
from scaffold.skeleton import Module, param
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


COMMENTED = """

class Pair(Module):
    first: Float[Array, " n"] = param("ones")

    def __iter__(self):  # type: ignore
        return iter((self.first,))

    def scaled(self, x: Float[Array, " n"]) -> Float[Array, " n"]:  # noqa: D102
        # the product
        return self.first * x
"""


def test_comments_of_signatures_stay(tmp_path: Path) -> None:
    generated(tmp_path, {"pair": HEAD + COMMENTED})
    text = (tmp_path / "nets/pair.py").read_text("utf-8")
    assert "def __iter__(self):  # type: ignore\n" in text
    assert ":  # noqa: D102\n        # the product\n" in text
    assert "instance.scaled(x)" in suite_text(tmp_path, "pair")


MIXING = """
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
"""


@pytest.mark.slow
def test_the_alias_of_a_type_stays_in_the_class(tmp_path: Path) -> None:
    module = tried(tmp_path, "mixing", HEAD + MIXING)
    assert "    rate: Rate" in module and "z: Pair, mask" in module


OF_PYTHON = """
class Bandit(Environment[int, float]):
    def __init__(self, arms: int = 2):
        super().__init__()
        self.arms = arms

    def means(self, action: Array) -> Array:
        return jnp.arange(self.arms)[action]
"""


def test_what_stores_and_annotates_nothing_is_a_class_of_python(tmp_path: Path) -> None:
    """Nothing says that jax knows an environment, whose base is of another package."""
    said = generated(tmp_path, {"bandit": f"from library import Environment\n{HEAD}{OF_PYTHON}"})
    assert "Bandit: not tested: jax knows no leaves of it\n" in said, said
    assert OF_PYTHON.strip() in (tmp_path / "nets/bandit.py").read_text("utf-8")
