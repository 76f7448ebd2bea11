"""Sizes that a class splits its data by: each is smaller than what it splits, and both parts together are the whole."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

PART = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Part(eqx.Module):
    inner_dim: int = eqx.field(static=True)
    inner: eqx.nn.Linear
    outer: eqx.nn.Linear

    def __init__(self, dim: int, inner_dim: int, *, key: jax.Array):
        first, second = jax.random.split(key)
        self.inner_dim = inner_dim
        self.inner = eqx.nn.Linear(inner_dim, inner_dim, key=first)
        self.outer = eqx.nn.Linear(dim, dim, key=second)

    def __call__(self, x: Float[Array, " channels"]) -> Float[Array, " channels"]:
        a, b = jnp.split(x, [self.inner_dim], axis=0)
        return self.outer(jnp.concat([self.inner(a), b], axis=0))
"""


@pytest.mark.slow
def test_a_share_is_smaller_than_what_it_is_split_off(tmp_path: Path) -> None:
    tried(tmp_path, "part", PART)
    text = suite_text(tmp_path, "part")
    assert '"dim": 3,' in text and "return (sample(seed, (3,)),)" in text and "guessed" not in text


@pytest.mark.slow
def test_a_share_that_nothing_makes_smaller_is_a_guess(tmp_path: Path) -> None:
    text = PART.replace('" channels"', '" 2"').replace("Linear(dim, dim", "Linear(2, 2")
    generated(tmp_path, {"part": text.replace("self, dim: int, ", "self, ")})
    said = forked_pytest(tmp_path / "nets", "--numbers=off").stdout
    assert "not tried: the example of `__call__` is a guess" in said and "fault" not in said
