"""Findings in equinox.nn."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    gradient,
    is_zero,
    key,
    raises,
    row,
    same_after_loading,
    traces,
)


def pool(init: Any) -> Any:
    return eqx.nn.Pool(init, jax.lax.add, num_spatial_dims=1, kernel_size=2)(jnp.ones((1, 4)))


def weight_norm(seed: int) -> Any:
    return eqx.nn.WeightNorm(eqx.nn.Linear(3, 2, key=key(seed)))


@row("equinox.nn.PReLU", "P1", "`init_alpha=None`, which its annotation allows, raises")
def prelu_none() -> bool:
    return raises(lambda: eqx.nn.PReLU(None))


@row("equinox.nn.PReLU", "P5", "the slope is weakly typed, and no more so after an update")
def prelu_weak() -> bool:
    return eqx.nn.PReLU().negative_slope.weak_type


@row("equinox.nn.WeightNorm", "P6", "two instances of one configuration are traced twice")
def weight_norm_traces() -> bool:
    return traces(weight_norm) == 2


@row("equinox.nn.WeightNorm", "P14", "a partial among its leaves is another one after a load")
def weight_norm_loaded() -> bool:
    return not same_after_loading(weight_norm)


@row("equinox.nn.Pool", "P10", "`jax.vmap` over an `init` that is an array raises")
def pool_mapped() -> bool:
    return raises(lambda: jax.vmap(pool)(jnp.ones(2)))


@row(
    "equinox.nn.Pool",
    "P6",
    "the gradient by an `init` that is an array raises, and so does a step of training",
)
def pool_gradient() -> bool:
    return raises(lambda: jax.grad(lambda init: pool(init).sum())(0.5))


@row(
    "equinox.nn.Pool",
    "P12",
    "with an `init` that is an array, a call in jit raises where the instance is none of the inputs",
)
def pool_closed_over() -> bool:
    one = eqx.nn.Pool(jnp.array(0.5), jax.lax.add, num_spatial_dims=1, kernel_size=2)
    return raises(lambda: jax.jit(lambda x: one(x))(jnp.ones((1, 4))))


@row("equinox.nn.AdaptivePool", "P7", "an input smaller than the target raises `ZeroDivisionError`", 7)
def adaptive_pool() -> bool:
    return raises(lambda: eqx.nn.AdaptiveAvgPool1d(5)(jnp.ones((1, 3))), ZeroDivisionError)


@row(
    "equinox.nn.Embedding, Pool",
    "P1",
    "an array is stored as it was given: a copy of it is wanted",
    2,
    "style",
)
def embedding_copies() -> bool:
    given = jnp.ones((4, 3))
    return eqx.nn.Embedding(weight=given).weight is not given


@row("equinox.nn.SpectralNorm", "P9", "its weight has no gradient", now="mended")
def spectral_norm() -> bool:
    layer = eqx.nn.Linear(3, 2, key=key())
    node, state = eqx.nn.make_with_state(eqx.nn.SpectralNorm)(layer, "weight", key=key())
    return is_zero(gradient(lambda one: one(jnp.ones(3), state)[0], node).layer.weight)


@row("equinox.nn.RotaryPositionalEmbedding", "P5", "its static dtype cannot be hashed", now="mended")
def rotary() -> bool:
    return raises(lambda: hash(eqx.nn.RotaryPositionalEmbedding(4).dtype))
