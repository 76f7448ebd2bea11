"""A printer with inks."""

from typing import Literal

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"dither": -0.1}, {"levels": 1}])
class Printer(Nnx, save=True):
    """Inks that are laid over each other on paper."""

    pigment: Float[Array, "inks bands"] = param("glorot_normal")
    density: Float[Array, " inks"] = param("full(0.7)")
    white: Float[Array, " bands"] = param("full(1.2)", frozen=True)
    """What the paper reflects"""
    curve: Float[Array, " inks"] = data(variable="Profile")
    blocked: Bool[Array, " inks"] = buffer()
    order: Int32[Array, " inks"] = buffer()
    """Which ink is laid first"""
    mix: nnx.Linear = module(lambda bands, inks, rngs: nnx.Linear(bands, inks, rngs=rngs))
    smear: nnx.Dropout = module(lambda rngs: nnx.Dropout(0.25, rngs=rngs))
    tank: Float[Array, " inks"] = state("ones", variable="Supply")
    usual: Float[Array, " bands"] = state("zeros", variable="BatchStat")
    pages: Int32[Array, ""] = buffer("zeros", variable="Count")
    paper: Literal["matte", "gloss", "film"] = static("matte")
    dither: float = static(0.1, check=lambda dither: dither >= 0)
    levels: int = static(4, check=lambda levels: levels > 1)
    duplex: bool = static(False)

    def __call__(self, colour: Float[Array, " bands"], *, printing: bool = True) -> Float[Array, " bands"]:
        """Print one colour: what the page reflects."""
        wanted = colour - self.usual
        amount = self.smear(jax.nn.sigmoid(self.mix(wanted)), deterministic=not printing)
        amount = jnp.where(self.blocked, 0, amount * self.tank)
        if printing:
            self.usual = 0.75 * self.usual + 0.25 * colour
            self.tank = self.tank - 0.05 * amount
            self.pages += 2 if self.duplex else 1
        absorbed = (self.density * amount * self.curve) @ self.pigment
        return self.dried(self.white - absorbed)

    def dried(self, page: Float[Array, " bands"]) -> Float[Array, " bands"]:
        """What a page looks like once it is dry."""
        if self.paper == "gloss":
            return page + self.dither * jnp.square(page)
        return jax.nn.relu(page) if self.paper == "film" else page

    def refilled(self, share: Float[Array, " inks"]) -> Float[Array, " inks"]:
        """Fill up the tanks, and say how much went in."""
        before = self.tank
        self.tank = jnp.maximum(before, jnp.clip(share, 0, 1))
        return self.tank - before

    def halftoned(self, tones: Float[Array, "n inks"], *, coarse: bool = False) -> Int32[Array, "n inks"]:
        """The level of each dot, from none to full."""
        levels = 2 if coarse else self.levels
        dots = jnp.floor(levels * jnp.clip(tones + self.dither, 0, 1))
        return jnp.minimum(dots, levels - 1).astype(jnp.int32)

    def laid(
        self, amounts: Float[Array, "n inks"], gap: Float[Array, ""] | None = None
    ) -> tuple[Float[Array, "n inks"], Float[Array, " n"]]:
        """The amounts in the order of the print, and how much ink each dot has."""
        ordered = amounts[:, self.order]
        if gap is not None:
            ordered = ordered * jnp.exp(-jnp.abs(gap))
        return ordered, jnp.sum(jnp.abs(ordered), axis=1)

    def profiled(self, measured: Float[Array, " inks"]) -> Float[Array, ""]:
        """How far a measured curve is from the profile."""
        return jnp.sqrt(jnp.mean((measured - self.curve) ** 2))
