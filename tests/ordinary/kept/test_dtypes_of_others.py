"""Classes that stay as they are written, and what their `dtype` is: that of what they make, or that of what they compute."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried

HEAD = """\
import jax
import jax.numpy as jnp
from flax import nnx
from flax.typing import Dtype
from jaxtyping import Array, Float


"""
OF_FLAX = """\
class Scaled(nnx.Module):
    def __init__(self, size: int, dtype: Dtype | None = None, param_dtype: Dtype = jnp.float32, *, rngs: nnx.Rngs):
        self.param_dtype = param_dtype
        self.inner = nnx.Linear(size, size, dtype=dtype, param_dtype=param_dtype, rngs=rngs)

    def __call__(self, x: Float[Array, "size"]) -> Float[Array, "size"]:
        return self.inner(x)
"""
KEPT = """\
class Scaled(nnx.Module):
    def __init__(self, size: int, dtype: Dtype = jnp.float32, *, rngs: nnx.Rngs):
        self.dtype = dtype
        self.gain = nnx.Param(jax.random.normal(rngs.params(), (size,)))

    def __call__(self, x: Float[Array, "size"]) -> Float[Array, "size"]:
        return jnp.asarray(self.gain[...] * x, self.dtype).astype(x.dtype)
"""
MAKING = KEPT.replace("(size,))", "(size,), dtype)")
UNKNOWN = """\
class Followed(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.gain = nnx.Param(jax.random.normal(rngs.params(), (size,)))
        means: dict[str, nnx.BatchStat] = {}
        for name in ("first", "second"):
            means[name] = nnx.BatchStat(jnp.zeros(size))
        self.means = nnx.data(means)

    def __call__(self, x: Float[Array, "size"]) -> Float[Array, "size"]:
        return self.gain[...] * x + self.means["first"][...] - self.means["second"][...]
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", [OF_FLAX, KEPT])
def test_a_dtype_in_which_is_computed_is_not_that_of_variables(tmp_path: Path, text: str) -> None:
    tried(tmp_path, "scaled", HEAD + text)
    assert "takes_dtype" not in suite_text(tmp_path, "scaled")


def test_a_dtype_in_which_variables_are_made_reaches_them(tmp_path: Path) -> None:
    generated(tmp_path, {"scaled": HEAD + MAKING})
    assert "takes_dtype = True" in suite_text(tmp_path, "scaled")


@pytest.mark.slow  # a run of its own
def test_variables_of_which_nothing_is_read_are_not_called_undeclared(tmp_path: Path) -> None:
    tried(tmp_path, "followed", HEAD + UNKNOWN)
