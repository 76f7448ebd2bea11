import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax.typing import DTypeLike
from jaxtyping import Array, Float


class Centre(nnx.Module):
    """Centre the input by a running mean, then mix it. Each call moves the mean towards
    its input.
    """

    mix: nnx.Param[Float[Array, "size size"]]
    mean: nnx.BatchStat[Float[Array, " size"]]
    momentum: float

    def __init__(
        self,
        size: int,
        momentum: float = 0.9,
        dtype: DTypeLike | None = None,
        *,
        rngs: nnx.Rngs,
    ):
        """Build an instance.

        **Arguments:**

        - `size`: the size `size` of `mix` or `mean`.
        - `momentum`: How much of the mean a call keeps; static, part of the treedef.
        - `dtype`: dtype of the floating-point arrays; jax's default float if None.
        - `rngs`: streams of PRNG keys for the random initialisation; each random array
            draws once.

        **Raises:**

        - `TypeError` if `momentum` does not have its declared type.
        - `ValueError` unless `0 <= momentum < 1`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        self.mix = nnx.Param(
            jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                rngs.params(), (size, size), dtype
            )
            if size
            else jnp.zeros((size, size), dtype)
        )
        self.mean = nnx.BatchStat(jnp.zeros((size,), dtype))
        self.momentum = float(momentum) if type(momentum) is int else momentum
        if type(self.momentum) is not float or math.isnan(self.momentum):
            raise TypeError(
                "`momentum` is static, so it must be a float other than NaN (a "
                f"NumPy scalar has `.item()`), got {self.momentum!r}"
            )
        if not (0 <= self.momentum < 1):
            raise ValueError(
                f"`momentum` must satisfy `0 <= momentum < 1`, got {self.momentum!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Update the running mean, and mix what is left of `x`.

        **Arguments:**

        - `x`: float array of shape `(size,)`.

        **Returns:**

        Float array of shape `(size,)`.
        """
        self.mean[...] = self.momentum * self.mean[...] + (1 - self.momentum) * x
        return self.mix[...] @ (x - self.mean[...])

    def snapshot(self) -> nnx.State:
        """The state as it is now. Unlike `nnx.state` and `nnx.split`, which return the
        Variables of the module itself, it does not follow what the module does later.
        """
        return map_variables({}, self)

    def restore(self, state: nnx.State) -> None:
        """Take over the values of `state`, by path.

        **Raises:**

        - `ValueError` unless `state` has the same paths, and at each the same type of
            Variable, shape and dtype. `nnx.update` adds unknown paths to the module, and
            `nnx.merge` goes by position.
        """
        here, there = _layout(nnx.state(self)), _layout(state)
        wrong = [
            path for path in {**here, **there} if here.get(path) != there.get(path)
        ]
        if wrong:
            path = wrong[0]
            raise ValueError(
                f"the state does not fit at {path}: it has {there.get(path)}, "
                f"the module has {here.get(path)}"
            )
        nnx.update(self, state)


def map_variables(
    functions: Mapping[type[nnx.Variable[Any]], Callable[[Any], Any]],
    tree: nnx.Module | nnx.State,
) -> nnx.State:
    """A new state, with `functions[kind]` applied to the value of each Variable of type
    `kind`. The nearest base class decides; where none is named, the value is kept.

    `tree` is a module or a state, and stays as it is.
    """

    def mapped(node: Any) -> Any:
        if not isinstance(node, nnx.Variable):
            return node
        value = node.get_value()
        kind = next((kind for kind in type(node).__mro__ if kind in functions), None)
        return node.replace(value if kind is None else functions[kind](value))

    # Variables are nodes, not leaves: without `is_leaf` the map goes past them.
    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree
    return jax.tree.map(
        mapped, state, is_leaf=lambda node: isinstance(node, nnx.Variable)
    )


def _layout(state: nnx.State) -> dict[Any, Any]:
    return {
        path: (type(leaf), jnp.shape(leaf), leaf.dtype)
        for path, leaf in nnx.to_flat_state(state)
    }
