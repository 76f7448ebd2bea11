"""A telegraph."""

from typing import Literal

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"leak": 2.0}])
class Telegraph(Nnx, save=True):
    """Signals on wires, and relays that wear."""

    wires: Float[Array, "stations keys"] = param("lecun_normal")
    battery: Float[Array, " stations"] = param("full(1.5)")
    resistance: Float[Array, " stations"] = param("full(0.6)", frozen=True)
    code: Int32[Array, " keys"] = buffer()
    """The length of the sign of each key"""
    weather: Float[Array, " stations"] = data(variable="Weather")
    coil: nnx.Linear = module(lambda keys, rngs: nnx.Linear(keys, keys, rngs=rngs))
    static_noise: nnx.Dropout = module(lambda rngs: nnx.Dropout(0.25, rngs=rngs))
    charge: Float[Array, " stations"] = state("zeros", variable="Charge")
    level: Float[Array, " keys"] = state("ones", variable="BatchStat")
    words: Int32[Array, ""] = buffer("zeros", variable="Count")
    alphabet: Literal["morse", "needle", "printing"] = static("morse")
    leak: float = static(0.1, check=lambda leak: 0 <= leak < 1)
    longest: int = static(3)
    duplex: bool = static(False)

    def __call__(self, signal: Float[Array, " keys"], *, training: bool = True) -> Float[Array, " stations"]:
        """Send one sign: the current at each station."""
        keyed = jnp.where(self.code < self.longest, signal, 0.5 * signal)
        if training:
            self.level = 0.8 * self.level + 0.2 * jnp.abs(signal)
            self.words += 1
        sent = self.static_noise(self.coil(keyed / (self.level + 0.01)), deterministic=not training)
        current = self.battery * (self.wires @ sent) * self.weather - self.resistance
        if training:
            self.charge = (1 - self.leak) * self.charge + (0.2 if self.duplex else 0.1) * current
        return self.decoded(current)

    def decoded(self, current: Float[Array, " stations"]) -> Float[Array, " stations"]:
        """What a station makes of its current."""
        if self.alphabet == "morse":
            return jnp.maximum(current, 0)
        return jnp.tanh(current) if self.alphabet == "needle" else current + self.charge

    def heard(self, currents: Float[Array, "n stations"], *, strict: bool = False) -> Bool[Array, " n"]:
        """Which currents some station hears."""
        needed = self.resistance + (self.charge if strict else 0)
        return jnp.any(currents * self.battery > needed, axis=1)

    def discharged(self, drawn: Float[Array, " stations"]) -> Float[Array, " stations"]:
        """Draw some of the charge, and say how much is left."""
        self.charge = self.charge - jnp.minimum(drawn, self.charge)
        return self.charge

    def mistakes(self, sent: Int32[Array, " n"], received: Int32[Array, " n"]) -> Int32[Array, ""]:
        """How many signs arrive with another length."""
        return jnp.sum(self.code[sent] != self.code[received], dtype=jnp.int32)
