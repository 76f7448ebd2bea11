import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray


class AffineInit(eqx.Module):
    """An affine map x -> W x + b, built by `__init__` as the layers of equinox.nn are."""

    weight: Float[Array, "out_size in_size"]
    bias: Float[Array, " out_size"] | None
    in_size: int = eqx.field(static=True)
    out_size: int = eqx.field(static=True)
    use_bias: bool = eqx.field(static=True)

    def __init__(
        self,
        in_size: int,
        out_size: int,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        """Build an instance.

        **Arguments:**

        - `in_size`: Length of the input.
        - `out_size`: Length of the output.
        - `use_bias`: Whether there is a bias.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        self.weight = jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
            key, (out_size, in_size), dtype
        )
        self.bias = jnp.zeros((out_size,), dtype) if use_bias else None
        self.in_size = in_size
        self.out_size = out_size
        self.use_bias = use_bias

    def __check_init__(self) -> None:
        for name in ("in_size", "out_size"):
            value = getattr(self, name)
            if type(value) is not int:
                raise TypeError(f"`{name}` is static and must be an int, got {value!r}")
        if type(self.use_bias) is not bool:
            raise TypeError(
                f"`use_bias` is static and must be a bool, got {self.use_bias!r}"
            )

    def __call__(
        self, x: Float[Array, " in_size"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, " out_size"]:
        y = self.weight @ x
        return y if self.bias is None else y + self.bias
