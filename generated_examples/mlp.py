from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Inexact, PRNGKeyArray

from filter_specs import trained_fields
from linear import Linear


class MLP(eqx.Module):
    """A multi-layer perceptron: `depth` hidden layers of `width_size`, and a last layer.

    `"scalar"` in the place of a size stands for an array of shape `()`. An activation that holds arrays is copied for each
    neuron.
    """

    layers: tuple[Linear, ...]
    activation: Callable[..., Any]
    final_activation: Callable[..., Any]
    use_bias: bool = eqx.field(static=True)
    use_final_bias: bool = eqx.field(static=True)
    in_size: int | Literal["scalar"] = eqx.field(static=True)
    out_size: int | Literal["scalar"] = eqx.field(static=True)
    width_size: int = eqx.field(static=True)
    depth: int = eqx.field(static=True)
    scan: bool = eqx.field(static=True)

    def __init__(
        self,
        in_size: int | Literal["scalar"],
        out_size: int | Literal["scalar"],
        width_size: int,
        depth: int,
        activation: Callable[..., Any] = jax.nn.relu,
        final_activation: Callable[..., Any] = jax.nn.identity,
        use_bias: bool = True,
        use_final_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        scan: bool = False,
        key: PRNGKeyArray,
    ) -> None:
        """Build an instance.

        **Arguments:**

        - `in_size`: Size of the input.
        - `out_size`: Size of the output.
        - `width_size`: Size of each hidden layer.
        - `depth`: Number of hidden layers.
        - `use_bias`: Whether the hidden layers have biases.
        - `use_final_bias`: Whether the last layer has a bias.
        - `scan`: Whether the hidden layers are stacked and scanned over.

        **Raises:**

        - `ValueError` unless `depth >= 0`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        keys = jax.random.split(key, depth + 1)

        def hidden(key: PRNGKeyArray) -> Linear:
            return Linear(width_size, width_size, use_bias, dtype, key=key)

        first_size = in_size if depth == 0 else width_size
        last = Linear(first_size, out_size, use_final_bias, dtype, key=keys[-1])
        layers = [last]
        if depth > 0:
            first = Linear(in_size, width_size, use_bias, dtype, key=keys[0])
            if scan:
                layers = [first, jax.vmap(hidden)(keys[1:depth]), last]
            else:
                layers = [first, *(hidden(key) for key in keys[1:depth]), last]
        copies = eqx.filter_vmap(lambda: activation, axis_size=width_size)
        self.layers = tuple(layers)
        self.activation = eqx.filter_vmap(copies, axis_size=depth)()
        self.final_activation = (
            final_activation
            if out_size == "scalar"
            else eqx.filter_vmap(lambda: final_activation, axis_size=out_size)()
        )
        self.use_bias = use_bias
        self.use_final_bias = use_final_bias
        self.in_size = in_size
        self.out_size = out_size
        self.width_size = width_size
        self.depth = depth
        self.scan = scan

    def __check_init__(self) -> None:
        for name in ("use_bias", "use_final_bias", "scan"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise TypeError(f"`{name}` is static and must be a bool, got {value!r}")
        for name in ("in_size", "out_size"):
            value = getattr(self, name)
            if (type(value) is not int) and (value != "scalar"):
                raise TypeError(
                    f"`{name}` is static and must be an int or 'scalar', got {value!r}"
                )
        for name in ("width_size", "depth"):
            value = getattr(self, name)
            if type(value) is not int:
                raise TypeError(f"`{name}` is static and must be an int, got {value!r}")
        if not (self.depth >= 0):
            raise ValueError(f"`depth` must satisfy `depth >= 0`, got {self.depth!r}")

    def __call__(
        self, x: Inexact[Array, " *in_shape"], *, key: PRNGKeyArray | None = None
    ) -> Inexact[Array, " *out_shape"]:
        """Apply the layers in turn. `key` is ignored, and there for `equinox.nn.Sequential`."""

        def activate(index: Any, x: Array) -> Array:
            own = jax.tree.map(
                lambda leaf: leaf[index] if eqx.is_array(leaf) else leaf,
                self.activation,
            )
            return eqx.filter_vmap(lambda function, value: function(value))(own, x)

        if self.scan and self.depth > 0:
            first, hidden, last = self.layers
            x = activate(0, first(x))

            def step(x: Array, layer: Any) -> tuple[Array, None]:
                index, inner = layer
                return activate(index, inner(x)), None

            x, _ = jax.lax.scan(step, x, (jnp.arange(1, self.depth), hidden))
        else:
            *others, last = self.layers
            for index, layer in enumerate(others):
                x = activate(index, layer(x))
        x = last(x)
        if self.out_size == "scalar":
            return self.final_activation(x)
        return eqx.filter_vmap(lambda function, value: function(value))(
            self.final_activation, x
        )

    def trainable(self) -> "MLP":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self)
