"""A diagonal state space layer."""

import equinox as eqx
import jax
import jax.numpy as jnp

from scaffold.skeleton import test


@test(
    values={
        "channels": lambda: 2,
        "state_size": lambda: 3,
        "key": lambda seed: jax.random.key(seed),
        "xs": lambda seed: jax.random.normal(jax.random.key(seed + 7), (5, 2)),
        "state": lambda seed: jax.random.normal(jax.random.key(seed + 8), (3,)),
        "x": lambda seed: jax.random.normal(jax.random.key(seed + 9), (2,)),
    }
)
class DiagonalSSM(eqx.Module):
    """A diagonal, real state space model, discretized by zero-order hold."""

    log_rate: jax.Array
    log_step: jax.Array
    b: jax.Array
    c: jax.Array
    skip: jax.Array
    channels: int = eqx.field(static=True)
    state_size: int = eqx.field(static=True)

    def __init__(self, channels: int, state_size: int, *, key: jax.Array):
        step_key, b_key, c_key = jax.random.split(key, 3)
        self.log_rate = jnp.log(1.0 + jnp.arange(state_size, dtype=jnp.float32))
        self.log_step = jax.random.uniform(step_key, (state_size,), minval=-4.0, maxval=-1.0)
        self.b = jax.random.normal(b_key, (state_size, channels)) / channels**0.5
        self.c = jax.random.normal(c_key, (channels, state_size)) / state_size**0.5
        self.skip = jnp.ones((channels,))
        self.channels = channels
        self.state_size = state_size

    def discretize(self) -> tuple[jax.Array, jax.Array]:
        rate = jnp.exp(self.log_rate)
        decay = jnp.exp(-rate * jnp.exp(self.log_step))
        gain = (1.0 - decay) / rate
        return decay, gain[:, None] * self.b

    def initial_state(self) -> jax.Array:
        return jnp.zeros((self.state_size,), self.b.dtype)

    def step(self, state: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        """One step of the recurrence, for decoding."""
        decay, b_bar = self.discretize()
        state = decay * state + b_bar @ x
        return state, self.c @ state + self.skip * x

    def __call__(self, xs: jax.Array) -> jax.Array:
        """Map a sequence of shape (length, channels)."""
        decay, b_bar = self.discretize()
        inputs = xs @ b_bar.T
        decays = jnp.broadcast_to(decay, inputs.shape)

        def combine(left, right):
            decay_left, state_left = left
            decay_right, state_right = right
            return decay_left * decay_right, decay_right * state_left + state_right

        _, states = jax.lax.associative_scan(combine, (decays, inputs))
        return states @ self.c.T + self.skip * xs
