import math

import equinox as eqx
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from abstract_norm import AbstractNorm


class MaxNorm(AbstractNorm):
    """Divide by the largest entry."""

    size: int = eqx.field(static=True)
    gain: Float[Array, " size"]
    floor: float = eqx.field(static=True, default=0.001)

    @classmethod
    def create(
        cls, size: int, floor: float = 0.001, dtype: DTypeLike | None = None
    ) -> "MaxNorm":
        """Build an instance.

        **Arguments:**

        - `floor`: The least divisor.

        **Raises:**

        - `ValueError` unless `floor > 0`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            size=size,
            gain=jnp.ones((size,), dtype),
            floor=float(floor) if type(floor) is int else floor,
        )

    def __check_init__(self) -> None:
        if type(self.size) is not int:
            raise TypeError(f"`size` is static and must be an int, got {self.size!r}")
        if type(self.floor) not in (float, int) or math.isnan(self.floor):
            raise TypeError(
                "`floor` is static and must be a float other than NaN, got "
                f"{self.floor!r}"
            )
        if not (self.floor > 0):
            raise ValueError(f"`floor` must satisfy `floor > 0`, got {self.floor!r}")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """The vector, divided by its largest entry."""
        return self.gain * x / jnp.maximum(jnp.max(jnp.abs(x)), self.floor)
