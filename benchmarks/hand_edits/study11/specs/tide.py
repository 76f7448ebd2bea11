"""The sea at some harbours."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, groups, param, static, test


@groups(astronomy=["amplitude", "phase"])
@test(positive=["speed"], rejected=[{"noise": -1.0}])
class Tide(Module, save=True):
    """Heights of the sea at harbours, as a sum of waves with known speeds."""

    speed: Float[Array, " waves"] = buffer()
    """Radians in an hour"""
    seen: Bool[Array, " waves"] = buffer()
    """Which waves the record is long enough for"""
    datum: Float[Array, " harbours"] = data()
    """Mean sea level"""
    amplitude: Float[Array, "harbours waves"] = param("normal(0.5)")
    phase: Float[Array, " waves"] = param("uniform(3.0)")
    surge: Float[Array, " harbours"] | None = param("full(0.2)", optional="use_surge", decay=False)
    """How much wind raises the sea"""
    trend: Literal["none", "linear", "quadratic"] = static("linear")
    noise: float = static(0.1, check=lambda noise: noise >= 0)
    metric: bool = static(True)

    def __call__(
        self, time: Float[Array, ""], wind: Float[Array, " harbours"], *, calm: bool = False
    ) -> Float[Array, " harbours"]:
        """Heights at a time."""
        height = self.datum + self.rise(time) + self.amplitude @ self.waves(time)
        if self.surge is not None and not calm:
            height = height + self.surge * wind
        return height if self.metric else height / 0.3

    def waves(self, time: Float[Array, ""]) -> Float[Array, " waves"]:
        """Each wave that is seen, 0 for the others."""
        return jnp.where(self.seen, jnp.cos(self.speed * time + self.phase), 0)

    def rise(self, time: Float[Array, ""]) -> Float[Array, ""]:
        """What the trend adds."""
        if self.trend == "none":
            return jnp.zeros_like(time)
        return 0.01 * time if self.trend == "linear" else 0.001 * time**2

    def measured(
        self, time: Float[Array, ""], *, exact: bool = False, key: PRNGKeyArray
    ) -> tuple[Float[Array, " harbours"], Float[Array, " waves"]]:
        """What instruments show: heights with noise, and waves with less of it."""
        first, second = jax.random.split(key)
        waves = self.waves(time)
        height = self.datum + self.amplitude @ waves
        if exact:
            return height, waves
        return (
            height + self.noise * jax.random.normal(first, height.shape, height.dtype),
            waves + 0.1 * self.noise * jax.random.normal(second, waves.shape, waves.dtype),
        )

    def floods(
        self, times: Float[Array, " n"], limit: Float[Array, " harbours"], *, share: bool = False
    ) -> Int32[Array, " harbours"] | Float[Array, " harbours"]:
        """How often the sea is above a limit."""
        heights = jax.vmap(lambda time: self.datum + self.amplitude @ self.waves(time))(times)
        above = jnp.sum(heights > limit, axis=0, dtype=jnp.int32)
        return above / jnp.asarray(len(times), limit.dtype) if share else above

    @call(carry="self")
    def surveyed(self, levels: Float[Array, " harbours"]) -> "Tide":
        """With a datum that goes a part of the way to what a survey says."""
        datum = 0.8 * self.datum + 0.2 * levels
        return eqx.tree_at(lambda tide: tide.datum, self, datum)
