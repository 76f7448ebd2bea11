import math
import warnings
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from equinox.nn import State
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray


class LayerNorm(eqx.Module):
    """Normalise a whole array to mean 0 and variance 1, then scale and shift each entry.

    The statistics are computed in 32 bits at least; the output has the dtype of the input.
    """

    shape: tuple[int, ...] = eqx.field(static=True)
    eps: float = eqx.field(static=True)
    use_weight: bool = eqx.field(static=True)
    use_bias: bool = eqx.field(static=True)
    weight: Float[Array, " *shape"] | None
    bias: Float[Array, " *shape"] | None

    def __init__(
        self,
        shape: int | Sequence[int],
        eps: float = 1e-5,
        use_weight: bool = True,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        elementwise_affine: bool | None = None,
    ) -> None:
        """Build an instance.

        **Arguments:**

        - `shape`: Shape of the input.
        - `eps`: Added to the variance.
        - `use_weight`: Whether each entry is scaled.
        - `use_bias`: Whether each entry is shifted.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        if elementwise_affine is not None:
            warnings.warn(
                "`elementwise_affine` is deprecated: use `use_weight` and `use_bias`"
            )
            use_weight = use_bias = elementwise_affine
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.shape = shape
        self.eps = float(eps) if type(eps) is int else eps
        self.use_weight = use_weight
        self.use_bias = use_bias
        self.weight = jnp.ones(shape, dtype) if use_weight else None
        self.bias = jnp.zeros(shape, dtype) if use_bias else None

    def __check_init__(self) -> None:
        if type(self.shape) is not tuple or any(
            type(item) is not int for item in self.shape
        ):
            raise TypeError(
                f"`shape` is static and must be a tuple of ints, got {self.shape!r}"
            )
        if type(self.eps) not in (float, int) or math.isnan(self.eps):
            raise TypeError(
                f"`eps` is static and must be a float other than NaN, got {self.eps!r}"
            )
        for name in ("use_weight", "use_bias"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise TypeError(f"`{name}` is static and must be a bool, got {value!r}")

    def __call__(
        self,
        x: Float[Array, " *shape"],
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
