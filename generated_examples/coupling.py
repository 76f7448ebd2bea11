import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray


class Coupling(eqx.Module):
    """An affine coupling of the two halves of a vector, which is inverted exactly.

    The first half is kept; the second is scaled and shifted by amounts that a linear
    map of the first half gives.
    """

    scale: Float[Array, "half half"]
    """From the first half to the logarithm of the factor"""
    shift: Float[Array, "half half"]
    """From the first half to what is added"""
    offset: Float[Array, " half"] | None
    """Added to the second half as well"""

    @classmethod
    def create(
        cls,
        half: int,
        use_offset: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Coupling":
        dtype = jnp.result_type(float) if dtype is None else dtype
        scale_key, shift_key = jax.random.split(key, 2)
        return cls(
            scale=0.1 * jax.random.normal(scale_key, (half, half), dtype),
            shift=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                shift_key, (half, half), dtype
            ),
            offset=jnp.zeros((half,), dtype) if use_offset else None,
        )

    def __call__(
        self, x: Float[Array, " 2*half=_"], *, inverse: bool = False
    ) -> Float[Array, " 2*half=_"]:
        """Map `x`, or with `inverse` map back what that gave."""
        kept, changed = jnp.split(x, 2)
        log_factor, added = jnp.tanh(self.scale @ kept), self.shift @ kept
        if self.offset is not None:
            added = added + self.offset
        if inverse:
            changed = (changed - added) * jnp.exp(-log_factor)
        else:
            changed = changed * jnp.exp(log_factor) + added
        return jnp.concatenate([kept, changed])
