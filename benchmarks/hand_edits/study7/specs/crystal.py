"""A crystal, as molecular dynamics has it."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Pytree, buffer, call, data, static, test


@test(sizes={"atoms": 5, "kinds": 2}, values={"species": lambda: jnp.array([0, 1, 1, 0, 1], jnp.int32)})
class Crystal(Pytree, save=True):
    """Atoms in a cell that repeats, with their velocities."""

    cell: Float[Array, "3 3"] = data()
    """Edges of the cell, a row each"""
    places: Float[Array, "atoms 3"] = data()
    """In units of the edges"""
    velocities: Float[Array, "atoms 3"] = data("zeros")
    masses: Float[Array, " kinds"] = data("ones")
    depths: Float[Array, "kinds kinds"] = data("full(0.4)")
    """How strongly two kinds attract each other"""
    species: Int32[Array, " atoms"] = buffer()
    held: Bool[Array, " atoms"] | None = buffer("zeros", optional="holding")
    """Atoms that never move"""
    steps: Int32[Array, ""] = buffer("zeros")
    """How many steps were made"""
    cutoff: float = static(1.5, check=lambda cutoff: cutoff > 0)
    edges: Literal["periodic", "open"] = static("periodic")

    def energy(self, *, shifted: bool = True) -> Float[Array, ""]:
        """The potential energy; it ends at the cutoff without a jump where `shifted`."""
        square = jnp.sum(self.apart() ** 2, axis=-1) + jnp.eye(self.places.shape[0], dtype=self.places.dtype)
        depth = self.depths[self.species[:, None], self.species[None]]
        pairs = depth * jnp.exp(-square)
        if shifted:
            pairs = pairs - depth * jnp.exp(-(self.cutoff**2))
        counts = (square < self.cutoff**2) & ~jnp.eye(self.places.shape[0], dtype=bool)
        return -0.5 * jnp.sum(jnp.where(counts, pairs, 0))

    def apart(self) -> Float[Array, "atoms atoms 3"]:
        """The way from each atom to each other, or to its next image."""
        apart = self.places[None] - self.places[:, None]
        if self.edges == "periodic":
            apart = apart - jnp.round(apart)
        return apart @ self.cell

    def forces(self) -> Float[Array, "atoms 3"]:
        """What moves the atoms; those that are held feel nothing."""

        def energy(moved: Float[Array, "atoms 3"]) -> Float[Array, ""]:
            return self.placed(self.places + moved @ jnp.linalg.inv(self.cell)).energy()

        forces = -jax.grad(energy)(jnp.zeros_like(self.places))
        return forces if self.held is None else jnp.where(self.held[:, None], 0, forces)

    def temperature(self, *, centred: bool = False) -> Float[Array, ""]:
        """The mean kinetic energy of an atom, without that of the centre of mass where `centred`."""
        velocities = self.velocities
        masses = self.masses[self.species][:, None]
        if centred:
            velocities = velocities - jnp.sum(masses * velocities, axis=0) / jnp.sum(masses)
        return jnp.sum(masses * velocities**2) / (3 * self.places.shape[0])

    @call(carry="self")
    def stepped(self, dt: Float[Array, ""]) -> "Crystal":
        """The crystal after a step of Verlet's method."""
        masses = self.masses[self.species][:, None]
        halfway = self.velocities + 0.5 * dt * self.forces() / masses
        places = self.places + dt * halfway @ jnp.linalg.inv(self.cell)
        if self.edges == "periodic":
            places = places - jnp.floor(places)
        moved = self.placed(places)
        velocities = halfway + 0.5 * dt * moved.forces() / masses
        return Crystal(
            self.cell,
            places,
            velocities,
            self.masses,
            self.depths,
            self.species,
            self.held,
            self.steps + 1,
            self.cutoff,
            self.edges,
        )

    def placed(self, places: Float[Array, "atoms 3"]) -> "Crystal":
        """The crystal with its atoms at other places."""
        return Crystal(
            self.cell,
            places,
            self.velocities,
            self.masses,
            self.depths,
            self.species,
            self.held,
            self.steps,
            self.cutoff,
            self.edges,
        )

    def warmed(self, temperature: Float[Array, ""], *, key: PRNGKeyArray) -> "Crystal":
        """The crystal with velocities that are drawn for a temperature; held atoms rest."""
        masses = self.masses[self.species][:, None]
        drawn = jax.random.normal(key, self.velocities.shape, self.velocities.dtype)
        velocities = drawn * jnp.sqrt(jnp.abs(temperature) / masses)
        if self.held is not None:
            velocities = jnp.where(self.held[:, None], 0, velocities)
        return Crystal(
            self.cell,
            self.places,
            velocities,
            self.masses,
            self.depths,
            self.species,
            self.held,
            self.steps,
            self.cutoff,
            self.edges,
        )
