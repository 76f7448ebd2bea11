from typing import NamedTuple

import jax
from jaxtyping import Array, Float


class Belief(NamedTuple):
    """What a filter believes of a state: a Gaussian.

    It is data: gradients flow through it, and no optimiser moves it.
    """

    mean: Float[Array, " size"]
    covariance: Float[Array, "size size"]
    log_likelihood: Float[Array, ""]

    def trainable(self) -> "Belief":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree.map(lambda _: False, self)
