"""Containers of arrays of which no more is known, `tuple[jax.Array, ...]`: kept as they are, array by array."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

SKELETON = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, data, param, test


@test(
    values={
        "basis": lambda: (jnp.eye(2), jnp.ones((3, 2))),
        "pair": lambda: (jnp.ones(2), jnp.ones(3)),
        "fixed": lambda: [jnp.eye(2), jnp.ones((2, 2))],
        "blank": lambda: (jnp.ones((2, 2)),),
    }
)
class Chain(Module):
    basis: tuple[jax.Array, ...] = param()
    pair: tuple[jax.Array, jax.Array] = data()
    fixed: list[jax.Array] = buffer()
    blank: tuple[Float[Array, "_ _"], ...] = buffer()

    def __call__(self, x: Float[Array, "2"]) -> Float[Array, "2"]:
        for matrix in self.basis:
            x = (matrix @ x)[:2]
        return x + self.pair[0] + self.pair[1][:2] + self.fixed[0] @ x + self.blank[0].sum()
"""

BUFFERS = """
import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, test
import jax.numpy as jnp


@test(values={"mean": lambda: jnp.ones(2)})
class Scale(Module):
    mean: jax.Array = buffer()
    std: Float[Array, "n"] = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        count = len(self.mean) * self.mean.size
        return count * x.astype(self.mean.dtype) * self.mean + x.astype(self.std.dtype) * self.std
"""


@pytest.mark.slow
def test_each_array_is_copied_and_buffers_are_neither_trained_nor_differentiated(tmp_path: Path) -> None:
    module = tried(tmp_path, "chain", SKELETON)
    assert "jnp.result_type(basis)" not in module, "arrays of other shapes, and dtypes, are no one array"
    assert 'path[0].name not in ("pair", "fixed", "blank")' in module
    assert "jax.lax.stop_gradient(self.fixed)[0] @ x" in module and "stop_gradient(self.blank)" in module


def test_what_is_known_of_a_buffer_without_its_values_is_asked_as_it_is(tmp_path: Path) -> None:
    module = tried(tmp_path, "scale", BUFFERS)
    assert "count = len(self.mean) * self.mean.size" in module
    assert "x.astype(self.mean.dtype)" in module and module.count("jax.lax.stop_gradient(") == 2
