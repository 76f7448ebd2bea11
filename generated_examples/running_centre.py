import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float


class RunningCentre(eqx.Module):
    """Shift and scale by running statistics of the batches seen in training, then by a
    gain that is trained.

    The statistics are state: `eqx.nn.make_with_state(RunningCentre.create)(size)` gives
    the layer and its state.
    """

    mean: eqx.nn.StateIndex[Float[Array, " size"]]
    variance: eqx.nn.StateIndex[Float[Array, " size"]]
    gain: Float[Array, " size"]
    inference: bool = False
    decay: float = eqx.field(static=True, default=0.9)

    @classmethod
    def create(
        cls,
        size: int,
        inference: bool = False,
        decay: float = 0.9,
        dtype: DTypeLike | None = None,
    ) -> "RunningCentre":
        """Build an instance.

        **Arguments:**

        - `inference`: Whether the statistics stay as they are.
        - `decay`: Share of the statistics that a batch leaves.

        **Raises:**

        - `ValueError` unless `0 < decay < 1`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            mean=eqx.nn.StateIndex(jnp.zeros((size,), dtype)),
            variance=eqx.nn.StateIndex(jnp.ones((size,), dtype)),
            gain=jnp.ones((size,), dtype),
            inference=inference,
            decay=float(decay) if type(decay) is int else decay,
        )

    def __check_init__(self) -> None:
        if type(self.decay) not in (float, int) or math.isnan(self.decay):
            raise TypeError(
                "`decay` is static and must be a float other than NaN, got "
                f"{self.decay!r}"
            )
        if not (0 < self.decay < 1):
            raise ValueError(
                f"`decay` must satisfy `0 < decay < 1`, got {self.decay!r}"
            )

    def __call__(
        self, x: Float[Array, " size"], state: eqx.nn.State
    ) -> tuple[Float[Array, " size"], eqx.nn.State]:
        """Centre and scale one example of a batch.

        Called under `jax.vmap` with `axis_name="batch"`, the state with `in_axes` and
        `out_axes` None.
        """
        if not self.inference:
            mean = jax.lax.pmean(x, "batch")
            variance = jax.lax.pmean((x - mean) ** 2, "batch")
            state = state.set(
                self.mean, self.decay * state.get(self.mean) + (1 - self.decay) * mean
            )
            state = state.set(
                self.variance,
                self.decay * state.get(self.variance) + (1 - self.decay) * variance,
            )
        deviation = jnp.sqrt(state.get(self.variance) + 1e-5)
        return self.gain * (x - state.get(self.mean)) / deviation, state

    def trainable(self) -> "RunningCentre":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: (
                path[0].name not in ("mean", "variance") and eqx.is_inexact_array(leaf)
            ),
            self,
        )
