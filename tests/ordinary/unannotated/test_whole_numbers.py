"""Arguments without an annotation that hold whole numbers, as code that takes elements by them says; a cast holds others."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried, whole_suite

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
"""
LAYER = """

class Layer(eqx.Module):
    mlp: eqx.nn.Linear

    def __init__(self, dim, *, key):
        self.mlp = eqx.nn.Linear(2 * dim, dim, key=key)

    def __call__(self, h, edges):
        src, dst = edges
        messages = jax.vmap(self.mlp)(jnp.concatenate([h[dst], h[src]], axis=-1))
        return h + jax.ops.segment_sum(messages, dst, num_segments=h.shape[0])
"""
TABLE = """

class Table(eqx.Module):
    values: jax.Array

    def __init__(self, size, *, key):
        self.values = jax.random.normal(key, (size,))

    def lookup(self, x):
        i = jnp.floor(x).astype(jnp.int32)
        frac = x - i
        return (1 - frac) * self.values[i] + frac * self.values[i + 1]
"""


@pytest.mark.parametrize(
    ("name", "text", "given"),
    [
        ("layer", LAYER, 'sample(seed + 1, (2, 7), "int32"),'),
        ("table", TABLE, 'Method("lookup", lambda seed: (sample(seed, (3,)),))'),
    ],
)
def test_it_is_given_what_its_code_takes(tmp_path: Path, name: str, text: str, given: str) -> None:
    tried(tmp_path, name, HEAD + text)
    assert given in suite_text(tmp_path, name)


@pytest.mark.parametrize(
    "entry",
    [
        "self.table[t]",
        "self.table[2 * t - 1]",
        "self.table.at[t].set(0.0)",
        "jnp.take(self.table, t)",
        "jax.lax.dynamic_index_in_dim(self.table, t)",
        "jax.lax.dynamic_update_slice_in_dim(self.table, x, t, 0)",
    ],
)
def test_a_place_is_a_whole_number_whatever_its_name(tmp_path: Path, entry: str) -> None:
    table = f"""

class Table(eqx.Module):
    table: jax.Array

    def __init__(self, size, *, key):
        self.table = jax.random.normal(key, (size,))

    def lookup(self, x: Float[Array, " 2"], t):
        return {entry}
"""
    whole_suite(tmp_path, "table", f"{HEAD}from jaxtyping import Array, Float\n{table}")
    assert '(sample(seed, (2,)), sample(seed + 1, (), "int32"))' in suite_text(tmp_path, "table")
