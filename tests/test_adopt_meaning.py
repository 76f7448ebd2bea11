"""What a call is given means something: sizes of a class that is small enough, domains by names, and the class that is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import write_tree
from tests.test_adopt import adopt

SOURCE = '''
import abc
import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@dataclasses.dataclass(frozen=True)
class Config:
    vocab_size: int = 30000
    hidden_size: int = 768
    head_size: int = 64
    num_heads: int = 12
    num_layers: int = 24
    pad_token_id: int = 29999


class Language(eqx.Module):
    """A model whose configuration is of full size."""

    table: jax.Array
    weights: list[jax.Array]

    def __init__(self, config: Config, *, key: jax.Array):
        if config.head_size * config.num_heads != config.hidden_size:
            raise ValueError("the heads do not fill the hidden size")
        self.table = jax.random.normal(key, (config.vocab_size, config.hidden_size), "float32")
        self.weights = [
            jax.random.normal(key, (config.hidden_size, config.hidden_size), "float32") / layer
            for layer in range(1, config.num_layers + 1)
        ]

    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = self.table[tokens]
        for weight in self.weights:
            x = jnp.tanh(x @ weight)
        return x


class Heavy(eqx.Module):
    """A layer that is large by default."""

    weight: jax.Array

    def __init__(self, width: int = 2048, *, key: jax.Array):
        self.weight = jax.random.normal(key, (width, width), "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight @ x
'''


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = write_tree(tmp_path_factory.mktemp("meaning"), {"meaning.py": SOURCE})
    report = json.loads(adopt(folder, "meaning", "--json").stdout)
    return {one["class"].rpartition(":")[2]: one for one in report["classes"]}


def test_a_configuration_of_full_size_is_reduced(adopted: dict[str, Any]) -> None:
    built = adopted["Language"]["built"]
    assert "hidden_size=48, head_size=4, num_layers=2, pad_token_id=0" in built, built
    assert adopted["Language"]["arguments"]


def test_a_large_default_is_reduced(adopted: dict[str, Any]) -> None:
    assert adopted["Heavy"]["built"] == "Heavy(key=jax.random.key(seed), width=128)"
