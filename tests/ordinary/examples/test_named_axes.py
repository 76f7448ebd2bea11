"""Sizes that have a name in a method, sums of rows by numbers, flags, and arguments as others of their name are."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

SKELETON = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Messages(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, size: int, *, key: jax.Array):
        self.linear = eqx.nn.Linear(size, size, key=key)

    def __call__(self, h, edges):
        source, target = edges
        count = h.shape[0]
        sent = jax.vmap(self.linear)(h)[source]
        return h + jax.ops.segment_sum(sent, target, num_segments=count)

    def energy(self, h, edges):
        return jnp.sum(self(h, edges) ** 2)

    def forces(self, h, edges):
        return -jax.grad(self.energy)(h, edges)

    def both(self, wanted):
        return jnp.where(wanted & (wanted > 0), 1.0, 2.0)
"""


@pytest.mark.slow
def test_what_they_say_of_graphs_is_enough_to_try_all_methods(tmp_path: Path) -> None:
    tried(tmp_path, "messages", SKELETON)
    suite = suite_text(tmp_path, "messages")
    assert 'lambda seed: (sample(seed, (5, 3)), sample(seed + 1, (2, 7), "int32"))' in suite
    assert 'Method("both", lambda seed: (sample(seed, (11,), "int32"),))' in suite
