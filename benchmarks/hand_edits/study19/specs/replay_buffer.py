"""A replay buffer on the device."""

import flax.struct
import jax
import jax.numpy as jnp

from scaffold.skeleton import test


@test(
    build=lambda seed: ReplayBuffer.create(5, 3),
    values={
        "observation": lambda seed: jax.random.normal(jax.random.key(seed + 7), (3,)),
        "action": lambda: jnp.array(2, jnp.int32),
        "reward": lambda: jnp.array(0.5, jnp.float32),
        "key": lambda seed: jax.random.key(seed),
    },
)
@flax.struct.dataclass
class ReplayBuffer:
    """A ring of transitions; the oldest are overwritten."""

    observations: jax.Array
    actions: jax.Array
    rewards: jax.Array
    position: jax.Array
    size: jax.Array
    capacity: int = flax.struct.field(pytree_node=False)

    @classmethod
    def create(cls, capacity: int, obs_size: int) -> "ReplayBuffer":
        return cls(
            observations=jnp.zeros((capacity, obs_size), jnp.float32),
            actions=jnp.zeros((capacity,), jnp.int32),
            rewards=jnp.zeros((capacity,), jnp.float32),
            position=jnp.zeros((), jnp.int32),
            size=jnp.zeros((), jnp.int32),
            capacity=capacity,
        )

    def add(self, observation: jax.Array, action: jax.Array, reward: jax.Array) -> "ReplayBuffer":
        """Store one transition."""
        return self.replace(
            observations=self.observations.at[self.position].set(observation),
            actions=self.actions.at[self.position].set(action),
            rewards=self.rewards.at[self.position].set(reward),
            position=(self.position + 1) % self.capacity,
            size=jnp.minimum(self.size + 1, self.capacity),
        )

    def sample(self, key: jax.Array, batch_size: int = 4) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Transitions that are drawn uniformly, with replacement."""
        high = jnp.maximum(self.size, 1)
        index = jax.random.randint(key, (batch_size,), 0, high)
        return self.observations[index], self.actions[index], self.rewards[index]

    def mean_reward(self) -> jax.Array:
        """The mean over what is stored; 0 while nothing is."""
        stored = jnp.arange(self.capacity) < self.size
        total = jnp.sum(jnp.where(stored, self.rewards, 0.0))
        return total / jnp.maximum(self.size, 1)
