import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float


class Whiten(eqx.Module):
    """Shift and scale by statistics of the data, then by a gain that is trained.

    The statistics are buffers: no gradient reaches them, and `trainable` keeps them
    from the optimiser, whose weight decay would move them all the same.
    """

    mean: Float[Array, " size"]
    deviation: Float[Array, " size"]
    gain: Float[Array, " size"]
    epsilon: float = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        mean: Float[ArrayLike, " size"],
        deviation: Float[ArrayLike, " size"],
        size: int,
        epsilon: float = 1e-06,
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
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            mean=jnp.array(mean, dtype),
            deviation=jnp.array(deviation, dtype),
            gain=jnp.ones((size,), dtype),
            epsilon=float(epsilon) if type(epsilon) is int else epsilon,
        )

    def __check_init__(self) -> None:
        if type(self.epsilon) is not float or math.isnan(self.epsilon):
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
