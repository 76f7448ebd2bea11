import math
from copy import deepcopy
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from padding import Padding


class Smooth(eqx.Module):
    """A trained filter along a signal that is continued beyond its ends, of which some
    samples are kept.

    What is fixed once and for all is static: how the signal is continued, the dtype of
    the sums, and which samples are kept.
    """

    taps: Float[Array, " width"]
    """Weights of neighbouring samples"""
    padding: Padding = eqx.field(static=True)
    accumulate: np.dtype[Any] = eqx.field(static=True, default=np.dtype(jnp.float32))
    kept: tuple[int | None, int | None, int | None] = eqx.field(
        static=True, default=(None, None, None)
    )
    gain: float = eqx.field(static=True, default=1.0)

    @classmethod
    def create(
        cls,
        width: int,
        padding: Padding,
        accumulate: DTypeLike = jnp.float32,
        kept: slice = slice(None),
        gain: float = 1.0,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Smooth":
        """Build an instance.

        **Arguments:**

        - `padding`: How the signal goes on beyond its ends.
        - `accumulate`: The dtype in which products are added up.
        - `kept`: Which of the smoothed samples are kept.
        - `gain`: Factor of the result.

        **Raises:**

        - `ValueError` unless `gain > 0`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            taps=(1 / width) * jax.random.uniform(key, (width,), dtype, -1.0, 1.0),
            padding=padding,
            accumulate=np.dtype(accumulate),
            kept=(kept.start, kept.stop, kept.step) if type(kept) is slice else kept,
            gain=float(gain) if type(gain) is int else gain,
        )

    def __check_init__(self) -> None:
        if not isinstance(self.padding, Padding) or {deepcopy(self.padding)} != {
            self.padding
        }:
            raise TypeError(
                "`padding` is static and must be a Padding with a hash, equal "
                f"by value, got {self.padding!r}"
            )
        if not isinstance(self.accumulate, np.dtype):
            raise TypeError(
                f"`accumulate` is static and must be a dtype, got {self.accumulate!r}"
            )
        if (
            type(self.kept) is not tuple
            or len(self.kept) != 3
            or any(part is not None and type(part) is not int for part in self.kept)
        ):
            raise TypeError(
                "`kept` is static and must be a slice (held as a tuple of its "
                f"three parts), got {self.kept!r}"
            )
        if type(self.gain) not in (float, int) or math.isnan(self.gain):
            raise TypeError(
                "`gain` is static and must be a float other than NaN, got "
                f"{self.gain!r}"
            )
        if not (self.gain > 0):
            raise ValueError(f"`gain` must satisfy `gain > 0`, got {self.gain!r}")

    def __call__(self, x: Float[Array, " size"]):
        """Smooth `x`, and keep some of it."""
        padded = jnp.pad(x, self.padding.width, mode=self.padding.boundary.value)
        with jax.numpy_dtype_promotion("standard"):
            dtype = jnp.result_type(x.dtype, self.accumulate)
        smoothed = jnp.convolve(
            padded.astype(dtype), self.taps.astype(dtype), mode="valid"
        )
        return self.gain * smoothed[slice(*self.kept)].astype(x.dtype)
