import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from filter_specs import trained_fields
from linear import Linear


class LowRankLinear(eqx.Module):
    """A linear map that is kept as it is, and a trained correction of low rank: x ->
    base(x) + scale * up @ (down @ x).

    The correction begins as zero, and the result as that of `base`. Gradients pass
    through `base` to what lies before it.
    """

    base: Linear
    down: Float[Array, "rank in_features"]
    up: Float[Array, "out_features rank"]
    scale: float = eqx.field(static=True, default=1.0)
    freeze_base: bool = eqx.field(static=True, default=True)

    @classmethod
    def create(
        cls,
        base: Linear,
        rank: int,
        in_features: int,
        out_features: int,
        scale: float = 1.0,
        freeze_base: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "LowRankLinear":
        """Build an instance.

        **Arguments:**

        - `base`: The map that was trained before.
        - `scale`: Factor of the correction.
        - `freeze_base`: Whether `base` stays as it is.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            base=base,
            down=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                key, (rank, in_features), dtype
            ),
            up=jnp.zeros((out_features, rank), dtype),
            scale=float(scale) if type(scale) is int else scale,
            freeze_base=freeze_base,
        )

    def __check_init__(self) -> None:
        if type(self.scale) not in (float, int) or math.isnan(self.scale):
            raise TypeError(
                "`scale` is static and must be a float other than NaN, got "
                f"{self.scale!r}"
            )
        if type(self.freeze_base) is not bool:
            raise TypeError(
                f"`freeze_base` is static and must be a bool, got {self.freeze_base!r}"
            )

    def __call__(
        self, x: Float[Array, " in_features"]
    ) -> Float[Array, " out_features"]:
        """Map `x`, with the correction."""
        return self.base(x) + self.scale * (self.up @ (self.down @ x))

    def trainable(self) -> "LowRankLinear":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self, but=("base",) if self.freeze_base else ())
