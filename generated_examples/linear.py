import math
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Inexact, PRNGKeyArray


class Linear(eqx.Module):
    """An affine map of vectors, x -> W x + b.

    `"scalar"` in the place of a size stands for an array of shape `()`.
    """

    weight: Inexact[Array, "rows columns"]
    bias: Inexact[Array, " rows"] | None
    in_features: int | Literal["scalar"] = eqx.field(static=True)
    out_features: int | Literal["scalar"] = eqx.field(static=True)
    use_bias: bool = eqx.field(static=True)

    def __init__(
        self,
        in_features: int | Literal["scalar"],
        out_features: int | Literal["scalar"],
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        """Build an instance.

        **Arguments:**

        - `in_features`: Size of the input.
        - `out_features`: Size of the output.
        - `use_bias`: Whether there is a bias.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        weight_key, bias_key = jax.random.split(key, 2)
        rows = 1 if out_features == "scalar" else out_features
        columns = 1 if in_features == "scalar" else in_features
        limit = 1 / math.sqrt(max(columns, 1))

        def uniform(key: PRNGKeyArray, shape: tuple[int, ...], limit: float) -> Array:
            """Uniform in (-limit, limit), as is each part of a complex number."""
            if not jnp.issubdtype(dtype, jnp.complexfloating):
                return jax.random.uniform(key, shape, dtype, -limit, limit)
            parts = jax.random.uniform(
                key, (2, *shape), jnp.finfo(dtype).dtype, -limit, limit
            )
            return jax.lax.complex(parts[0], parts[1])

        self.weight = uniform(weight_key, (rows, columns), limit)
        self.bias = uniform(bias_key, (rows,), limit) if use_bias else None
        self.in_features = in_features
        self.out_features = out_features
        self.use_bias = use_bias

    def __check_init__(self) -> None:
        for name in ("in_features", "out_features"):
            value = getattr(self, name)
            if (type(value) is not int) and (value != "scalar"):
                raise TypeError(
                    f"`{name}` is static and must be an int or 'scalar', got {value!r}"
                )
        if type(self.use_bias) is not bool:
            raise TypeError(
                f"`use_bias` is static and must be a bool, got {self.use_bias!r}"
            )

    def __call__(
        self, x: Inexact[Array, " *in_shape"], *, key: PRNGKeyArray | None = None
    ) -> Inexact[Array, " *out_shape"]:
        """Apply the map to one vector. `key` is ignored, and there for `equinox.nn.Sequential`."""
        if self.in_features == "scalar":
            if x.shape != ():
                raise ValueError(f"`x` must be a scalar array, got shape {x.shape}")
            x = x[None]
        y = self.weight @ x
        if self.bias is not None:
            y = y + self.bias
        return y[0] if self.out_features == "scalar" else y
