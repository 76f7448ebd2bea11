import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from abstract_norm import AbstractNorm


@final
class MaxNorm(AbstractNorm):
    """Divide by the largest entry."""

    size: int = eqx.field(static=True)
    gain: Float[Array, " size"]
    floor: float = eqx.field(static=True)

    @classmethod
    def create(
        cls, size: int, floor: float = 0.001, dtype: DTypeLike | None = None
    ) -> "MaxNorm":
        """Build an instance.

        **Arguments:**

        - `size`: `int`; static, part of the treedef.
        - `floor`: The least divisor; static, part of the treedef.
        - `dtype`: dtype of the floating-point arrays; jax's default float if None.

        **Raises:**

        - `TypeError` if `size` or `floor` do not have their declared types.
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
            raise TypeError(
                "`size` is static, so it must be an int (a NumPy scalar has "
                f"`.item()`), got {self.size!r}"
            )
        if type(self.floor) is not float or math.isnan(self.floor):
            raise TypeError(
                "`floor` is static, so it must be a float other than NaN (a "
                f"NumPy scalar has `.item()`), got {self.floor!r}"
            )
        if not (self.floor > 0):
            raise ValueError(f"`floor` must satisfy `floor > 0`, got {self.floor!r}")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """The vector, divided by its largest entry.

        **Arguments:**

        - `x`: float array of shape `(size,)`.

        **Returns:**

        Float array of shape `(size,)`.
        """
        return self.gain * x / jnp.maximum(jnp.max(jnp.abs(x)), self.floor)
