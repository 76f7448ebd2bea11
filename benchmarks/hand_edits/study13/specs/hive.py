"""Bees."""

from typing import Literal

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"swarming": -0.1}])
class Hive(Nnx, save=True):
    """A colony that gathers what flowers give, and stores it."""

    forage: Float[Array, "combs flowers"] = param("lecun_normal")
    scent: Float[Array, " flowers"] = param("ones")
    wax: Float[Array, " combs"] | None = param("full(0.5)", optional="waxed")
    queen: Float[Array, "combs combs"] = param("orthogonal(0.8)", frozen=True)
    """As she was bred"""
    distance: Float[Array, " flowers"] = data(variable="Perturbation")
    sealed: Bool[Array, " combs"] = buffer()
    dance: nnx.Linear = module(lambda flowers, rngs: nnx.Linear(flowers, flowers, rngs=rngs))
    honey: Float[Array, " combs"] = state("zeros", variable="Store")
    bloom: Float[Array, " flowers"] = state("ones", variable="BatchStat")
    flights: Int32[Array, ""] = buffer("zeros", variable="Count")
    breed: Literal["carnica", "buckfast", "ligustica"] = static("carnica")
    swarming: float = static(0.3, check=lambda swarming: swarming >= 0)
    shaded: bool = static(False)

    def __call__(
        self, weather: Float[Array, " flowers"], *, training: bool = True, smoke: bool = False
    ) -> Float[Array, " combs"]:
        """A day: what arrives at each comb."""
        seen = self.scent * weather * jnp.exp(-jnp.square(self.distance))
        if training:
            self.bloom = 0.95 * self.bloom + 0.05 * jnp.abs(seen)
            self.flights += 1
        danced = self.dance(seen / (self.bloom + 0.1))
        brought = self.temper(self.forage @ danced)
        brought = self.queen @ brought
        if self.wax is not None:
            brought = brought * self.wax
        if smoke:
            brought = 0.3 * brought
        if training:
            self.honey = self.honey + jnp.where(self.sealed, 0, jax.nn.softplus(brought))
        return brought - self.swarming * jnp.tanh(self.honey)

    def temper(self, brought: Float[Array, " combs"]) -> Float[Array, " combs"]:
        """How a breed works."""
        if self.breed == "carnica":
            return brought
        if self.breed == "buckfast":
            return 1.2 * jnp.tanh(brought)
        return brought + 0.1 * jnp.square(brought)

    def harvest(self, share: Float[Array, " combs"], *, gentle: bool = False) -> Float[Array, " combs"]:
        """Take a share of the honey: what is taken."""
        taken = jax.nn.sigmoid(share) * self.honey
        if gentle:
            taken = 0.5 * taken
        self.honey = self.honey - taken
        return taken

    def full(self, room: Float[Array, " combs"]) -> Bool[Array, " combs"]:
        """Which combs hold more than there is room for."""
        return (self.honey > room) | self.sealed

    def sickness(self, mites: Float[Array, "n combs"]) -> tuple[Int32[Array, " n"], Float[Array, ""]]:
        """How many combs are sick on each day, and how sick they are on average."""
        load = mites * (0.5 if self.shaded else 1.0)
        return jnp.sum(load > 0.4, axis=1, dtype=jnp.int32), jnp.mean(load)

    def scattered(self, weather: Float[Array, " flowers"], *, rngs: nnx.Rngs) -> Float[Array, " flowers"]:
        """Where bees get lost."""
        lost = jax.random.normal(rngs.params(), weather.shape, weather.dtype)
        return weather + self.swarming * lost * self.scent
