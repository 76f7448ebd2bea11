import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray


def _real(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy in `dtype`; without it floats keep theirs, and others take jax's default."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    if dtype is None:
        dtype = held if jnp.issubdtype(held, jnp.floating) else jnp.result_type(float)
    return jnp.array(value, dtype)


class KeyCache(eqx.Module):
    """Attention of one query over keys and values that were computed before.

    The cache is data: no optimiser moves it, and a loss on what is read from it has a
    gradient with respect to what was put in.
    """

    to_query: Float[Array, "size in_size"]
    past_keys: Float[Array, "length size"]
    past_values: Float[Array, "length size"]
    mask: Float[Array, " length"]

    @classmethod
    def create(
        cls,
        in_size: int,
        past_keys: Float[ArrayLike, "length size"],
        past_values: Float[ArrayLike, "length size"],
        mask: Float[ArrayLike, " length"],
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "KeyCache":
        """Build an instance.

        **Arguments:**

        - `past_keys`: Keys of the positions so far.
        - `past_values`: Their values.
        - `mask`: What is added to each score: 0, or a large negative number.
        """
        length, size = np.shape(past_keys)
        if np.shape(past_values) != (length, size):
            raise ValueError(
                f"`past_values` has shape {np.shape(past_values)}, "
                f"and `past_keys` {np.shape(past_keys)}"
            )
        if np.shape(mask) != (length,):
            raise ValueError(
                f"`mask` has shape {np.shape(mask)}, "
                f"and `past_keys` {np.shape(past_keys)}"
            )
        asked = dtype
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            to_query=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                key, (size, in_size), dtype
            ),
            past_keys=_real(past_keys, asked),
            past_values=_real(past_values, asked),
            mask=_real(mask, asked),
        )

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " size"]:
        """Look up what `x` asks for."""
        scores = (
            self.past_keys @ (self.to_query @ x) / math.sqrt(self.past_keys.shape[1])
        )
        return (
            jax.nn.softmax(scores + jax.lax.stop_gradient(self.mask)) @ self.past_values
        )

    def trainable(self) -> "KeyCache":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: (
                path[0].name not in ("past_keys", "past_values", "mask")
                and eqx.is_inexact_array(leaf)
            ),
            self,
        )
