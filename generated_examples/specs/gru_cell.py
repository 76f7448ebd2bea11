import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Inexact, PRNGKeyArray
from scaffold.skeleton import Module, call, param, test


@test(unused=["key"])
class GRUCell(Module):
    """One step of a gated recurrent unit."""

    weight_ih: Inexact[Array, "3*hidden_size input_size"] = param(
        "uniform(1 / math.sqrt(hidden_size))"
    )
    weight_hh: Inexact[Array, "3*hidden_size hidden_size"] = param(
        "uniform(1 / math.sqrt(hidden_size))"
    )
    bias: Inexact[Array, " 3*hidden_size"] | None = param(
        "uniform(1 / math.sqrt(hidden_size))", optional="use_bias"
    )
    bias_n: Inexact[Array, " hidden_size"] | None = param(
        "uniform(1 / math.sqrt(hidden_size))", optional="use_bias"
    )
    input_size: int
    """Size of the input"""
    hidden_size: int
    """Size of the hidden state"""
    use_bias: bool
    """Whether there are biases"""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.use_bias = use_bias

    @call(carry="hidden")
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
