import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray


class Affine(eqx.Module):
    """An affine map x -> W x + b."""

    weight: Float[Array, "out_size in_size"]
    bias: Float[Array, " out_size"] | None

    @classmethod
    def create(
        cls,
        out_size: int,
        in_size: int,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Affine":
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            weight=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                key, (out_size, in_size), dtype
            ),
            bias=jnp.zeros((out_size,), dtype) if use_bias else None,
        )

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        y = self.weight @ x
        return y if self.bias is None else y + self.bias
