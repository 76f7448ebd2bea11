"""An autoencoder, and the two halves of it, which know each other."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from filter_specs import trained_fields

# How steep the units are below 0.
SLOPE = 0.1


class Encoder(eqx.Module):
    """A layer from `size` numbers to `hidden`."""

    weight: Float[Array, "hidden size"]
    bias: Float[Array, " hidden"]

    @classmethod
    def create(
        cls,
        hidden: int,
        size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Encoder":
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            weight=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                key, (hidden, size), dtype
            ),
            bias=jnp.zeros((hidden,), dtype),
        )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " hidden"]:
        """Map `x` to its code."""
        return leaky(self.weight @ x + self.bias)

    def mirrored(self) -> "Decoder":
        """The decoder that begins with the transposed weight."""
        return Decoder(self.weight.T)


# The encoder stands above it, and finds it when it is called.
def leaky(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """`x`, and `SLOPE` of it below 0."""
    return jnp.where(x > 0, x, SLOPE * x)


class Decoder(eqx.Module):
    """A linear map from `hidden` numbers to `size`."""

    weight: Float[Array, "size hidden"]

    @classmethod
    def create(
        cls,
        size: int,
        hidden: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Decoder":
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            weight=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                key, (size, hidden), dtype
            ),
        )

    def __call__(self, code: Float[Array, " hidden"]) -> Float[Array, " size"]:
        """Map a code back."""
        return self.weight @ code


class Autoencoder(eqx.Module):
    """An encoder, and the decoder that mirrors it at first."""

    encoder: Encoder
    decoder: Decoder

    def __init__(self, size: int, hidden: int, *, key: PRNGKeyArray) -> None:
        encoder = Encoder.create(hidden, size, key=key)
        self.encoder = encoder
        self.decoder = encoder.mirrored()

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Map `x` to its code and back."""
        return self.decoder(self.encoder(x))

    def encode(self, x: Float[Array, " size"]) -> Float[Array, " hidden"]:
        """Map `x` to its code."""
        return self.encoder(x)

    def trainable(self) -> "Autoencoder":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self)


def error(model: Autoencoder, x: Float[Array, " size"]) -> Float[Array, ""]:
    """The squared distance of `x` from what the model makes of it."""
    return jnp.sum((model(x) - x) ** 2)
