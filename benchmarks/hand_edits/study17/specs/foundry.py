"""A foundry that pours metal into moulds."""

from typing import Literal

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"shrinkage": 1.0}, {"ladle": 0}])
class Foundry(Nnx, save=True):
    """Alloys that cool in moulds."""

    recipe: Float[Array, "alloys metals"] = param("lecun_normal")
    flux: Float[Array, " alloys"] = param("full(0.9)")
    vent: Float[Array, " alloys"] | None = param("uniform(0.4)", optional="vented")
    pattern: Float[Array, "moulds alloys"] = param("orthogonal", frozen=True)
    """The shape of each mould"""
    scrap: Float[Array, " metals"] = data(variable="Stock")
    cracked: Bool[Array, " moulds"] = buffer()
    queue: Int32[Array, " moulds"] = buffer()
    """In which order moulds are filled"""
    furnace: nnx.Linear = module(lambda metals, rngs: nnx.Linear(metals, metals, use_bias=False, rngs=rngs))
    sparks: nnx.Dropout = module(lambda rngs: nnx.Dropout(0.3, rngs=rngs))
    heat: Float[Array, " metals"] = state("full(0.5)", variable="Hearth")
    slag: Float[Array, " alloys"] = state("zeros", variable="BatchStat")
    casts: Int32[Array, ""] = buffer("zeros", variable="Tally")
    sand: Literal["green", "dry", "shell"] = static("green")
    shrinkage: float = static(0.2, check=lambda shrinkage: 0 <= shrinkage < 1)
    ladle: int = static(3, check=lambda ladle: ladle > 0)
    doubled: bool = static(False)

    def __call__(self, charge: Float[Array, " metals"], *, pouring: bool = True) -> Float[Array, " moulds"]:
        """One cast: what each mould gives."""
        molten = self.sparks(self.furnace(charge + self.scrap), deterministic=not pouring)
        alloy = self.recipe @ (molten * self.heat) * self.flux
        if self.vent is not None:
            alloy = alloy - self.vent
        if pouring:
            self.heat = 0.9 * self.heat + 0.1 * jnp.abs(charge)
            self.slag = 0.7 * self.slag + 0.3 * alloy
            self.casts += self.ladle * (2 if self.doubled else 1)
        filled = self.pattern @ (alloy - 0.5 * self.slag)
        return jnp.where(self.cracked, 0, self.moulded(filled))

    def moulded(self, filled: Float[Array, " moulds"]) -> Float[Array, " moulds"]:
        """What is left when the metal has cooled."""
        if self.sand == "dry":
            return (1 - self.shrinkage) * filled
        return filled / (1 + jnp.abs(filled)) if self.sand == "shell" else filled

    def skimmed(self, share: Float[Array, " alloys"]) -> Float[Array, " alloys"]:
        """Take slag away, and say how much is left."""
        self.slag = self.slag * (1 - jnp.clip(share, 0, 1))
        return self.slag

    def stacked(
        self, casts: Float[Array, "n moulds"], *, upside_down: bool = False
    ) -> tuple[Float[Array, "n moulds"], Int32[Array, " n"]]:
        """The casts in the order of the queue, and the heaviest mould of each."""
        ordered = casts[:, self.queue]
        if upside_down:
            ordered = jnp.flip(ordered, axis=1)
        return ordered, jnp.argmax(ordered, axis=1).astype(jnp.int32)

    def assayed(
        self, sample: Float[Array, " metals"], weight: Float[Array, ""] | None = None
    ) -> Float[Array, ""]:
        """How far a sample is from the scrap."""
        apart = jnp.sum(jnp.square(sample - self.scrap))
        return apart if weight is None else apart * jnp.abs(weight)

    def cooled(self, times: Float[Array, " n"]) -> Float[Array, "n metals"]:
        """How hot the hearth is after some time."""
        return jnp.exp(-jnp.abs(times))[:, None] * self.heat
