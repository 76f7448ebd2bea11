"""Findings in flax.nnx.nn."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.adopt_findings.rows import (
    in_bfloat16,
    is_zero,
    key,
    raises,
    row,
)


def rngs() -> Any:
    from flax import nnx

    return nnx.Rngs(0)


def slope_of_scale(layer: Any, shape: tuple[int, ...]) -> Any:
    from flax import nnx

    x = jax.random.normal(key(), shape)
    return nnx.grad(lambda one: (one(x) ** 3).sum())(layer)["scale"][...]


@row("flax.nnx.SpectralNorm", "P12", "the call changes the kernel of the layer that it was given")
def flax_spectral() -> bool:
    from flax import nnx

    layer = nnx.Linear(3, 2, rngs=rngs())
    before = np.array(layer.kernel[...])
    nnx.SpectralNorm(layer, rngs=rngs())(jnp.ones(3), update_stats=True)
    return not np.array_equal(before, layer.kernel[...])


@row(
    "flax.nnx.WeightNorm", "P2", "its scales are plain arrays in a dict, and no Variable: nothing trains them"
)
def flax_scales() -> bool:
    from flax import nnx

    one: Any = nnx.WeightNorm(nnx.Linear(3, 2, rngs=rngs()), rngs=rngs())
    return not any(isinstance(scale, nnx.Variable) for scale in one.scales.values())


@row("flax.nnx.RNN", "P7", "with all parameters and inputs in bfloat16 it is float32")
def flax_rnn() -> bool:
    from flax import nnx

    one = nnx.RNN(nnx.GRUCell(3, 2, rngs=rngs()), rngs=rngs())
    nnx.update(one, in_bfloat16(nnx.state(one, nnx.Param)))
    return one(jnp.ones((4, 3), jnp.bfloat16)).dtype == jnp.float32


@row(
    "flax.nnx.MultiHeadAttention", "P8", "the bias of the keys changes no output: softmax takes it off again"
)
def flax_key_bias() -> bool:
    from flax import nnx

    x = jax.random.normal(key(), (3, 4))
    one = nnx.MultiHeadAttention(2, 4, rngs=rngs(), decode=False)
    slope = nnx.grad(lambda one: (one(x) ** 2).sum())(one)
    return bool(jnp.abs(slope["key"]["bias"][...]).max() < 1e-5 < jnp.abs(slope["query"]["bias"][...]).max())


@row(
    "flax.nnx.BatchNorm",
    "P9",
    "the running mean has no gradient by the data that it is a mean of; it is cut off, as the call does not use it",
    now="mended",
)
def flax_running_mean() -> bool:
    from flax import nnx

    one, x = nnx.BatchNorm(4, rngs=rngs()), jnp.ones((5, 4))
    by_statistics = nnx.DiffState(0, nnx.BatchStat)
    return not is_zero(nnx.grad(lambda one: one(x).sum(), argnums=by_statistics)(one)["mean"][...])


@row(
    "flax.nnx.Dropout",
    "P6, P12, P16",
    "the call changes what it is given, and a flag ends no noise; it had been given streams of its own",
    now="mended",
)
def flax_dropout() -> bool:
    from flax import nnx

    one = nnx.Dropout(0.5, rngs=rngs())
    return not np.array_equal(one(jnp.ones(5), deterministic=True), jnp.ones(5))


@row(
    "flax.nnx.SimpleCell",
    "P7",
    "`residual=True` raises; with a pair for the carry, which is one vector",
    now="mended",
)
def flax_residual() -> bool:
    from flax import nnx

    one = nnx.SimpleCell(3, 2, residual=True, rngs=rngs())
    return raises(lambda: one(jnp.ones(2), jnp.ones(3)))


@row(
    "flax.nnx: BatchNorm, GroupNorm, InstanceNorm",
    "P8, P9",
    "the scale has no gradient; over one element alone",
    3,
    "mended",
)
def flax_norms() -> bool:
    from flax import nnx

    return is_zero(slope_of_scale(nnx.GroupNorm(32, rngs=rngs()), (5, 7, 32)))
