import warnings

import jax
import jax.numpy as jnp
from equinox.nn import State
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, param, static, test


@test(
    values={"shape": [2, 3]},
    unused=["key"],
    invariants=[
        "mean 0",
        "variance 1",
        "invariant under shift",
        "invariant under scale",
    ],
)
class LayerNorm(Module):
    """Normalise a whole array to mean 0 and variance 1, then scale and shift each entry.

    The statistics are computed in 32 bits at least; the output has the dtype of the input.
    """

    shape: tuple[int, ...] = static(
        converter=lambda shape: (shape,) if isinstance(shape, int) else tuple(shape)
    )
    """Shape of the input"""
    eps: float = static(1e-5)
    """Added to the variance"""
    use_weight: bool
    """Whether each entry is scaled"""
    use_bias: bool
    """Whether each entry is shifted"""
    weight: Float[Array, "*shape"] | None = param("ones", optional="use_weight")
    bias: Float[Array, "*shape"] | None = param("zeros", optional="use_bias")

    def __init__(
        self,
        shape: int | list[int],
        eps: float = 1e-5,
        use_weight: bool = True,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        elementwise_affine: bool | None = None,
    ) -> None:
        if elementwise_affine is not None:
            warnings.warn(
                "`elementwise_affine` is deprecated: use `use_weight` and `use_bias`"
            )
            use_weight = use_bias = elementwise_affine
        self.eps = eps
        self.use_weight = use_weight
        self.use_bias = use_bias

    def __call__(
        self,
        x: Float[Array, "*shape"],
        state: State | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ):
        """Normalise `x`. With a `state`, return it unchanged beside the output, as `equinox.nn.BatchNorm` does."""
        if x.shape != self.shape:
            raise ValueError(
                f"`x` must have shape {self.shape}, got {x.shape}; use `jax.vmap` for further axes"
            )
        with jax.numpy_dtype_promotion("standard"):
            dtype = jnp.result_type(x.dtype, jnp.float32)
        y = x.astype(dtype)
        variance = jnp.maximum(0.0, jnp.var(y))
        y = (y - jnp.mean(y)) * jax.lax.rsqrt(variance + self.eps)
        if self.weight is not None:
            y = y * self.weight.astype(dtype)
        if self.bias is not None:
            y = y + self.bias.astype(dtype)
        y = y.astype(x.dtype)
        return y if state is None else (y, state)
