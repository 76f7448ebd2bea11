"""Observation normalisation for on-policy RL, statistics kept in eqx.nn.State."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float


class RunningNormalizer(eqx.Module):
    """Build with `eqx.nn.make_with_state(RunningNormalizer)(dim)`."""

    gain: Float[Array, " dim"]
    offset: Float[Array, " dim"]
    stats: eqx.nn.StateIndex  # (count "", mean "dim", m2 "dim")
    dim: int = eqx.field(static=True)
    eps: float = eqx.field(static=True)
    clip: float | None = eqx.field(static=True)
    inference: bool

    def __init__(self, dim: int, *, eps: float = 1e-5, clip: float | None = 10.0, inference: bool = False):
        self.gain = jnp.ones((dim,))
        self.offset = jnp.zeros((dim,))
        self.stats = eqx.nn.StateIndex((jnp.zeros(()), jnp.zeros((dim,)), jnp.zeros((dim,))))
        self.dim = dim
        self.eps = eps
        self.clip = clip
        self.inference = inference

    def moments(self, state: eqx.nn.State) -> tuple[Float[Array, " dim"], Float[Array, " dim"]]:
        """Running mean and (population) variance; 0 and 1 before any data."""
        count, mean, m2 = state.get(self.stats)
        var = jnp.where(count > 0, m2 / jnp.maximum(count, 1.0), 1.0)
        return mean, var

    def observe(self, x: Float[Array, "batch dim"], state: eqx.nn.State) -> eqx.nn.State:
        """Merge a batch into the statistics (Chan's parallel formula)."""
        count, mean, m2 = state.get(self.stats)
        n = x.shape[0]
        batch_mean = jnp.mean(x, axis=0)
        batch_m2 = jnp.sum((x - batch_mean) ** 2, axis=0)
        total = count + n
        delta = batch_mean - mean
        new_mean = mean + delta * (n / total)
        new_m2 = m2 + batch_m2 + delta**2 * (count * n / total)
        return state.set(self.stats, (total, new_mean, new_m2))

    def __call__(
        self, x: Float[Array, "batch dim"], state: eqx.nn.State
    ) -> tuple[Float[Array, "batch dim"], eqx.nn.State]:
        if not self.inference:
            state = self.observe(x, state)
        mean, var = self.moments(state)
        y = (x - mean) / jnp.sqrt(var + self.eps)
        if self.clip is not None:
            y = jnp.clip(y, -self.clip, self.clip)
        return y * self.gain + self.offset, state

    def denormalize(self, y: Float[Array, "batch dim"], state: eqx.nn.State) -> Float[Array, "batch dim"]:
        """Undo the call (where nothing was clipped)."""
        mean, var = self.moments(state)
        return (y - self.offset) / self.gain * jnp.sqrt(var + self.eps) + mean
