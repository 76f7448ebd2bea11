import dataclasses
from typing import final

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float


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
        dtype: DTypeLike | None = None,
    ) -> "Observation":
        """Build an instance.

        **Arguments:**

        - `noise`: Covariance of the noise.
        - `sensor`: Name of the sensor.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        node = cls(
            value=jnp.array(value, dtype),
            noise=jnp.array(noise, dtype),
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
