"""An aquarium."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, module, param, state, static, test


@test(rejected=[{"volume": -1.0}])
class Aquarium(Module):
    """Fish that eat and breathe in water that remembers it."""

    diet: Float[Array, "fish foods"] = param("lecun_normal")
    appetite: Float[Array, " fish"] = param("ones")
    plants: Float[Array, " tanks"] | None = param("full(0.4)", optional="planted")
    pump: eqx.nn.Linear = module(lambda tanks, key: eqx.nn.Linear(tanks, tanks, key=key))
    tank: Int32[Array, " fish"] = buffer()
    """The tank in which each fish swims"""
    gills: Float[Array, " fish"] = buffer()
    oxygen: Float[Array, " tanks"] = state("ones")
    ammonia: Float[Array, " tanks"] = state("zeros")
    hours: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    volume: float = static(4.0, check=lambda volume: volume > 0)
    aerated: bool = static(True)
    tanks: int = static(3)

    def __call__(
        self, food: Float[Array, " foods"], *, night: bool = False, key: PRNGKeyArray
    ) -> Float[Array, " fish"]:
        """One hour: how much each fish eats."""
        hunger = jax.nn.softplus(self.diet @ food) * self.appetite
        if night:
            hunger = 0.2 * hunger
        if not self.inference:
            hunger = hunger * (0.5 + jax.random.uniform(key, hunger.shape, hunger.dtype))
        eaten = hunger * self.oxygen[self.tank]
        breath = jax.ops.segment_sum(eaten * self.gills, self.tank, self.tanks)
        air = self.oxygen - breath / self.volume + 0.1 * jnp.tanh(self.pump(breath))
        if self.plants is not None and not night:
            air = air + self.plants
        if not self.inference:
            self.oxygen = jnp.clip(air + (0.3 if self.aerated else 0.1), 0, 1)
            self.ammonia = 0.95 * self.ammonia + 0.05 * breath
            self.hours += 1
        return eaten

    def cleaned(self, share: Float[Array, " tanks"], *, deep: bool = False) -> Float[Array, " tanks"]:
        """Take out ammonia: how much is taken."""
        taken = self.ammonia * jax.nn.sigmoid(share if deep else share - 2)
        self.ammonia = self.ammonia - taken
        return taken

    def mixed(self, flow: Float[Array, " tanks"]) -> tuple[Float[Array, " tanks"], Float[Array, ""]]:
        """Pump water between tanks: oxygen of each, and its mean."""
        moved = self.oxygen + 0.1 * jnp.tanh(self.pump(flow))
        self.oxygen = jnp.clip(moved, 0, 1)
        return self.oxygen, jnp.mean(self.oxygen)

    def ill(self, doses: Float[Array, "n tanks"]) -> Bool[Array, "n fish"]:
        """Which fish fall ill at each dose."""
        return jax.vmap(lambda dose: (self.ammonia + dose)[self.tank] > self.gills)(doses)

    def age(self) -> Float[Array, ""]:
        """Days since the first hour."""
        return self.hours / jnp.asarray(24, self.gills.dtype)

    def fed_up(self, full: Bool[Array, " fish"]) -> "Aquarium":
        """With fish that have less appetite where they are full."""
        return eqx.tree_at(lambda one: one.appetite, self, jnp.where(full, 0.5, 1) * self.appetite)
