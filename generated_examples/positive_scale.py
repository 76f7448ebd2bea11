import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray


class PositiveScale(eqx.Module):
    """Scale by positive numbers.

    The parameter is unconstrained and `scale` is computed from it at each use, so that
    no optimiser step and no edit can make a scale negative.
    """

    raw: Float[Array, " size"]
    """Inverse softplus of the scale"""

    @classmethod
    def create(
        cls, size: int, dtype: DTypeLike | None = None, *, key: PRNGKeyArray
    ) -> "PositiveScale":
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            raw=jax.random.normal(key, (size,), dtype),
        )

    @property
    def scale(self) -> Float[Array, " size"]:
        """The scale; positive, shape `(size,)`."""
        return jax.nn.softplus(self.raw)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.scale * x
