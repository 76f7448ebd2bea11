"""Example values: well-spread numbers, and weights that tell elements apart."""

import functools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import on_device, real_dtype


def sample(
    seed: int,
    shape: Sequence[int] = (),
    dtype: str = "float",
    low: int = 0,
    high: int = 2,
    *,
    positive: bool = False,
) -> jax.Array:
    """Return well-spread example values: floats of size 0.1 to 1, integers in `[low, high)`.

    No two floats of an array have the same size. Every other float is negative, and so is a scalar for an odd
    seed. With `positive`, all floats are above 0.
    """
    if dtype == "key":
        key = jax.random.key(seed)
        return jax.random.split(key, tuple(shape)) if shape else key
    kind = real_dtype(dtype)
    return on_device(_spread(seed, tuple(shape), kind, low, high, positive), kind)


@functools.lru_cache(maxsize=1024)
def _spread(
    seed: int, shape: tuple[int, ...], kind: np.dtype, low: int, high: int, positive: bool
) -> np.ndarray:
    """Cache the values of `sample`, which laws use repeatedly."""
    rng = np.random.default_rng(seed)
    size = math.prod(shape)
    order = rng.permutation(size).reshape(shape)
    if jnp.issubdtype(kind, jnp.bool_):
        return order % 2 == 0
    if jnp.issubdtype(kind, jnp.integer):
        return (order + seed) % (high - low) + low
    spread = 0.1 + 0.9 * (order + rng.uniform(0.1, 0.9, shape)) / max(size, 1)
    if not positive:
        spread = np.where((order + seed) % 2 == 1, -spread, spread)
    is_complex = jnp.issubdtype(kind, jnp.complexfloating)
    return spread + 1j * np.flip(spread) if is_complex else spread


def weights(seed: int, shape: Sequence[int], dtype: str = "float32") -> jax.Array:
    """Return distinct positive numbers, by which laws tell elements apart."""
    return sample(seed, shape, dtype, positive=True)
