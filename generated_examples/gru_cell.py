import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Inexact, PRNGKeyArray


class GRUCell(eqx.Module):
    """One step of a gated recurrent unit."""

    weight_ih: Inexact[Array, "3*hidden_size=_ input_size"]
    weight_hh: Inexact[Array, "3*hidden_size=_ hidden_size"]
    bias: Inexact[Array, " 3*hidden_size"] | None
    bias_n: Inexact[Array, " hidden_size"] | None
    input_size: int = eqx.field(static=True)
    hidden_size: int = eqx.field(static=True)
    use_bias: bool = eqx.field(static=True)

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        """Build an instance.

        **Arguments:**

        - `input_size`: Size of the input.
        - `hidden_size`: Size of the hidden state.
        - `use_bias`: Whether there are biases.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        weight_ih_key, weight_hh_key, bias_key, bias_n_key = jax.random.split(key, 4)

        def uniform(key: PRNGKeyArray, shape: tuple[int, ...], limit: float) -> Array:
            """Uniform in (-limit, limit), as is each part of a complex number."""
            if not jnp.issubdtype(dtype, jnp.complexfloating):
                return jax.random.uniform(key, shape, dtype, -limit, limit)
            parts = jax.random.uniform(
                key, (2, *shape), jnp.finfo(dtype).dtype, -limit, limit
            )
            return jax.lax.complex(parts[0], parts[1])

        self.weight_ih = uniform(
            weight_ih_key, (3 * hidden_size, input_size), 1 / math.sqrt(hidden_size)
        )
        self.weight_hh = uniform(
            weight_hh_key, (3 * hidden_size, hidden_size), 1 / math.sqrt(hidden_size)
        )
        self.bias = (
            uniform(bias_key, (3 * hidden_size,), 1 / math.sqrt(hidden_size))
            if use_bias
            else None
        )
        self.bias_n = (
            uniform(bias_n_key, (hidden_size,), 1 / math.sqrt(hidden_size))
            if use_bias
            else None
        )
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.use_bias = use_bias

    def __check_init__(self) -> None:
        for name in ("input_size", "hidden_size"):
            value = getattr(self, name)
            if type(value) is not int:
                raise TypeError(f"`{name}` is static and must be an int, got {value!r}")
        if type(self.use_bias) is not bool:
            raise TypeError(
                f"`use_bias` is static and must be a bool, got {self.use_bias!r}"
            )

    def __call__(
        self,
        input: Inexact[Array, " input_size"],
        hidden: Inexact[Array, " hidden_size"],
        *,
        key: PRNGKeyArray | None = None,
    ) -> Inexact[Array, " hidden_size"]:
        """The next hidden state. `key` is ignored, and there for the sake of other layers."""
        gates = self.weight_ih @ input
        if self.bias is not None:
            gates = gates + self.bias
        input_gates = jnp.split(gates, 3)
        hidden_gates = jnp.split(self.weight_hh @ hidden, 3)
        reset = jax.nn.sigmoid(input_gates[0] + hidden_gates[0])
        update = jax.nn.sigmoid(input_gates[1] + hidden_gates[1])
        candidate = (
            hidden_gates[2] if self.bias_n is None else hidden_gates[2] + self.bias_n
        )
        new = jnp.tanh(input_gates[2] + reset * candidate)
        return new + update * (hidden - new)
