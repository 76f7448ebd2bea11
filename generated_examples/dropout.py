import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Inexact, PRNGKeyArray


class Dropout(eqx.Module):
    """Set random entries to zero in training, and scale the others to keep the mean; do nothing at inference.

    `p` and `inference` are leaves, so that `eqx.tree_at` and `eqx.nn.inference_mode` can change them.
    """

    p: float
    inference: bool

    def __init__(
        self,
        p: float = 0.5,
        inference: bool = False,
        *,
        deterministic: bool | None = None,
    ) -> None:
        """Build an instance.

        **Arguments:**

        - `p`: Share of the entries that become zero.
        - `inference`: Whether to do nothing.
        """
        if deterministic is not None:
            warnings.warn("`deterministic` is deprecated: use `inference`")
            inference = deterministic
        self.p = p
        self.inference = inference

    @property
    def deterministic(self) -> bool:
        """The former name of `inference`."""
        return self.inference

    def __call__(
        self,
        x: Inexact[Array, " *shape"],
        *,
        key: PRNGKeyArray | None = None,
        inference: bool | None = None,
        deterministic: bool | None = None,
    ) -> Inexact[Array, " *shape"]:
        """Drop entries of `x`, unless `inference`, which takes precedence over the field, says not to."""
        if deterministic is not None:
            warnings.warn("`deterministic` is deprecated: use `inference`")
            inference = deterministic
        if inference is None:
            inference = self.inference
        if inference or (isinstance(self.p, int | float) and self.p == 0):
            return x
        if key is None:
            raise RuntimeError(
                "`Dropout` draws at random in training: give `key`, or `inference=True`"
            )
        kept = 1 - jax.lax.stop_gradient(self.p)
        mask = jax.random.bernoulli(key, kept, x.shape)
        return jnp.where(mask, x / kept, 0)
