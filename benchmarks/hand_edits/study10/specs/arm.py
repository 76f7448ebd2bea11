"""An arm of a robot that moves in a plane."""

from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, groups, param, static, test


@groups(geometry=["lengths", "offset"])
@test(sizes={"joints": 4, "poses": 3})
class Arm(Module, save=True, migrate=True):
    """Links in a row, which are calibrated by what the arm was seen to do."""

    lengths: Float[Array, " joints"] = param("full(0.3)")
    """Before a softplus, how long the links are"""
    offset: Float[Array, " joints"] = param("normal(0.05)", std="0.05", decay=False)
    """What must be added to the angles that the joints tell"""
    rubbing: Float[Array, " joints"] | None = param("full(-2.0)", optional="use_friction")
    """Before a softplus, the friction of joints"""
    stiffness: Float[Array, "joints joints"] = param("lecun_normal")
    """How much a load at one joint bends another"""
    tool: Float[Array, " 2"] = param("full(0.25)", frozen=True)
    """Where the tip of the tool is, as seen from the last link"""
    mass: Float[Array, " joints"] = buffer()
    limits: Float[Array, "2 joints"] = buffer(
        "=jnp.stack([jnp.full((joints,), -2.0, dtype), jnp.full((joints,), 2.5, dtype)])"
    )
    """The least and the largest angles"""
    gravity: float = static(9.81, check=lambda gravity: gravity >= 0)
    damping: float = static(0.1, check=lambda damping: damping > 0)
    upright: bool = static(True)
    """Whether the arm moves in a plane in which things fall"""

    @classmethod
    def even(cls, total: Float[Array, ""], joints: int = 4, *, key: PRNGKeyArray) -> Self:
        """An arm whose links have the same mass."""
        return cls.create(jnp.full((joints,), total / joints), key=key)

    def __call__(self, angles: Float[Array, " joints"]) -> Float[Array, " 2"]:
        """Where the tip of the tool is."""
        turned, ends = self.links(angles)
        last = turned[-1]
        turn = jnp.array([[jnp.cos(last), -jnp.sin(last)], [jnp.sin(last), jnp.cos(last)]])
        return ends[-1] + turn @ self.tool

    def links(
        self, angles: Float[Array, " joints"]
    ) -> tuple[Float[Array, " joints"], Float[Array, "joints 2"]]:
        """The direction of each link, and where it ends."""
        turned = jnp.cumsum(angles + self.offset)
        steps = jnp.stack([jnp.cos(turned), jnp.sin(turned)], axis=1)
        return turned, jnp.cumsum(jax.nn.softplus(self.lengths)[:, None] * steps, axis=0)

    def clipped(self, angles: Float[Array, " joints"], *, soft: bool = False) -> Float[Array, " joints"]:
        """Angles that the joints can have; near to the limits where it is to be `soft`."""
        low, high = self.limits
        if soft:
            return low + (high - low) * jax.nn.sigmoid(4 * (angles - low) / (high - low) - 2)
        return jnp.clip(angles, low, high)

    def torque(
        self,
        angles: Float[Array, " joints"],
        speeds: Float[Array, " joints"] | None = None,
        *,
        load: float = 0.0,
    ) -> Float[Array, " joints"]:
        """What each joint has to hold."""

        def energy(angles: Float[Array, " joints"]) -> Float[Array, ""]:
            _, ends = self.links(angles)
            height = ends[:, 1] if self.upright else 0.1 * ends[:, 0]
            return self.gravity * (self.mass @ height + load * height[-1])

        held = jax.grad(energy)(angles)
        held = held + self.stiffness @ jnp.tanh(held)
        if speeds is None or self.rubbing is None:
            return held
        return held + jax.nn.softplus(self.rubbing) * jnp.tanh(speeds)

    def reached(
        self, target: Float[Array, " 2"], start: Float[Array, " joints"], steps: int = 3
    ) -> Float[Array, " joints"]:
        """Angles from which the tip is nearer to a target, by damped least squares."""
        angles = start
        for _ in range(steps):
            jacobian = jax.jacobian(self)(angles)
            square = jacobian @ jacobian.T + self.damping * jnp.eye(2, dtype=jacobian.dtype)
            angles = self.clipped(angles + jacobian.T @ jnp.linalg.solve(square, target - self(angles)))
        return angles

    def loss(
        self,
        poses: Float[Array, "poses joints"],
        tips: Float[Array, "poses 2"],
        seen: Bool[Array, " poses"] | None = None,
        *,
        robust: bool = False,
    ) -> Float[Array, ""]:
        """How far the tips are from where they were seen."""
        squares = jnp.sum((jax.vmap(self)(poses) - tips) ** 2, axis=1)
        if robust:
            squares = 2 * (jnp.sqrt(1 + squares) - 1)
        weights = jnp.ones_like(squares) if seen is None else seen.astype(squares.dtype)
        return jnp.sum(weights * squares) / (jnp.sum(weights) + 1e-3)

    def wandered(
        self, angles: Float[Array, " joints"], *, key: PRNGKeyArray, stuck: float = 0.2
    ) -> Float[Array, " joints"]:
        """Angles near to these; some joints are stuck."""
        noise, which = jax.random.split(key)
        moved = self.clipped(angles + 0.3 * jax.random.normal(noise, angles.shape, angles.dtype))
        return jnp.where(jax.random.bernoulli(which, stuck, angles.shape), angles, moved)

    def loaded(self, mass: Float[Array, ""]) -> "Arm":
        """The arm with something in its hand."""
        return eqx.tree_at(lambda arm: arm.mass, self, self.mass.at[-1].add(mass))
