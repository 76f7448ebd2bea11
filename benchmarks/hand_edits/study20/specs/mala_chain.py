"""Metropolis-adjusted Langevin chain as a NamedTuple carry."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray


class MalaChain(NamedTuple):
    position: Float[Array, " dim"]
    log_density: Float[Array, ""]
    grad: Float[Array, " dim"]
    log_step: Float[Array, ""]
    accepted: Int[Array, ""]
    count: Int[Array, ""]
    key: PRNGKeyArray

    @classmethod
    def init(cls, log_prob: Callable, position: Float[Array, " dim"], step_size: float, key: PRNGKeyArray):
        value, grad = jax.value_and_grad(log_prob)(position)
        zero = jnp.zeros((), jnp.int32)
        return cls(position, value, grad, jnp.log(jnp.asarray(step_size, value.dtype)), zero, zero, key)

    @property
    def acceptance(self) -> Float[Array, ""]:
        return self.accepted / jnp.maximum(self.count, 1)

    def log_proposal(self, to: Float[Array, " dim"], start: Float[Array, " dim"], grad: Float[Array, " dim"]):
        """Log density of proposing `to` from `start`, up to a constant."""
        step = jnp.exp(self.log_step)
        return -jnp.sum((to - start - step * grad) ** 2) / (4.0 * step)

    def step(self, log_prob: Callable) -> "MalaChain":
        key, noise_key, accept_key = jax.random.split(self.key, 3)
        step = jnp.exp(self.log_step)
        noise = jax.random.normal(noise_key, self.position.shape, self.position.dtype)
        proposal = self.position + step * self.grad + jnp.sqrt(2.0 * step) * noise
        value, grad = jax.value_and_grad(log_prob)(proposal)
        forward = self.log_proposal(proposal, self.position, self.grad)
        backward = self.log_proposal(self.position, proposal, grad)
        log_ratio = value - self.log_density + backward - forward
        accept = jnp.log(jax.random.uniform(accept_key, (), value.dtype)) < log_ratio
        return self._replace(
            position=jnp.where(accept, proposal, self.position),
            log_density=jnp.where(accept, value, self.log_density),
            grad=jnp.where(accept, grad, self.grad),
            accepted=self.accepted + accept.astype(jnp.int32),
            count=self.count + 1,
            key=key,
        )

    def adapt(self, target: float = 0.574, rate: float = 0.5) -> "MalaChain":
        """Nudge the step size to the wanted acceptance, then start the counters again."""
        log_step = self.log_step + rate * (self.acceptance - target)
        zero = jnp.zeros_like(self.count)
        return self._replace(log_step=log_step, accepted=zero, count=zero)

    def run(self, log_prob: Callable, n: int) -> tuple["MalaChain", Float[Array, "n dim"]]:
        def body(chain, _):
            chain = chain.step(log_prob)
            return chain, chain.position

        return jax.lax.scan(body, self, None, length=n)
