import math
from typing import Literal

from jax.typing import DTypeLike
from jaxtyping import Array, Inexact, PRNGKeyArray
from scaffold.skeleton import Module, param, test


@test(
    sizes={
        "in_features": 3,
        "columns": 3,
        "out_features": 2,
        "rows": 2,
        "in_shape": [3],
        "out_shape": [2],
    },
    unused=["key"],
)
class Linear(Module):
    """An affine map of vectors, x -> W x + b.

    `"scalar"` in the place of a size stands for an array of shape `()`.
    """

    weight: Inexact[Array, "rows columns"] = param(
        "uniform(limit)", std="1 / sqrt(3 * columns)"
    )
    bias: Inexact[Array, " rows"] | None = param(
        "uniform(limit)", std="1 / sqrt(3 * columns)", optional="use_bias"
    )
    in_features: int | Literal["scalar"]
    """Size of the input"""
    out_features: int | Literal["scalar"]
    """Size of the output"""
    use_bias: bool
    """Whether there is a bias"""

    def __init__(
        self,
        in_features: int | Literal["scalar"],
        out_features: int | Literal["scalar"],
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        rows = 1 if out_features == "scalar" else out_features
        columns = 1 if in_features == "scalar" else in_features
        limit = 1 / math.sqrt(max(columns, 1))
        self.in_features = in_features
        self.out_features = out_features
        self.use_bias = use_bias

    def __call__(
        self, x: Inexact[Array, "*in_shape"], *, key: PRNGKeyArray | None = None
    ) -> Inexact[Array, "*out_shape"]:
        """Apply the map to one vector. `key` is ignored, and there for `equinox.nn.Sequential`."""
        if self.in_features == "scalar":
            if x.shape != ():
                raise ValueError(f"`x` must be a scalar array, got shape {x.shape}")
            x = x[None]
        y = self.weight @ x
        if self.bias is not None:
            y = y + self.bias
        return y[0] if self.out_features == "scalar" else y
