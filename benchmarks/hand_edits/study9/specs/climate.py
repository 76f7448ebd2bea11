"""Temperatures of the latitudes of a planet."""

from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, param, static, test


@test(sizes={"bands": 5})
class Climate(Module, save=True):
    """An energy balance: what latitude bands take in, radiate, and hand to their neighbours."""

    radiation: Float[Array, ""] = param("full(0.4)")
    """What a band radiates at 0 degrees"""
    response: Float[Array, ""] = param("full(-1.0)")
    """Before a softplus, how much more it radiates where it is warmer"""
    conductance: Float[Array, " bands-1"] = param("normal(0.3)", std="0.3")
    """Before a softplus, how well heat flows between neighbours"""
    ground: Float[Array, " bands"] | None = param("zeros", optional="use_ground")
    """Logits of the albedo of bare ground, beside those of all ground"""
    sunlight: Float[Array, " bands"] = buffer()
    area: Float[Array, " bands"] = buffer("=jnp.sin(jnp.pi * (jnp.arange(bands, dtype=dtype) + 0.5) / bands)")
    """The area of each band"""
    capacity: float = static(2.0, check=lambda capacity: capacity > 0)
    """How much heat warms a band by a degree"""
    freezing: float = static(-0.6)
    smooth: bool = static(True)
    """Whether ice has a gradual edge"""

    @classmethod
    def symmetric(cls, half: Float[Array, " half"], *, key: PRNGKeyArray) -> Self:
        """A planet whose north is as its south."""
        return cls.create(jnp.concatenate([half[::-1], half]), key=key)

    @call(carry="t")
    def __call__(
        self, t: Float[Array, " bands"], forcing: Float[Array, " bands"] | None = None
    ) -> Float[Array, " bands"]:
        """Temperatures a while later."""
        return t + 0.1 * self.tendency(t, forcing) / self.capacity

    def tendency(
        self, t: Float[Array, " bands"], forcing: Float[Array, " bands"] | None = None
    ) -> Float[Array, " bands"]:
        """How much heat each band gains."""
        gained = self.sunlight * (1 - self.albedo(t))
        lost = self.radiation + jax.nn.softplus(self.response) * t
        flow = jax.nn.softplus(self.conductance) * (t[1:] - t[:-1])
        moved = jnp.pad(flow, (0, 1)) - jnp.pad(flow, (1, 0))
        net = gained - lost + moved / self.area
        return net if forcing is None else net + forcing

    def albedo(self, t: Float[Array, " bands"]) -> Float[Array, " bands"]:
        """What share of the light ground and ice reflect."""
        frozen = self.freezing - t
        ice = jax.nn.sigmoid(4 * frozen) if self.smooth else (frozen > 0).astype(t.dtype)
        bare = jnp.full_like(t, 0.3) if self.ground is None else jax.nn.sigmoid(self.ground - 0.8)
        return ice * 0.6 + (1 - ice) * bare

    def mean(
        self, t: Float[Array, " bands"], land: Bool[Array, " bands"] | None = None, *, absolute: bool = False
    ) -> Float[Array, ""]:
        """The mean temperature of the planet, or of its land."""
        weights = self.area if land is None else jnp.where(land, self.area, 0)
        mean = jnp.sum(weights * t) / (jnp.sum(weights) + 1e-3)
        return mean + 27.3 if absolute else mean

    def dimmed(self, share: Float[Array, ""]) -> "Climate":
        """The planet below a sun that has lost a share of its light."""
        return eqx.tree_at(lambda planet: planet.sunlight, self, self.sunlight * (1 - share))

    def weather(
        self, t: Float[Array, " bands"], *, key: PRNGKeyArray, calm: bool = False
    ) -> Float[Array, " bands"]:
        """Temperatures of a day; those of neighbours are alike."""
        first, second = jax.random.split(key)
        local = jax.random.normal(first, t.shape, t.dtype)
        everywhere = jax.random.normal(second, (), t.dtype)
        noise = 0.5 * (local + jnp.roll(local, 1)) + everywhere
        return t + (0.1 if calm else 1.0) * noise
