"""A reef of corals, and the seasons in which it is trained."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, groups, param, shared, static, test


@test(rejected=[{"depth": 0.0}], unused=["mirror"])
@groups(living=["polyps", "algae"])
class Reef(Module):
    """Colonies of polyps that live on light."""

    polyps: Float[Array, "colonies lights"] = param("he_normal")
    algae: Float[Array, " colonies"] = param("full(0.7)", decay=False)
    skeleton: Float[Array, "colonies colonies"] = param("orthogonal", frozen="dead")
    """What former corals have left"""
    mirror: Float[Array, "lights colonies"] = shared("polyps.T")
    bleached: Bool[Array, " colonies"] = buffer()
    depth: float = static(1.5, check=lambda depth: depth > 0)
    growth: Literal["branching", "massive", "table"] = static("branching")
    dead: bool = static(True)

    def __call__(self, light: Float[Array, " lights"], *, turbid: bool = False) -> Float[Array, " colonies"]:
        """How much each colony grows."""
        seen = light / (2 * self.depth if turbid else self.depth)
        fed = jnp.where(self.bleached, 0.2, self.algae) * (self.polyps @ seen)
        if self.growth == "massive":
            return self.skeleton @ jax.nn.softplus(fed)
        return self.skeleton @ (jnp.sin(fed) if self.growth == "table" else fed)

    def reflected(self, light: Float[Array, " lights"], *, rough: bool = False) -> Float[Array, " lights"]:
        """The light that goes back up, by the same polyps."""
        grown = self(light)
        return self.mirror @ (grown - jnp.mean(grown) if rough else grown)

    def spawned(
        self, currents: Float[Array, "n colonies"], *, key: PRNGKeyArray, mixed: bool = False
    ) -> Float[Array, "n colonies"]:
        """Larvae of each current, with luck of their own."""
        luck, shuffle = jax.random.split(key)
        noise = jax.random.normal(luck, currents.shape, currents.dtype)
        larvae = currents + 0.1 * noise * self.algae
        return jax.random.permutation(shuffle, larvae) if mixed else larvae

    def bleaching(self, heat: Float[Array, "n colonies"], *, weeks: int = 1) -> Bool[Array, " colonies"]:
        """The colonies that are bleached after this heat."""
        hot = jnp.sum(heat > self.algae, axis=0)
        return self.bleached | (hot >= weeks)


@test(rejected=[{"warmth": -1.0}])
class Season(TrainState, ema=0.95, key=True, save=True):
    """A reef, what it was trained on, and the weather."""

    model: Reef
    calm: Float[Array, " spots"] = data("ones")
    storms: Int32[Array, " spots"] = buffer("zeros")
    warmth: float = static(0.5, check=lambda warmth: warmth >= 0)

    def exposed(self, waves: Float[Array, "n spots"], *, peak: bool = False) -> Float[Array, " spots"]:
        """How much the waves are felt at each spot."""
        felt = waves * self.calm
        return jnp.max(felt, axis=0) if peak else self.warmth * jnp.mean(felt, axis=0)

    def damaged(self, hits: Int32[Array, " m"]) -> Int32[Array, " spots"]:
        """The storms of each spot, with those that hit now."""
        return self.storms.at[hits].add(1)
