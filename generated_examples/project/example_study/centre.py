import math

import jax
import jax.numpy as jnp
from flax import nnx
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from example_study.nnx_state import map_variables, restore_state


class Centre(nnx.Module):
    """Centre the input by a running mean, then mix it. Each call moves the mean towards
    its input.
    """

    mix: nnx.Param[Float[Array, "size size"]]
    mean: nnx.BatchStat[Float[Array, " size"]]
    momentum: float

    def __init__(
        self,
        size: int,
        momentum: float = 0.9,
        dtype: DTypeLike | None = None,
        *,
        rngs: nnx.Rngs,
    ):
        """Build an instance.

        **Arguments:**

        - `momentum`: How much of the mean a call keeps.

        **Raises:**

        - `ValueError` unless `0 <= momentum < 1`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        self.mix = nnx.Param(
            jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                rngs.params(), (size, size), dtype
            )
        )
        self.mean = nnx.BatchStat(jnp.zeros((size,), dtype))
        self.momentum = float(momentum) if type(momentum) is int else momentum
        if type(self.momentum) not in (float, int) or math.isnan(self.momentum):
            raise TypeError(
                "`momentum` is static and must be a float other than NaN, got "
                f"{self.momentum!r}"
            )
        if not (0 <= self.momentum < 1):
            raise ValueError(
                f"`momentum` must satisfy `0 <= momentum < 1`, got {self.momentum!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Update the running mean, and mix what is left of `x`."""
        self.mean[...] = self.momentum * self.mean[...] + (1 - self.momentum) * x
        return self.mix[...] @ (x - self.mean[...])

    def snapshot(self) -> nnx.State:
        """The state as it is now, which does not follow what the module does later."""
        return map_variables({}, self)

    def restore(self, state: nnx.State) -> None:
        """Take over the values of `state`, by path; `ValueError` where it does not fit."""
        restore_state(self, state)
