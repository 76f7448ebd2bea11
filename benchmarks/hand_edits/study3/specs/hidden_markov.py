"""A hidden Markov model with Gaussian emissions."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, param, static, test


@test(
    dtypes=["bf16"],
    holds=[
        {
            "name": "the posteriors sum to 1",
            "that": "close(jnp.exp(self.smooth(xs)).sum(-1), jnp.ones(xs.shape[0], xs.dtype))",
        }
    ],
)
class HiddenMarkov(Module):
    """A chain of hidden states, each of which emits a Gaussian vector."""

    transition: Float[Array, "states states"] = param("normal(0.1)")
    """Logits of the next state, a row for each state"""
    start: Float[Array, " states"] | None = param("zeros", optional="learn_start")
    """Logits of the first state; uniform without"""
    means: Float[Array, "states size"] = param("normal")
    log_scale: Float[Array, " size"] = param("zeros")
    floor: float = static(1e-3, check=lambda floor: floor > 0)
    """The least standard deviation"""

    def __call__(self, xs: Float[Array, "time size"]) -> Float[Array, ""]:
        """The log-likelihood of a sequence."""
        return jax.nn.logsumexp(self.forward(xs)[-1])

    def forward(self, xs: Float[Array, "time size"]) -> Float[Array, "time states"]:
        """Log of the joint probability of the state and of all emissions until then."""
        emitted = jax.vmap(self.emission)(xs)
        first = self.log_start() + emitted[0]

        def step(alpha: Array, log_p: Array) -> tuple[Array, Array]:
            alpha = jax.nn.logsumexp(alpha[:, None] + self.log_transition(), axis=0) + log_p
            return alpha, alpha

        _, later = jax.lax.scan(step, first, emitted[1:])
        return jnp.concatenate([first[None], later])

    def backward(self, xs: Float[Array, "time size"]) -> Float[Array, "time states"]:
        """Log of the probability of all later emissions, given the state."""
        emitted = jax.vmap(self.emission)(xs)
        last = jnp.zeros_like(emitted[0])

        def step(beta: Array, log_p: Array) -> tuple[Array, Array]:
            beta = jax.nn.logsumexp(self.log_transition() + log_p + beta, axis=1)
            return beta, beta

        _, earlier = jax.lax.scan(step, last, emitted[1:], reverse=True)
        return jnp.concatenate([earlier, last[None]])

    def smooth(self, xs: Float[Array, "time size"]) -> Float[Array, "time states"]:
        """Log of the posterior of each state, given the whole sequence."""
        return jax.nn.log_softmax(self.forward(xs) + self.backward(xs))

    def decode(self, xs: Float[Array, "time size"], *, smoothed: bool = False) -> Int32[Array, " time"]:
        """The likeliest state at each time, given the past or, `smoothed`, all."""
        scores = self.smooth(xs) if smoothed else self.forward(xs)
        return jnp.argmax(scores, axis=-1).astype(jnp.int32)

    def sample(self, noise: Float[Array, "time size"], *, key: PRNGKeyArray) -> Float[Array, "time size"]:
        """Emissions of a random path, with `noise` as standard normal draws."""
        start_key, path_key = jax.random.split(key)
        state = jax.random.categorical(start_key, self.log_start())
        keys = jax.random.split(path_key, noise.shape[0])

        def step(state: Array, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
            key, eps = inputs
            after = jax.random.categorical(key, self.log_transition()[state])
            return after, self.means[state] + self.scale() * eps

        return jax.lax.scan(step, state, (keys, noise))[1]

    def emission(self, x: Float[Array, " size"]) -> Float[Array, " states"]:
        """Log-density of an emission in each state."""
        scaled = (x - self.means) / self.scale()
        size = x.shape[0]
        constant = 0.5 * size * jnp.log(2 * jnp.pi).astype(x.dtype)
        return -0.5 * jnp.sum(scaled**2, axis=-1) - jnp.sum(jnp.log(self.scale())) - constant

    def scale(self) -> Float[Array, " size"]:
        """Standard deviation of the emissions."""
        return self.floor + jnp.exp(self.log_scale)

    def log_start(self) -> Float[Array, " states"]:
        """Log-probabilities of the first state."""
        if self.start is None:
            return jnp.full_like(self.transition[0], -jnp.log(self.transition.shape[0]))
        return jax.nn.log_softmax(self.start)

    def log_transition(self) -> Float[Array, "states states"]:
        """Log-probabilities of the next state, a row for each state."""
        return jax.nn.log_softmax(self.transition, axis=-1)
