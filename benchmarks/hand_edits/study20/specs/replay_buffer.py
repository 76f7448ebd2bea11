"""Fixed-size ring buffer of transitions that lives on the device and goes through jit and scan."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["obs", "action", "reward", "next_obs", "done", "head", "size"],
    meta_fields=["gamma"],
)
@dataclasses.dataclass(frozen=True)
class ReplayBuffer:
    obs: Float[Array, "capacity obs_dim"]
    action: Int[Array, " capacity"]
    reward: Float[Array, " capacity"]
    next_obs: Float[Array, "capacity obs_dim"]
    done: Bool[Array, " capacity"]
    head: Int[Array, ""]  # where the next transition goes
    size: Int[Array, ""]  # how many slots are filled
    gamma: float = 0.99

    @classmethod
    def create(cls, capacity: int, obs_dim: int, *, gamma: float = 0.99) -> "ReplayBuffer":
        return cls(
            obs=jnp.zeros((capacity, obs_dim)),
            action=jnp.zeros((capacity,), jnp.int32),
            reward=jnp.zeros((capacity,)),
            next_obs=jnp.zeros((capacity, obs_dim)),
            done=jnp.zeros((capacity,), bool),
            head=jnp.zeros((), jnp.int32),
            size=jnp.zeros((), jnp.int32),
            gamma=gamma,
        )

    @property
    def capacity(self) -> int:
        return self.obs.shape[0]

    def add(self, obs: Float[Array, " obs_dim"], action, reward, next_obs, done) -> "ReplayBuffer":
        i = self.head
        return dataclasses.replace(
            self,
            obs=self.obs.at[i].set(obs),
            action=self.action.at[i].set(action),
            reward=self.reward.at[i].set(reward),
            next_obs=self.next_obs.at[i].set(next_obs),
            done=self.done.at[i].set(done),
            head=(i + 1) % self.capacity,
            size=jnp.minimum(self.size + 1, self.capacity),
        )

    def extend(self, batch: tuple[Array, ...]) -> "ReplayBuffer":
        """Add transitions in order; each of the five arrays has a leading axis of steps."""
        return jax.lax.scan(lambda buf, t: (buf.add(*t), None), self, batch)[0]

    def sample(self, key: PRNGKeyArray, n: int) -> dict[str, Array]:
        """n transitions, uniform with replacement over the filled slots."""
        idx = jax.random.randint(key, (n,), 0, jnp.maximum(self.size, 1))
        names = ("obs", "action", "reward", "next_obs", "done")
        return {name: getattr(self, name)[idx] for name in names}

    def td_targets(self, batch: dict[str, Array], next_value: Float[Array, " n"]) -> Float[Array, " n"]:
        target = batch["reward"] + self.gamma * jnp.where(batch["done"], 0.0, next_value)
        return jax.lax.stop_gradient(target)
