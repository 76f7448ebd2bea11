"""A knitting machine."""

import dataclasses
from collections.abc import Callable
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Pytree, buffer, data, groups, param, static, test


@test(
    sizes={"needles": 5, "yarns": 3},
    values={"cam": [3, 0, 4, 1, 2], "gauge": (7, 12)},
    rejected=[{"tension": 0.0}, {"gauge": (7,)}],
)
@groups(thread={"fields": ["stretch", "twist"], "readable": True}, bed=["hooks"])
class Knitting(Pytree, layout="nested", save=True):
    """Needles that draw yarn through loops."""

    stretch: Float[Array, " yarns"] = param("full(1.1)")
    twist: Float[Array, "yarns yarns"] = param("orthogonal")
    """How the yarns are spun together"""
    hooks: Float[Array, "needles yarns"] = param("glorot_uniform")
    rib: Float[Array, " needles"] | None = param("truncated_normal(0.2)", optional="ribbed")
    weights: Float[Array, " needles"] = data()
    """What pulls the cloth down"""
    dye: Float[Array, " yarns"] = buffer()
    lifted: Bool[Array, " needles"] = buffer()
    cam: Int32[Array, " needles"] = buffer()
    """The needle that each needle hands its loop to"""
    gauge: tuple[int, ...] = static((7, 7), check=lambda gauge: len(gauge) == 2)
    tension: float = static(0.5, check=lambda tension: 0 < tension <= 1)
    stitch: Literal["plain", "purl", "tuck"] = static("plain")
    finish: Callable = static(jnp.tanh)

    def __call__(self, feed: Float[Array, " yarns"], *, crossed: bool = False) -> Float[Array, " needles"]:
        """One course: the loop of each needle."""
        spun = self.twist @ (feed * self.stretch + self.dye)
        loops = self.hooks @ spun
        if self.rib is not None:
            loops = loops + self.rib
        if crossed:
            loops = loops[self.cam]
        if self.stitch == "purl":
            loops = -self.finish(loops)
        elif self.stitch == "tuck":
            loops = loops + jnp.roll(loops, -1)
        return jnp.where(self.lifted, loops, self.tension * loops) - 0.3 * self.weights

    def fabric(
        self, feeds: Float[Array, "rows yarns"], *, loose: bool = False
    ) -> tuple[Float[Array, " needles"], Float[Array, "rows needles"]]:
        """The loops that stay on the needles, and the cloth."""
        keep = 0.8 if loose else self.tension

        def course(held: jax.Array, feed: jax.Array) -> tuple[jax.Array, jax.Array]:
            held = keep * held[self.cam] + self.hooks @ feed
            return held, self.finish(held)

        return jax.lax.scan(course, self.weights, feeds)

    def swatch(self) -> Float[Array, "first second"]:
        """How the stitches of a swatch lie, whose sides are the gauge."""
        rows, columns = self.gauge
        across = jnp.linspace(0, 1, columns, dtype=self.dye.dtype)
        return jnp.linspace(-1, 1, rows, dtype=self.dye.dtype)[:, None] + across * jnp.sum(self.dye)

    def dropped(
        self, pulls: Float[Array, "n needles"], limit: Float[Array, ""] | None = None
    ) -> Int32[Array, " n"]:
        """How many loops each pull drops."""
        bound = jnp.abs(self.weights) if limit is None else jnp.abs(limit)
        return jnp.sum((pulls > bound) & ~self.lifted, axis=1, dtype=jnp.int32)

    def felted(
        self, cloth: Float[Array, "rows needles"], *, wet: bool = False
    ) -> Float[Array, "rows needles"]:
        """The cloth when it has shrunk, each row around its mean."""
        middle = jnp.mean(cloth, axis=1, keepdims=True)
        return middle + (0.4 if wet else self.tension) * (cloth - middle)

    def dyed(self, bath: Float[Array, " yarns"], strength: float = 0.5) -> "Knitting":
        """The same machine with yarns of another colour."""
        return dataclasses.replace(self, dye=(1 - strength) * self.dye + strength * bath)
