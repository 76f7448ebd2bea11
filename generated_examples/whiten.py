import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float


def _real(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy in `dtype`; without it floats keep theirs, and others take jax's default."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    if dtype is None:
        dtype = held if jnp.issubdtype(held, jnp.floating) else jnp.result_type(float)
    return jnp.array(value, dtype)


class Whiten(eqx.Module):
    """Shift and scale by statistics of the data, then by a gain that is trained.

    The statistics are buffers: no gradient reaches them, and `trainable` keeps them
    from the optimiser, whose weight decay would move them all the same.
    """

    mean: Float[Array, " size"]
    deviation: Float[Array, " size"]
    gain: Float[Array, " size"]
    epsilon: float = eqx.field(static=True, default=1e-6)

    @classmethod
    def create(
        cls,
        mean: Float[ArrayLike, " size"],
        deviation: Float[ArrayLike, " size"],
        epsilon: float = 1e-6,
        dtype: DTypeLike | None = None,
    ) -> "Whiten":
        """Build an instance.

        **Arguments:**

        - `mean`: Mean of the data, in its units.
        - `deviation`: Standard deviation of the data, in its units.
        - `epsilon`: Added to the deviation.

        **Raises:**

        - `ValueError` unless `epsilon > 0`.
        """
        (size,) = np.shape(mean)
        if np.shape(deviation) != (size,):
            raise ValueError(
                f"`deviation` has shape {np.shape(deviation)}, "
                f"and `mean` {np.shape(mean)}"
            )
        asked = dtype
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            mean=_real(mean, asked),
            deviation=_real(deviation, asked),
            gain=jnp.ones((size,), dtype),
            epsilon=float(epsilon) if type(epsilon) is int else epsilon,
        )

    def __check_init__(self) -> None:
        if type(self.epsilon) not in (float, int) or math.isnan(self.epsilon):
            raise TypeError(
                "`epsilon` is static and must be a float other than NaN, got "
                f"{self.epsilon!r}"
            )
        if not (self.epsilon > 0):
            raise ValueError(
                f"`epsilon` must satisfy `epsilon > 0`, got {self.epsilon!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return (
            self.gain
            * (x - jax.lax.stop_gradient(self.mean))
            / (jax.lax.stop_gradient(self.deviation) + self.epsilon)
        )

    def trainable(self) -> "Whiten":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: (
                path[0].name not in ("mean", "deviation") and eqx.is_inexact_array(leaf)
            ),
            self,
        )
