"""A lighthouse with lamps behind lenses."""

from typing import Literal, Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, derived, module, param, shared, static, test


@test(
    positive=["ranges"],
    rejected=[{"period": 0.0}, {"flashes": 0}],
    unused=["backward"],
)
class Lighthouse(Module, constructor="init", save=True, migrate=True):
    """Lamps that turn, and the ships that see them."""

    lens: Float[Array, "lamps lamps"] = param("orthogonal")
    backward: Float[Array, "lamps lamps"] = shared("lens.T")
    """The same lens, seen from the sea"""
    raw_power: Float[Array, " lamps"] = param("full(0.6)", decay=False)
    power: Float[Array, " lamps"] = derived(lambda self: jax.nn.softplus(self.raw_power))
    colours: Float[Array, "bands lamps"] = param("he_normal")
    haze: Float[Array, " bands"] | None = param("normal(0.3)", optional="hazy", decay=False)
    horn: eqx.nn.Linear = module(
        lambda bands, dtype, key: eqx.nn.Linear(bands, bands, use_bias=False, dtype=dtype, key=key),
        frozen="tuned",
    )
    """The fog horn, which answers the light"""
    ranges: Float[Array, " lamps"] = data()
    sectors: Bool[Array, " lamps"] = buffer()
    """Where the light is hidden from the sea"""
    bearings: Int32[Array, " ships"] = buffer()
    """The lamp that shines towards each ship"""
    period: float = static(5.0, check=lambda period: period > 0)
    flashes: int = static(2, check=lambda flashes: 1 <= flashes <= 9)
    character: Literal["fixed", "flashing", "occulting"] = static("fixed")
    tuned: bool = static(False)

    def __call__(self, light: Float[Array, " lamps"], *, foggy: bool = False) -> Float[Array, " bands"]:
        """What is seen at sea."""
        beam = self.lens @ (light * self.power)
        beam = jnp.where(self.sectors, 0.2 * beam, beam) * self.ranges
        seen = self.colours @ beam
        if self.haze is not None:
            seen = seen * jnp.exp(-jnp.square(self.haze))
        if foggy:
            seen = seen + self.horn(seen)
        return self.horn(jnp.tanh(seen))

    def rhythm(self, times: Float[Array, " n"]) -> Float[Array, " n"]:
        """How bright the light is at each time."""
        phase = 2 * jnp.pi * times / self.period
        if self.character == "flashing":
            return jax.nn.relu(jnp.sin(self.flashes * phase))
        return 1 - jnp.square(jnp.cos(phase)) if self.character == "occulting" else jnp.cos(phase)

    def returned(self, glare: Float[Array, " lamps"], *, damped: bool = False) -> Float[Array, " lamps"]:
        """What comes back through the lens."""
        back = self.backward @ glare
        return back / (1 + self.power) if damped else back

    def sightings(
        self, beams: Float[Array, "n lamps"], least: Float[Array, ""] | None = None
    ) -> tuple[Float[Array, "n ships"], Int32[Array, " ships"]]:
        """What each ship sees, and when it is brightest."""
        seen = beams[:, self.bearings]
        if least is not None:
            seen = seen - jax.nn.softplus(least)
        return seen, jnp.argmax(seen, axis=0).astype(jnp.int32)

    def twinkled(self, beams: Float[Array, "n lamps"], *, key: PRNGKeyArray) -> Float[Array, "n lamps"]:
        """The beams with the air between."""
        air, gull = jax.random.split(key)
        noise = jax.random.normal(air, beams.shape, beams.dtype)
        passed = jax.random.bernoulli(gull, 0.8, (len(beams), 1))
        return jnp.where(passed, beams + 0.1 * noise * self.ranges, 0)

    @classmethod
    def clear(cls, lamps: int, bands: int, *, key: jax.Array) -> Self:
        """A lighthouse without haze, of which no lamp is hidden."""
        return cls(
            bands,
            jnp.full(lamps, 2.0),
            jnp.zeros(lamps, bool),
            jnp.arange(1, dtype=jnp.int32),
            hazy=False,
            tuned=True,
            key=key,
        )
