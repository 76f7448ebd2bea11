"""Modules of NNX whose Variables say how they are sharded are built where there is no mesh."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import PartitionSpec as P


class Dense(nnx.Module):
    def __init__(self, in_size: int, out_size: int, *, rngs: nnx.Rngs):
        self.kernel = nnx.Param(rngs.params.normal((in_size, out_size)), out_sharding=P("fsdp", None))

    def __call__(self, x: jax.Array) -> jax.Array:
        return x @ self.kernel[...]


class Twice(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.dense = Dense(size, size, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return 2 * self.dense(x)
"""
asked = asked_of("sharded", SOURCE)


@pytest.mark.slow
def test_a_module_that_is_made_in_a_mesh_is_built_without_one(asked: Asked) -> None:
    for name in ("Dense", "Twice"):
        answer = asked.adopt(name)
        assert answer["maker"] == f"unsharded({name})" and answer["called"]
        assert "with nnx.use_eager_sharding(False):" in answer["helpers"][0]
