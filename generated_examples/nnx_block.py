import math
from os import PathLike
from typing import TypeVar

import jax
import jax.numpy as jnp
from flax import nnx
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32

from nnx_serialisation import load_module, save_module
from nnx_state import map_variables, restore_state

_Value = TypeVar("_Value")


class Count(nnx.Variable[_Value]):
    """An array that is never trained; `nnx.state(module, Count)` selects it."""


class NnxBlock(nnx.Module):
    """A residual block: centre the input by a running mean, mix it, and pass it through
    a stack of linear layers.

    Each call moves the running mean towards its input, and counts itself. Both are
    Variables that no optimiser trains.
    """

    mix: nnx.Param[Float[Array, "size size"]]
    bias: nnx.Param[Float[Array, " size"]] | None
    mean: nnx.BatchStat[Float[Array, " size"]]
    calls: Count[Int32[Array, ""]]
    layers: nnx.List[nnx.Linear]
    depth: int
    momentum: float

    def __init__(
        self,
        size: int,
        use_bias: bool = True,
        depth: int = 2,
        momentum: float = 0.9,
        dtype: DTypeLike | None = None,
        *,
        rngs: nnx.Rngs,
    ):
        """Build an instance.

        **Arguments:**

        - `depth`: Number of linear layers.
        - `momentum`: How much of the mean a call keeps.

        **Raises:**

        - `ValueError` unless `depth > 0`.
        - `ValueError` unless `0 <= momentum < 1`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        self.mix = nnx.Param(
            jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                rngs.params(), (size, size), dtype
            )
        )
        self.bias = nnx.Param(jnp.zeros((size,), dtype)) if use_bias else None
        self.mean = nnx.BatchStat(jnp.zeros((size,), dtype))
        self.calls = Count(jnp.zeros((), jnp.int32))
        self.layers = nnx.List(
            [nnx.Linear(size, size, param_dtype=dtype, rngs=rngs) for _ in range(depth)]
        )
        self.depth = depth
        self.momentum = float(momentum) if type(momentum) is int else momentum
        if type(self.depth) is not int:
            raise TypeError(f"`depth` is static and must be an int, got {self.depth!r}")
        if type(self.momentum) not in (float, int) or math.isnan(self.momentum):
            raise TypeError(
                "`momentum` is static and must be a float other than NaN, got "
                f"{self.momentum!r}"
            )
        if not (self.depth > 0):
            raise ValueError(f"`depth` must satisfy `depth > 0`, got {self.depth!r}")
        if not (0 <= self.momentum < 1):
            raise ValueError(
                f"`momentum` must satisfy `0 <= momentum < 1`, got {self.momentum!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Update the running mean, and transform `x`."""
        self.calls[...] += 1
        self.mean[...] = self.momentum * self.mean[...] + (1 - self.momentum) * x
        y = self.mix[...] @ (x - self.mean[...])
        if self.bias is not None:
            y = y + self.bias[...]
        for layer in self.layers:
            y = jnp.tanh(layer(y))
        return x + y

    def snapshot(self) -> nnx.State:
        """The state as it is now, which does not follow what the module does later."""
        return map_variables({}, self)

    def restore(self, state: nnx.State) -> None:
        """Take over the values of `state`, by path; `ValueError` where it does not fit."""
        restore_state(self, state)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a safetensors file, with their paths and the static
        configuration.
        """
        save_module(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str], like: "NnxBlock") -> "NnxBlock":
        """Read what `save` wrote into a new instance.

        `like` is an instance of the same configuration, which stays as it is, or what
        `nnx.eval_shape` makes of the constructor. Raises `ValueError` where the file is
        damaged, or does not fit `like`.
        """
        return load_module(path, like)
