import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from affine import Affine
from filter_specs import trained_fields
from whiten import Whiten


class Regressor(eqx.Module):
    """A network of one hidden layer on inputs that are whitened first, by statistics
    that are buffers.
    """

    whiten: Whiten
    hidden: Affine
    out: Affine

    @classmethod
    def create(
        cls,
        whiten: Whiten,
        size: int,
        hidden_size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Regressor":
        """Build an instance.

        **Arguments:**

        - `whiten`: Shift and scale of the inputs.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        hidden_key, out_key = jax.random.split(key, 2)
        return cls(
            whiten=whiten,
            hidden=Affine.create(hidden_size, size, dtype=dtype, key=hidden_key),
            out=Affine.create(1, hidden_size, dtype=dtype, key=out_key),
        )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " 1"]:
        return self.out(jnp.tanh(self.hidden(self.whiten(x))))

    def trainable(self) -> "Regressor":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self)
