import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Pytree, buffer, data, test


@test(skip=["p16_keys_give: of an empty buffer any draw is zeros"])
class ReplayBuffer(Pytree):
    """The last transitions, from which batches are drawn. To add gives the next buffer."""

    observations: Float[Array, "capacity size"] = data("zeros")
    rewards: Float[Array, " capacity"] = data("zeros")
    added: Int32[Array, ""] = buffer("zeros")
    """How many were added so far"""

    def add(self, observation: Float[Array, " size"], reward: Float[Array, ""]) -> "ReplayBuffer":
        """The buffer with one transition more, in the place of the oldest where it is full."""
        place = self.added % self.capacity
        return ReplayBuffer(
            observations=self.observations.at[place].set(observation),
            rewards=self.rewards.at[place].set(reward),
            added=self.added + 1,
        )

    def sample(
        self, count: int, *, key: PRNGKeyArray
    ) -> tuple[Float[Array, "count size"], Float[Array, " count"]]:
        """Transitions that were added, drawn with replacement."""
        places = jax.random.randint(key, (count,), 0, jnp.minimum(self.added, self.capacity))
        return self.observations[places], self.rewards[places]

    @property
    def capacity(self) -> int:
        """How many transitions it holds at most."""
        return self.rewards.shape[0]
