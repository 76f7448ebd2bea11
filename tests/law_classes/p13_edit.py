import equinox as eqx
import jax
import jax.numpy as jnp


class Scale(eqx.Module):
    gain: jax.Array
    name: str = eqx.field(static=True)

    def __init__(self, size: int, name: str):
        self.gain = jnp.ones(size, jnp.float32)
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale) and self.name == other.name  # and the gain?

    def __hash__(self) -> int:
        return hash(self.name)
