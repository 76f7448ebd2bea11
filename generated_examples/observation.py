import dataclasses
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float


def _real(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of floats; other numbers take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    is_float = jnp.issubdtype(held, jnp.floating)
    return jnp.array(value, held if is_float else jnp.result_type(float))


@final
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class Observation:
    """What a sensor saw, and which one it was."""

    value: Float[Array, " size"]
    noise: Float[Array, "size size"]
    sensor: str = dataclasses.field(metadata={"static": True})

    @classmethod
    def create(
        cls,
        value: Float[ArrayLike, " size"],
        noise: Float[ArrayLike, "size size"],
        sensor: str,
    ) -> "Observation":
        """Build an instance.

        **Arguments:**

        - `noise`: Covariance of the noise.
        - `sensor`: Name of the sensor.
        """
        (size,) = np.shape(value)
        if np.shape(noise) != (size, size):
            raise ValueError(
                f"`noise` has shape {np.shape(noise)}, and `value` {np.shape(value)}"
            )
        node = cls(
            value=_real(value),
            noise=_real(noise),
            sensor=sensor,
        )
        node._check()
        return node

    def _check(self) -> None:
        if type(self.sensor) is not str:
            raise TypeError(
                f"`sensor` is static and must be a str, got {self.sensor!r}"
            )

    def trainable(self) -> "Observation":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree.map(lambda _: False, self)
