"""Fine-tuning of a frozen layer by a low-rank adapter."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, data, param, static, test


@test(dtypes=["bf16"])
class Adapter(Module):
    """A frozen linear map, and a trained correction of low rank."""

    base: Float[Array, "out_size in_size"] = param("lecun_normal", frozen=True)
    down: Float[Array, "rank in_size"] = param("lecun_normal")
    up: Float[Array, "out_size rank"] = param("zeros")
    bias: Float[Array, " out_size"] | None = param("zeros", optional="use_bias", decay=False)
    alpha: float = static(2.0, check=lambda alpha: alpha > 0)
    """Strength of the correction"""
    rate: float = static(0.1, check=lambda rate: 0 <= rate < 1)
    """Share of the inputs of the correction that is dropped in training"""
    inference: bool = static(False)

    def __call__(
        self, x: Float[Array, " in_size"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, " out_size"]:
        """The map of the layer and its correction; without a key nothing is dropped."""
        hidden = x
        if key is not None and not self.inference and self.rate > 0:
            kept = jax.random.bernoulli(key, 1 - self.rate, x.shape)
            hidden = jnp.where(kept, x / (1 - self.rate), 0)
        y = self.base @ x + self.scaling() * (self.up @ (self.down @ hidden))
        return y if self.bias is None else y + self.bias

    def scaling(self) -> float:
        """What the correction is multiplied by."""
        return self.alpha / self.down.shape[0]

    def merged(self) -> Float[Array, "out_size in_size"]:
        """The one matrix that does the same."""
        return self.base + self.scaling() * self.up @ self.down

    def penalty(self, *, both: bool = True) -> Float[Array, ""]:
        """Sum of squares of the correction's factors, or of `up` alone."""
        total = jnp.sum(self.up**2)
        return total + jnp.sum(self.down**2) if both else total


@test(
    values={
        "model": lambda seed: eqx.tree_at(
            lambda adapter: adapter.up,
            Adapter.create(2, 3, 5, key=jax.random.key(seed + 1)),
            0.3 * jax.random.normal(jax.random.key(seed + 2), (2, 5)),
        )
    }
)
class Tuning(TrainState, ema=0.9, key=True, save=True):
    """An adapter in training, whose learning rate warms up and decays."""

    model: Adapter
    peak: Float[Array, ""] = data(lambda: jnp.asarray(0.01))
    """The highest learning rate"""
    warmup: int = static(10, check=lambda warmup: warmup > 0)
    total: int = static(100)
    """Steps after which the rate is 0"""
    cosine: bool = static(True)

    def rate_at(self, step: Float[Array, ""]) -> Float[Array, ""]:
        """The learning rate at a step."""
        rising = jnp.minimum(step / self.warmup, 1.0)
        share = jnp.clip((step - self.warmup) / (self.total - self.warmup), 0.0, 1.0)
        falling = 0.5 * (1 + jnp.cos(jnp.pi * share)) if self.cosine else 1 - share
        return self.peak * rising * falling
