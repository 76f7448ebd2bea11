import abc

import equinox as eqx
from jaxtyping import Array, Float


class AbstractNorm(eqx.Module):
    """A map of vectors to vectors of the same size, with a gain for each entry."""

    size: eqx.AbstractVar[int]
    gain: eqx.AbstractVar[Float[Array, " size"]]

    @abc.abstractmethod
    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """The normalised vector."""
