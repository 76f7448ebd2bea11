"""Words of typing by the names that packages have for them, and keys within annotations of jaxtyping."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

PAIR = """
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float
{line}


Pair = {head}[Float[Array, " n"], Float[Array, " n"]]


class Group(eqx.Module):
    n: int

    def __call__(self, carry: Pair) -> Pair:
        a, b = carry
        return a * b, jnp.ones(self.n, b.dtype) + b
"""


@pytest.mark.parametrize(
    ("line", "head"),
    [("from beartype.typing import Tuple", "Tuple"), ("import beartype.typing as bt", "bt.Tuple")],
)
def test_a_tuple_is_one_by_the_name_of_any_package(tmp_path: Path, line: str, head: str) -> None:
    tried(tmp_path, "group", PAIR.format(line=line, head=head))
    assert "sample(seed + 10, (2,))," in suite_text(tmp_path, "group")


DRAWN = """
from typing import Optional

import equinox as eqx
import jax
from jaxtyping import Array, Float, PRNGKeyArray, Shaped


class Start(eqx.Module):
    size: int

    def __call__(self, x: Float[Array, " size"], key: Optional[Shaped[PRNGKeyArray, ""]] = None) -> Float[Array, " size"]:
        return x if key is None else x + jax.random.normal(key, (self.size,), x.dtype)
"""


@pytest.mark.slow
def test_an_array_of_keys_of_any_dtype_is_a_key(tmp_path: Path) -> None:
    tried(tmp_path, "start", DRAWN)
    assert 'sample(seed + 1, (), "key")' in suite_text(tmp_path, "start")
