import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Pytree, call, data, static, test


@test(
    sizes={"capacity": 5},
    skip=["p16_keys_give_different_draws: a new ring is empty, and all its places are alike"],
)
class Replay(Pytree, save=True):
    """A ring of transitions: what is new takes the place of what is oldest."""

    observations: Float[Array, "capacity size"] = data("zeros")
    actions: Int32[Array, " capacity"] = data("zeros")
    rewards: Float[Array, " capacity"] = data("zeros")
    ends: Bool[Array, " capacity"] = data("zeros")
    """Whether an episode ended with the transition"""
    cursor: Int32[Array, ""] = data("zeros")
    """Where the next transition goes"""
    count: Int32[Array, ""] = data("zeros")
    """How many transitions there are"""
    discount: float = static(0.97, check=lambda discount: 0 < discount <= 1)

    @call(carry="self")
    def add(
        self,
        observation: Float[Array, " size"],
        action: Int32[Array, ""],
        reward: Float[Array, ""],
        end: Bool[Array, ""],
    ) -> "Replay":
        """The ring with one transition more."""
        capacity = self.actions.shape[0]
        at = self.cursor
        return Replay(
            observations=self.observations.at[at].set(observation),
            actions=self.actions.at[at].set(action),
            rewards=self.rewards.at[at].set(reward),
            ends=self.ends.at[at].set(end),
            cursor=(at + 1) % capacity,
            count=jnp.minimum(self.count + 1, capacity),
            discount=self.discount,
        )

    def order(self) -> Int32[Array, " capacity"]:
        """Indices from the oldest place to the newest."""
        capacity = self.actions.shape[0]
        steps = jnp.arange(capacity, dtype=jnp.int32)
        return (self.cursor + steps) % capacity

    def valid(self) -> Bool[Array, " capacity"]:
        """Which places hold a transition."""
        capacity = self.actions.shape[0]
        return jnp.arange(capacity) < self.count

    def sample(
        self, *, key: PRNGKeyArray, recent: bool = False
    ) -> tuple[Float[Array, " size"], Int32[Array, ""], Float[Array, ""]]:
        """One transition at random; with `recent` newer ones are likelier."""
        capacity = self.actions.shape[0]
        age = (self.cursor - 1 - jnp.arange(capacity)) % capacity
        fade = -0.1 * age.astype(self.rewards.dtype)
        logits = fade if recent else jnp.zeros_like(fade)
        empty = jnp.finfo(logits.dtype).min
        at = jax.random.categorical(key, jnp.where(self.valid(), logits, empty))
        return self.observations[at], self.actions[at], self.rewards[at]

    def returns(self, last: Float[Array, ""]) -> Float[Array, " capacity"]:
        """Discounted sums of rewards from each transition on, oldest first; `last` is the value behind the newest."""

        def back(total: Array, step: tuple[Array, Array]) -> tuple[Array, Array]:
            reward, end = step
            total = reward + self.discount * jnp.where(end, 0, total)
            return total, total

        order = self.order()
        steps = self.rewards[order], self.ends[order]
        return jax.lax.scan(back, last, steps, reverse=True)[1]

    def cleared(self, *, keep_data: bool = True) -> "Replay":
        """The ring without transitions."""
        start = jnp.zeros_like(self.cursor)
        blank = (lambda x: x) if keep_data else jnp.zeros_like
        return Replay(
            observations=blank(self.observations),
            actions=blank(self.actions),
            rewards=blank(self.rewards),
            ends=blank(self.ends),
            cursor=start,
            count=start,
            discount=self.discount,
        )

    @property
    def is_full(self) -> Bool[Array, ""]:
        """Whether the next transition replaces another."""
        return self.count == self.actions.shape[0]
