"""Water in an orchard."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, state, static, test


@test(rejected=[{"capacity": 0.0}])
class Orchard(Module):
    """Trees that drink from soil, which a pump fills."""

    need: Float[Array, " trees"] = param("ones")
    uptake: Float[Array, "trees weather"] = param("lecun_normal")
    pump: Float[Array, " trees"] | None = param("full(0.3)", optional="use_pump")
    row: Int32[Array, " trees"] = buffer()
    """The row in which each tree stands"""
    shade: Float[Array, " trees"] = buffer()
    moisture: Float[Array, " trees"] = state("full(0.5)")
    stress: Float[Array, " trees"] = state("zeros")
    days: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    capacity: float = static(2.0, check=lambda capacity: capacity > 0)
    mulched: bool = static(False)
    rows: int = static(3)

    def __call__(
        self, weather: Float[Array, " weather"], *, frost: bool = False, key: PRNGKeyArray
    ) -> Float[Array, " trees"]:
        """One day: how much each tree drinks."""
        thirst = self.need * jax.nn.softplus(self.uptake @ weather - self.shade)
        if frost:
            thirst = 0.1 * thirst
        if not self.inference:
            thirst = thirst * jnp.exp(0.1 * jax.random.normal(key, thirst.shape, thirst.dtype))
        moisture = self.moisture
        if self.pump is not None:
            moisture = moisture + self.pump
        drunk = moisture * jnp.tanh(thirst)
        lost = 0.02 if self.mulched else 0.1
        if not self.inference:
            self.moisture = jnp.clip((1 - lost) * (moisture - drunk), 0, self.capacity)
            self.stress = 0.9 * self.stress + 0.1 * (thirst - drunk)
            self.days += 1
        return drunk

    def rained(self, rain: Float[Array, " trees"], *, heavy: bool = False) -> Float[Array, " trees"]:
        """Rain on each tree: what runs off."""
        full = self.moisture + (rain if heavy else 0.5 * rain)
        self.moisture = jnp.minimum(full, self.capacity)
        return jnp.maximum(full - self.capacity, 0)

    def yields(self, sun: Float[Array, ""]) -> Float[Array, " trees"]:
        """Fruit of each tree, less where it was stressed."""
        return sun * self.need * jnp.exp(-self.stress) / (1 + self.days)

    def by_row(self, fruit: Float[Array, " trees"], ripe: Bool[Array, " trees"]) -> Float[Array, " rows"]:
        """Ripe fruit of each row."""
        return jax.ops.segment_sum(jnp.where(ripe, fruit, 0), self.row, self.rows)

    def thinned(self, keep: Float[Array, " trees"]) -> "Orchard":
        """With trees that need less."""
        return eqx.tree_at(lambda one: one.need, self, self.need * keep)
