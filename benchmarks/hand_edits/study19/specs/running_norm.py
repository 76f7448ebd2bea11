"""Normalization by running statistics."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class RunningNorm(eqx.Module):
    """Normalize batches by an exponential mean of their statistics."""

    gain: Float[Array, " size"]
    bias: Float[Array, " size"]
    stats: eqx.nn.StateIndex
    inference: bool
    momentum: float = eqx.field(static=True)
    eps: float = eqx.field(static=True)

    def __init__(
        self,
        size: int,
        momentum: float = 0.9,
        eps: float = 1e-5,
        inference: bool = False,
    ):
        self.gain = jnp.ones((size,), jnp.float32)
        self.bias = jnp.zeros((size,), jnp.float32)
        mean = jnp.zeros((size,), jnp.float32)
        var = jnp.ones((size,), jnp.float32)
        self.stats = eqx.nn.StateIndex((mean, var))
        self.inference = inference
        self.momentum = momentum
        self.eps = eps

    def __call__(
        self, x: Float[Array, "batch size"], state: eqx.nn.State
    ) -> tuple[Float[Array, "batch size"], eqx.nn.State]:
        mean, var = state.get(self.stats)
        if not self.inference:
            rest = 1 - self.momentum
            batch_mean = jax.lax.stop_gradient(jnp.mean(x, axis=0))
            batch_var = jax.lax.stop_gradient(jnp.var(x, axis=0))
            mean = self.momentum * mean + rest * batch_mean
            var = self.momentum * var + rest * batch_var
            state = state.set(self.stats, (mean, var))
        normed = (x - mean) * jax.lax.rsqrt(var + self.eps)
        return self.gain * normed + self.bias, state
