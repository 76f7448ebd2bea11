"""Fields and arguments that are said to be of a dtype: scalars, by the words of Flax's dataclasses."""

from pathlib import Path

from tests.ordinary.generated import suite_text, tried

POINT = """
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Point:
    x: jnp.float32
    count: jnp.int32
    on: jnp.bool_

    def moved(self, by: jnp.float32):
        return self.x + by
"""


def test_a_dtype_says_a_scalar(tmp_path: Path) -> None:
    module = tried(tmp_path, "point", POINT)
    tests = suite_text(tmp_path, "point")
    assert "    x: jnp.float32" in module and '"x": sample(seed, (), "float32")' in tests
    assert '(), "int32")' in tests and '(), "bool")' in tests and "guessed" not in tests
