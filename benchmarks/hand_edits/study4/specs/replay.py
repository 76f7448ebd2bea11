"""A replay buffer with priorities, as off-policy agents use it."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Namedtuple, Pytree, data, static


class Batch(Namedtuple):
    """Transitions that were drawn, and how much each of them counts."""

    observations: Float[Array, "batch size"] = data()
    rewards: Float[Array, " batch"] = data()
    importance: Float[Array, " batch"] = data()


class Replay(Pytree, save=True):
    """The last transitions of an agent, the oldest of which is overwritten first."""

    observations: Float[Array, "capacity size"] = data("zeros")
    rewards: Float[Array, " capacity"] = data("zeros")
    priorities: Float[Array, " capacity"] = data("zeros")
    """How likely each is drawn; 0 where nothing was stored"""
    written: Int32[Array, ""] = data("zeros")
    """How many transitions were stored so far"""
    alpha: float = static(0.6, check=lambda alpha: 0 <= alpha <= 1)
    """How much priorities count"""
    beta: float = static(0.4, check=lambda beta: 0 <= beta <= 1)
    """How much of the bias is corrected"""
    newest_first: bool = static(False)

    def added(
        self, observation: Float[Array, " size"], reward: Float[Array, ""], *, urgent: bool = False
    ) -> "Replay":
        """The buffer with one more transition, which counts twice if it is `urgent`."""
        position = self.written % self.rewards.shape[0]
        priority = jnp.maximum(jnp.max(self.priorities), 1.0)
        if urgent:
            priority = 2 * priority
        return Replay(
            self.observations.at[position].set(observation),
            self.rewards.at[position].set(reward),
            self.priorities.at[position].set(priority),
            self.written + 1,
            self.alpha,
            self.beta,
            self.newest_first,
        )

    def reprioritised(self, indices: Int32[Array, " batch"], errors: Float[Array, " batch"]) -> "Replay":
        """The buffer after the errors of a batch are known."""
        return Replay(
            self.observations,
            self.rewards,
            self.priorities.at[indices].set(jnp.abs(errors) + 1e-3),
            self.written,
            self.alpha,
            self.beta,
            self.newest_first,
        )

    def probabilities(self) -> Float[Array, " capacity"]:
        """How likely each transition is drawn."""
        stored = self.priorities > 0
        powers = jnp.where(stored, jnp.where(stored, self.priorities, 1) ** self.alpha, 0)
        return powers / jnp.maximum(jnp.sum(powers), 1e-6)

    def sampled(self, weights: Float[Array, " batch"], *, key: PRNGKeyArray) -> Batch:
        """A batch, as large as `weights`, which multiply its importance."""
        count_key, noise_key = jax.random.split(key)
        probabilities = self.probabilities()
        capacity = probabilities.shape[0]
        indices = jax.random.choice(count_key, capacity, weights.shape, p=probabilities)
        importance = (capacity * probabilities[indices] + 1e-6) ** -self.beta
        noise = jax.random.uniform(noise_key, weights.shape, weights.dtype, 0.9, 1.1)
        return Batch(
            self.observations[indices],
            self.rewards[indices],
            weights * noise * importance / jnp.max(importance),
        )

    def ordered(self) -> Float[Array, " capacity"]:
        """The rewards from the oldest to the newest, or the other way round."""
        rewards = jnp.roll(self.rewards, -(self.written % self.rewards.shape[0]))
        return jnp.flip(rewards) if self.newest_first else rewards
