"""A glacier: strata of ice, one above the other."""

import math
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, module, param, static, test


class Stratum(Module):
    """One layer of ice, which shears."""

    shear: Float[Array, "width width"] = param("glorot_uniform")
    grit: Float[Array, " width"] = param("full(0.15)", decay=False)

    def __call__(self, flow: Float[Array, " width"]) -> Float[Array, " width"]:
        """The flow below this layer."""
        return flow + jnp.tanh(self.shear @ flow) * self.grit

    def cracked(self, flow: Float[Array, " width"], *, key: PRNGKeyArray) -> Float[Array, " width"]:
        """The flow below this layer, where it cracks."""
        noise = jax.random.uniform(key, flow.shape, flow.dtype, -1, 1)
        return self(flow) + self.grit * noise


@test(
    sizes={"width": 4, "stones": 5}, rejected=[{"viscosity": 0.0}, {"depth": 0}], values={"kept": slice(1, 4)}
)
class Glacier(Module, save=True):
    """Ice that flows over rock and carries stones."""

    strata: list[Stratum] = module(stacked=True, remat=True)
    moraine: Float[Array, "stones width"] = param(
        lambda stones, width, dtype, key: jax.random.normal(key, (stones, width), dtype) / math.sqrt(width),
        std="1 / sqrt(width)",
    )
    melt: Float[Array, " width"] | None = param("uniform(0.3)", optional="thawing", decay=False)
    polish: Float[Array, "width width"] = param("orthogonal", frozen=True)
    """How the rock is turned smooth"""
    slope: Float[Array, " width"] = data()
    buried: Bool[Array, " stones"] = buffer()
    resting: Int32[Array, " stones"] = buffer()
    """Where along the width each stone lies"""
    snow: PRNGKeyArray = buffer()
    depth: int = static(3, check=lambda depth: depth >= 1)
    viscosity: float = static(0.8, check=lambda viscosity: viscosity > 0)
    era: Literal["advance", "retreat", "surge"] = static("advance")
    kept: slice = static(slice(None))
    """The strata of which cores are kept"""

    def __init__(
        self,
        slope: Float[Array, " width"],
        buried: Bool[Array, " stones"],
        resting: Int32[Array, " stones"],
        snow: PRNGKeyArray,
        depth: int = 3,
        viscosity: float = 0.8,
        era: Literal["advance", "retreat", "surge"] = "advance",
        kept: slice = slice(None),
        thawing: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        width = slope.shape[0]
        self.strata = [Stratum.create(width, dtype, key=one) for one in jax.random.split(key, depth)]
        self.slope = slope
        self.buried = buried
        self.resting = resting
        self.snow = snow
        self.depth = depth
        self.viscosity = viscosity
        self.era = era
        self.kept = kept

    def __call__(self, flow: Float[Array, " width"], *, sunny: bool = False) -> Float[Array, " width"]:
        """The flow below all strata."""
        for stratum in self.strata:
            flow = stratum(flow)
        flow = self.polish @ flow
        if self.melt is not None:
            flow = flow - self.melt * (2 if sunny else 1)
        if self.era == "retreat":
            return flow - self.viscosity * self.slope
        return jnp.cumsum(flow) if self.era == "surge" else flow

    def cores(self, flow: Float[Array, " width"], *, upwards: bool = False) -> Float[Array, "few width"]:
        """What a drill brings up from below the strata of which cores are kept."""
        found = []
        for stratum in self.strata:
            flow = stratum(flow)
            found.append(flow)
        column = jnp.stack(found)[self.kept]
        return jnp.flip(column, axis=0) if upwards else column

    def quaked(self, flow: Float[Array, " width"], *, key: PRNGKeyArray) -> Float[Array, " width"]:
        """The flow when each stratum cracks."""
        for stratum, one in zip(self.strata, jax.random.split(key, self.depth), strict=True):
            flow = stratum.cracked(flow, key=one)
        return flow

    def carried(
        self, places: Float[Array, "stones width"], *, loose: bool = False
    ) -> tuple[Float[Array, "stones width"], Float[Array, " stones"]]:
        """Where the stones are a year later, and how far each slid over the rock."""
        step = jax.nn.sigmoid(self.moraine) * self.slope
        moved = places + (step if loose else jnp.where(self.buried[:, None], 0, step))
        return moved, jnp.take_along_axis(moved - places, self.resting[:, None], axis=1)[:, 0]

    def snowed(self, winters: Int32[Array, " n"]) -> Float[Array, "n width"]:
        """The snow of each winter."""

        def winter(number: jax.Array) -> jax.Array:
            one = jax.random.fold_in(self.snow, number)
            return self.viscosity * jax.random.normal(one, self.slope.shape, self.slope.dtype)

        return jax.vmap(winter)(winters)

    @eqx.filter_jit
    def calved(
        self, front: Float[Array, " width"], limit: Float[Array, ""] | None = None
    ) -> Int32[Array, ""]:
        """How many blocks break off."""
        bound = jnp.abs(self.slope) if limit is None else jnp.abs(limit)
        return jnp.sum(jnp.abs(front) > bound, dtype=jnp.int32)
