"""Types of Variables that a file defines: their names are its own, and no optimiser trains them."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

STREAM = """\
import jax.numpy as jnp
from flax import nnx


class Cache(nnx.Variable):
    pass


class Stream(nnx.Module):
    def __init__(self, channels, *, rngs):
        self.linear = nnx.Linear(channels, channels, rngs=rngs)
        self.cache = Cache(jnp.zeros((2, channels)))

    def push(self, x):
        return self.linear(x)

    def reset(self):
        self.cache[...] = jnp.zeros_like(self.cache[...])
"""


@pytest.mark.parametrize("name", ["Cache", "BatchStat", "FrameCache"])
def test_a_variable_of_the_file_is_its_own_and_no_parameter(tmp_path: Path, name: str) -> None:
    tried(tmp_path, "stream", STREAM.replace("Cache(", f"{name}("))
    suite = suite_text(tmp_path, "stream")
    assert f'Var("cache", {name}, below=True, flows=True)' in suite
    assert f"import {name}, Stream" in suite
