"""A learnt Hamiltonian, by which a mechanical system moves."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, buffer, derived, groups, param, static, test


@groups(landscape=["inner", "offset", "outer"])
@test(rejected=[{"step": 0.0}])
class Hamiltonian(Module, save=True):
    """The energy of a system near its rest, and the motion that follows from it."""

    inner: Float[Array, "hidden size"] = param("lecun_normal")
    offset: Float[Array, " hidden"] | None = param("zeros", optional="use_offset")
    outer: Float[Array, " hidden"] = param("normal(0.1)")
    raw_mass: Float[Array, " size"] = param("full(0.5)")
    mass: Float[Array, " size"] = derived(lambda self: jax.nn.softplus(self.raw_mass))
    rest: Float[Array, " size"] = buffer()
    """Where the springs are not strained"""
    step: float = static(0.1, check=lambda step: step > 0)
    friction: float = static(0.0, check=lambda friction: 0 <= friction < 1)
    """Share of the momentum that a step takes away"""
    scheme: Literal["leapfrog", "euler"] = static("leapfrog")

    def __call__(
        self, q: Float[Array, " size"], p: Float[Array, " size"]
    ) -> tuple[Float[Array, " size"], Float[Array, " size"]]:
        """Position and momentum after a step."""
        force = jax.grad(self.potential)
        if self.scheme == "euler":
            p = p - self.step * force(q)
            q = q + self.step * p / self.mass
        else:
            p = p - 0.5 * self.step * force(q)
            q = q + self.step * p / self.mass
            p = p - 0.5 * self.step * force(q)
        return q, (1 - self.friction) * p

    def potential(self, q: Float[Array, " size"]) -> Float[Array, ""]:
        """The energy of a position."""
        strain = q - self.rest
        hidden = self.inner @ strain
        if self.offset is not None:
            hidden = hidden + self.offset
        return 0.5 * jnp.sum(strain**2) + self.outer @ jax.nn.softplus(hidden)

    def energy(
        self, q: Float[Array, " size"], p: Float[Array, " size"], *, relative: bool = False
    ) -> Float[Array, ""]:
        """The energy of a position and a momentum, or what it is above that of the rest."""
        total = self.potential(q) + 0.5 * jnp.sum(p**2 / self.mass)
        if relative:
            total = total - self.potential(self.rest)
        return total

    def rollout(
        self, q: Float[Array, " size"], p: Float[Array, " size"], steps: int = 3
    ) -> Float[Array, "3 size"]:
        """The positions after each of some steps."""

        def advance(
            carry: tuple[Float[Array, " size"], Float[Array, " size"]], _: None
        ) -> tuple[tuple[Float[Array, " size"], Float[Array, " size"]], Float[Array, " size"]]:
            q, p = self(*carry)
            return (q, p), q

        return jax.lax.scan(advance, (q, p), None, length=steps)[1]
