"""A glacier that creeps over its bed."""

from typing import Literal, Self

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, data, groups, param, static, test


@test(positive=["stiffness", "slope"], rejected=[{"exponent": 0}])
@groups(rheology=["stiffness", "mixing"])
class Glacier(Module, save=True):
    """Ice in layers, each of which drags along the next."""

    stiffness: Float[Array, " layers"] = param()
    """How hard it is to deform each layer"""
    mixing: Float[Array, "layers layers"] = param("orthogonal")
    moraine: Float[Array, " layers"] | None = param("normal(0.3)", optional="dirty")
    """Rock that the ice carries"""
    bed: Float[Array, " layers"] = buffer()
    """Friction, measured once"""
    thawed: Bool[Array, " layers"] = buffer()
    slope: Float[Array, ""] = data()
    exponent: int = static(3, check=lambda exponent: exponent >= 1)
    regime: Literal["temperate", "polar", "surging"] = static("temperate")

    @classmethod
    def uniform(cls, layers: int, hardness: float = 2.0, *, key: jax.Array) -> Self:
        """A clean glacier of one kind of ice, frozen to its bed."""
        return cls.create(
            jnp.full(layers, hardness),
            jnp.full(layers, 0.5),
            jnp.zeros(layers, bool),
            jnp.array(0.1),
            False,
            key=key,
        )

    def __call__(self, load: Float[Array, " layers"], *, surge: bool = False) -> Float[Array, " layers"]:
        """The velocity of each layer under a load of snow."""
        stress = self.slope * (self.mixing @ load)
        if self.moraine is not None and not surge:
            stress = stress + self.moraine
        rate = jnp.sign(stress) * jnp.abs(stress / self.stiffness) ** self.exponent
        sliding = jnp.where(self.thawed, load / (1 + self.bed**2), 0)
        if self.regime == "polar":
            return rate
        return rate + (2 if surge or self.regime == "surging" else 1) * sliding

    def calved(
        self, faces: Float[Array, "n layers"], *, margin: Float[Array, ""] | None = None
    ) -> tuple[Bool[Array, " n"], Float[Array, " layers"]]:
        """Which faces break off, and the mean of those that do."""
        limit = jnp.mean(jax.lax.stop_gradient(self.stiffness))
        if margin is not None:
            limit = limit - margin
        broken = jnp.max(jnp.abs(faces), axis=1) > limit
        share = jnp.sum(jnp.where(broken[:, None], faces, 0), axis=0)
        return broken, share / jnp.maximum(jnp.sum(broken), 1).astype(faces.dtype)

    def thinned(self, melt: Float[Array, " layers"], *, steps: int = 4) -> Float[Array, "steps layers"]:
        """What is left of the ice after each step."""

        def step(ice: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            ice = ice - 0.1 * jnp.abs(melt) * ice
            return ice, ice

        return jax.lax.scan(step, jnp.abs(self.bed) + 1, None, length=steps)[1]

    def coldest(self, heat: Float[Array, " layers"]) -> Int32[Array, ""]:
        """The frozen layer with the least heat."""
        return jnp.argmin(jnp.where(self.thawed, jnp.inf, heat)).astype(jnp.int32)

    def steepened(self, by: Float[Array, ""]) -> "Glacier":
        """The same ice on another slope."""
        return Glacier(
            self.stiffness,
            self.mixing,
            self.moraine,
            self.bed,
            self.thawed,
            self.slope + by,
            self.exponent,
            self.regime,
        )
