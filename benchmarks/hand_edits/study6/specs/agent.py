"""An actor and a critic, with observations brought to one scale."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, module, param, state, static, test


class Scaler(Module):
    """Brings observations to mean 0 and deviation 1, by all that it has seen."""

    count: Float[Array, ""] = state("zeros")
    mean: Float[Array, " size"] = state("zeros")
    squares: Float[Array, " size"] = state("zeros")
    """Sum of the squared distances from the mean"""
    bound: float = static(5.0, check=lambda bound: bound > 0)
    inference: bool = buffer(False)

    def __call__(self, x: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        """Take a batch into account, and scale it."""
        if not self.inference:
            total = self.count + x.shape[0]
            apart = jnp.mean(x, axis=0) - self.mean
            within = jnp.sum((x - jnp.mean(x, axis=0)) ** 2, axis=0)
            self.squares = self.squares + within + apart**2 * self.count * x.shape[0] / total
            self.mean = self.mean + apart * x.shape[0] / total
            self.count = total
        variance = self.squares / jnp.maximum(self.count, 1)
        return jnp.clip((x - self.mean) * jax.lax.rsqrt(variance + 1e-4), -self.bound, self.bound)

    def deviation(self) -> Float[Array, " size"]:
        """The deviation of all that was seen."""
        return jnp.sqrt(self.squares / jnp.maximum(self.count, 1) + 1e-4)


@test(
    sizes={"size": 3, "hidden": 5, "actions": 2},
    skip=["a_flag_that_ends_the_noise: the policy is random in inference, too"],
)
class Agent(Module):
    """Draws actions of a Gaussian policy, and tells what they are worth."""

    scaler: Scaler = module(lambda size: Scaler.create(size))
    trunk: Float[Array, "hidden size"] = param("orthogonal")
    offset: Float[Array, " hidden"] | None = param("zeros", optional="use_offset", decay=False)
    actor: Float[Array, "actions hidden"] = param("normal(0.01)", std="0.01")
    critic: Float[Array, " hidden"] = param("normal(0.5)")
    log_deviation: Float[Array, " actions"] = param("full(-0.5)", decay=False)
    goal: Float[Array, " size"] = buffer()
    """What the critic measures its values from"""
    squash: bool = static(True)
    """Whether actions lie between -1 and 1"""

    def __init__(
        self,
        size: int,
        hidden: int,
        actions: int,
        goal: Float[Array, " size"],
        use_offset: bool = True,
        squash: bool = True,
        *,
        key: PRNGKeyArray,
    ):
        self.goal = goal
        self.squash = squash

    def __call__(
        self,
        x: Float[Array, "batch size"],
        state: eqx.nn.State,
        *,
        key: PRNGKeyArray | None = None,
    ) -> tuple[Float[Array, "batch actions"], Float[Array, " batch"], eqx.nn.State]:
        """Actions and values of a batch; the most likely actions without a key."""
        x, state = self.scaler(x, state)
        mean = self.features(x) @ self.actor.T
        if key is not None:
            mean = mean + jnp.exp(self.log_deviation) * jax.random.normal(key, mean.shape, mean.dtype)
        return jnp.tanh(mean) if self.squash else mean, self.values(x), state

    def features(self, x: Float[Array, "batch size"]) -> Float[Array, "batch hidden"]:
        """What actor and critic share."""
        hidden = x @ self.trunk.T
        return jax.nn.elu(hidden if self.offset is None else hidden + self.offset)

    def values(self, x: Float[Array, "batch size"], *, detached: bool = False) -> Float[Array, " batch"]:
        """What observations are worth beside the goal; `detached` leaves the trunk alone."""
        hidden, goal = self.features(x), self.features(self.goal[None])
        if detached:
            hidden, goal = jax.lax.stop_gradient(hidden), jax.lax.stop_gradient(goal)
        return (hidden - goal) @ self.critic

    def entropy(self, *, per_action: bool = False) -> Float[Array, ""]:
        """The entropy of the policy before it is squashed, or its mean over the actions."""
        entropies = self.log_deviation + 0.5 * jnp.log(2 * jnp.pi * jnp.e)
        return jnp.mean(entropies) if per_action else jnp.sum(entropies)
