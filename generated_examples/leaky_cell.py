import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray


class LeakyCell(eqx.Module):
    """A leaky integrator: h' = r h + (1 - r) tanh(W x + U h + b), with a trained rate r
    in (0, 1) for each unit.
    """

    weight_in: Float[Array, "hidden_size in_size"]
    weight_hidden: Float[Array, "hidden_size hidden_size"]
    bias: Float[Array, " hidden_size"]
    logit: Float[Array, " hidden_size"]
    """Logit of the rate"""

    @classmethod
    def create(
        cls,
        hidden_size: int,
        in_size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "LeakyCell":
        dtype = jnp.result_type(float) if dtype is None else dtype
        weight_in_key, weight_hidden_key, logit_key = jax.random.split(key, 3)
        return cls(
            weight_in=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                weight_in_key, (hidden_size, in_size), dtype
            ),
            weight_hidden=jax.nn.initializers.orthogonal()(
                weight_hidden_key,
                (hidden_size, hidden_size),
                np.promote_types(dtype, np.float32),
            ).astype(dtype),
            bias=jnp.zeros((hidden_size,), dtype),
            logit=jax.random.normal(logit_key, (hidden_size,), dtype),
        )

    @property
    def rate(self) -> Float[Array, " hidden_size"]:
        """Share of the state that is kept; in (0, 1), shape `(hidden_size,)`."""
        return jax.nn.sigmoid(self.logit)

    def __call__(
        self, hidden: Float[Array, " hidden_size"], x: Float[Array, " in_size"]
    ) -> Float[Array, " hidden_size"]:
        """One step: the next hidden state."""
        drive = jnp.tanh(self.weight_in @ x + self.weight_hidden @ hidden + self.bias)
        return self.rate * hidden + (1 - self.rate) * drive
