"""A battery, by a circuit that behaves like it."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, state, static, test


@test(
    sizes={"pairs": 3, "knots": 4, "steps": 3},
    skip=["p12_inference_leaves_the_state: a battery that is read is discharged all the same"],
)
class Battery(Module, save=True, migrate=True):
    """A source with a resistance, and pairs of a resistor and a capacitor, which are fitted."""

    series: Float[Array, ""] = param("full(-1.0)")
    """Before a softplus, the resistance of everything"""
    resistance: Float[Array, " pairs"] = param("normal(0.3)", std="0.3")
    """Before a softplus"""
    rate: Float[Array, " pairs"] = param("normal(0.5)", std="0.5", decay=False)
    """Logits of how much of its voltage a pair keeps in a second"""
    curve: Float[Array, " knots"] = buffer()
    """The voltage of the source, from empty to full"""
    aging: Float[Array, ""] | None = param("zeros", optional="ages")
    """How fast capacity is lost with what was drawn"""
    charge: Float[Array, ""] = state("full(0.8)")
    voltages: Float[Array, " pairs"] = state("zeros")
    drawn: Float[Array, ""] = state("zeros")
    """All that was ever drawn"""
    readings: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    capacity: float = static(3.0, check=lambda capacity: capacity > 0)
    floor: float = static(0.05, check=lambda floor: 0 <= floor < 1)
    """Below what charge it is switched off"""

    def __call__(
        self,
        current: Float[Array, ""],
        seconds: Float[Array, ""] | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, ""]:
        """Draw a current for a while, one second by default, and tell the voltage."""
        time = jnp.ones_like(current) if seconds is None else jnp.abs(seconds)
        keep = jax.nn.sigmoid(self.rate) ** time
        self.voltages = keep * self.voltages + (1 - keep) * jax.nn.softplus(self.resistance) * current
        self.charge = jnp.clip(self.charge - current * time / self.size(self.drawn), 0, 1)
        self.drawn = self.drawn + jnp.abs(current) * time
        self.readings += 1
        voltage = self.source(self.charge) - jax.nn.softplus(self.series) * current - jnp.sum(self.voltages)
        if key is not None and not self.inference:
            voltage = voltage + 0.01 * jax.random.normal(key, voltage.shape, voltage.dtype)
        return voltage

    def source(self, charge: Float[Array, ""], *, linear: bool = True) -> Float[Array, ""]:
        """The voltage without a current, between the knots of the curve or at the next of them."""
        last = self.curve.shape[0] - 1
        place = jnp.clip(charge, 0, 1) * last
        below = jnp.clip(jnp.floor(place), 0, last - 1).astype(jnp.int32)
        part = place - below.astype(place.dtype)
        part = part if linear else jnp.round(part)
        return (1 - part) * self.curve[below] + part * self.curve[below + 1]

    def size(self, drawn: Float[Array, ""]) -> Float[Array, ""]:
        """How much it holds, which may shrink with all that was drawn."""
        full = jnp.full_like(self.series, self.capacity)
        if self.aging is None:
            return full
        return full / (1 + jax.nn.softplus(self.aging) * jnp.abs(drawn))

    def rest(self, seconds: Float[Array, ""]) -> Float[Array, ""]:
        """Leave it alone for a while, and tell how far it was from rest."""
        before = jnp.sum(self.voltages)
        self.voltages = jax.nn.sigmoid(self.rate) ** jnp.abs(seconds) * self.voltages
        return before - jnp.sum(self.voltages)

    def left(self, current: Float[Array, ""]) -> Float[Array, ""]:
        """How many seconds it lasts at a current."""
        usable = jax.nn.relu(self.charge - self.floor) * self.size(self.drawn)
        return usable / (jnp.abs(current) + 0.01)

    def impedance(self, frequency: Float[Array, " steps"], *, total: bool = True) -> Float[Array, " steps"]:
        """How much it resists an alternating current, with or without the resistance of everything."""
        decay = -jax.nn.log_sigmoid(self.rate)
        share = decay / jnp.sqrt(decay**2 + frequency[:, None] ** 2)
        pairs = share @ jax.nn.softplus(self.resistance)
        return pairs + jax.nn.softplus(self.series) if total else pairs
