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
        """Build an instance.

        **Arguments:**

        - `out_size`: the size `out_size` of `weight` or `bias`.
        - `in_size`: the size `in_size` of `weight`.
        - `use_bias`: whether there is a `bias`; it is None otherwise.
        - `dtype`: dtype of the floating-point arrays; jax's default float if None.
        - `key`: a PRNG key for the random initialisation; each random array gets a
            split of its own.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            weight=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                key, (out_size, in_size), dtype
            )
            if 0 not in (out_size, in_size)
            else jnp.zeros((out_size, in_size), dtype),
            bias=jnp.zeros((out_size,), dtype) if use_bias else None,
        )

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        """**Arguments:**

        - `x`: float array of shape `(in_size,)`.

        **Returns:**

        Float array of shape `(out_size,)`.
        """
        y = self.weight @ x
        return y if self.bias is None else y + self.bias
