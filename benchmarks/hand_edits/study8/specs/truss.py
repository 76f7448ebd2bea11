"""Trusses of elastic bars, and what loads do to them."""

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Namedtuple, Pytree, buffer, call, data, groups, param, static, test


class Response(Namedtuple):
    """What a load does to a truss."""

    displacement: Float[Array, "joints plane"] = data()
    force: Float[Array, " bars"] = data()
    energy: Float[Array, ""] = data()


@groups(shape=["places", "log_area"])
@test(
    sizes={"joints": 4, "bars": 5, "plane": 2},
    values={
        "starts": lambda: np.array([0, 0, 1, 1, 2], np.int32),
        "ends": lambda: np.array([1, 2, 2, 3, 3], np.int32),
        "held": lambda: np.array([True, False, False, True]),
    },
)
class Truss(Pytree, save=True):
    """Bars between joints, some of which are held; how thick bars are is optimised."""

    places: Float[Array, "joints plane"] = data()
    starts: Int32[Array, " bars"] = buffer()
    ends: Int32[Array, " bars"] = buffer()
    held: Bool[Array, " joints"] = buffer()
    """Which joints do not move"""
    log_area: Float[Array, " bars"] = param("zeros")
    hardness: Float[Array, ""] = param("full(1.5)")
    """Stress at which a bar yields"""
    loads: Int32[Array, ""] = data("zeros")
    """How many loads it has borne"""
    material: Literal["steel", "wood"] = static("steel")
    ground: float = static(0.5, check=lambda ground: ground > 0)
    """How stiff the ground is below each joint"""
    slack: bool = static(False)
    """Whether bars bear no pressure, as cables"""

    def spans(self) -> Float[Array, "bars plane"]:
        """Where bars lead to."""
        return self.places[self.ends] - self.places[self.starts]

    def lengths(self) -> Float[Array, " bars"]:
        """How long bars are."""
        return jnp.sqrt(jnp.sum(self.spans() ** 2, axis=1) + 1e-6)

    def weight(self, *, per_bar: bool = False) -> Float[Array, " bars"] | Float[Array, ""]:
        """What the bars weigh."""
        density = 7.8 if self.material == "steel" else 0.6
        weights = density * self.lengths() * jnp.exp(self.log_area)
        return weights if per_bar else jnp.sum(weights)

    def forces(self, displacement: Float[Array, "joints plane"]) -> Float[Array, " bars"]:
        """How strongly bars pull, where joints are displaced."""
        modulus = 21.0 if self.material == "steel" else 1.1
        moved = displacement[self.ends] - displacement[self.starts]
        lengths = self.lengths()
        longer = jnp.sum(moved * self.spans(), axis=1) / lengths
        pull = modulus * jnp.exp(self.log_area) * longer / lengths
        return jax.nn.relu(pull) if self.slack else pull

    def residual(
        self, displacement: Float[Array, "joints plane"], load: Float[Array, "joints plane"]
    ) -> Float[Array, "joints plane"]:
        """What is left of the load at each joint that is not held."""
        along = (self.forces(displacement) / self.lengths())[:, None] * self.spans()
        pulled = jnp.zeros_like(load).at[self.starts].add(along).at[self.ends].add(-along)
        left = load + pulled - self.ground * displacement
        return jnp.where(self.held[:, None], 0, left)

    def respond(self, load: Float[Array, "joints plane"], *, steps: int = 3) -> Response:
        """What a load does, after some steps of relaxation."""
        displacement = jnp.zeros_like(load)
        for _ in range(steps):
            displacement = displacement + 0.02 * self.residual(displacement, load)
        energy = 0.5 * jnp.sum(load * displacement)
        return Response(displacement, self.forces(displacement), energy)

    @call(carry="self")
    def bent(self, load: Float[Array, "joints plane"], *, share: float = 1.0) -> "Truss":
        """The truss as it is after a load, which leaves a share of what it does."""
        response = self.respond(load)
        return Truss(
            self.places + share * response.displacement,
            self.starts,
            self.ends,
            self.held,
            self.log_area,
            self.hardness,
            self.loads + 1,
            self.material,
            self.ground,
            self.slack,
        )

    def margin(
        self, load: Float[Array, "joints plane"], *, worst: bool = False
    ) -> Float[Array, " bars"] | Float[Array, ""]:
        """How much of its strength each bar keeps, or the least of them."""
        stress = jnp.abs(self.respond(load).force) / jnp.exp(self.log_area)
        left = self.hardness - stress
        return jnp.min(left) if worst else left
