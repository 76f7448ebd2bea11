"""How a drug spreads through a body."""

from typing import Literal, Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, derived, groups, module, param, static, test


@test(positive=["volume"], rejected=[{"step": 0.0}, {"order": 0}])
@groups(kinetics=["raw_clearance", "exchange"])
class Dosage(Module, constructor="init", save=True, migrate=True):
    """Compartments that exchange a drug and clear it."""

    exchange: Float[Array, "organs organs"] = param("normal(0.2)")
    raw_clearance: Float[Array, " organs"] = param("full(-0.5)", decay=False)
    clearance: Float[Array, " organs"] = derived(lambda self: jax.nn.softplus(self.raw_clearance))
    """What share of the drug leaves each compartment"""
    uptake: Float[Array, "organs routes"] = param("he_uniform")
    leak: Float[Array, " organs"] | None = param("uniform(0.3)", optional="leaky", decay=False)
    binding: eqx.nn.Linear = module(
        lambda organs, dtype, key: eqx.nn.Linear(organs, organs, dtype=dtype, key=key),
        frozen="validated",
    )
    """How proteins bind the drug"""
    volume: Float[Array, " organs"] = buffer()
    sampled: Int32[Array, " probes"] = buffer()
    """The compartments of which blood is taken"""
    barrier: Bool[Array, " organs"] = buffer()
    step: float = static(0.1, check=lambda step: step > 0)
    order: int = static(1, check=lambda order: 1 <= order <= 4)
    elimination: Literal["linear", "saturable", "none"] = static("linear")
    validated: bool = static(True)

    def __call__(
        self,
        dose: Float[Array, " routes"],
        level: Float[Array, " organs"] | None = None,
        *,
        fasting: bool = False,
    ) -> Float[Array, " organs"]:
        """The concentrations after a dose."""
        amount = self.uptake @ (dose if fasting else 0.7 * dose)
        if level is not None:
            amount = amount + self.volume * level
        amount = jnp.where(self.barrier, 0.1 * amount, amount)
        if self.leak is not None:
            amount = amount - self.leak
        return self.binding(amount) / self.volume

    def cleared(self, level: Float[Array, " organs"]) -> Float[Array, " organs"]:
        """How fast the drug leaves."""
        if self.elimination == "saturable":
            return self.clearance * level / (1 + jnp.abs(level)) ** self.order
        return jnp.zeros_like(level) if self.elimination == "none" else self.clearance * level

    def course(
        self, level: Float[Array, " organs"], *, times: int = 5, sparse: bool = False
    ) -> tuple[Float[Array, " organs"], Float[Array, "times probes"]]:
        """The last concentrations, and what the probes see on the way."""

        def tick(now: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            flow = self.exchange @ now - jnp.sum(self.exchange, axis=0) * now
            now = now + self.step * (flow - self.cleared(now))
            return now, now[self.sampled]

        last, seen = jax.lax.scan(tick, level, None, length=times)
        return last, seen.at[1::2].set(0) if sparse else seen

    def exposure(self, curve: Float[Array, "n probes"]) -> Float[Array, " probes"]:
        """The area under each curve, by trapezoids."""
        return self.step * jnp.sum((curve[1:] + curve[:-1]) / 2, axis=0)

    def toxic(self, levels: Float[Array, "n organs"], *, severe: bool = False) -> Int32[Array, " n"]:
        """In how many compartments each level is above what is cleared."""
        above = jnp.abs(levels) > (2 * self.clearance if severe else self.clearance)
        return jnp.sum(above & ~self.barrier, axis=1, dtype=jnp.int32)

    @classmethod
    def plain(cls, organs: int, routes: int, *, key: jax.Array) -> Self:
        """A body of equal compartments without a barrier, of which the first is sampled."""
        return cls(
            routes,
            jnp.full(organs, 1.5),
            jnp.zeros(1, jnp.int32),
            jnp.zeros(organs, bool),
            leaky=False,
            key=key,
        )
