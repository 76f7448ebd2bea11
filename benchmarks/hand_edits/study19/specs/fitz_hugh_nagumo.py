"""Neuron models as vector fields."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["recovery", "threshold", "coupling", "current"],
    meta_fields=["time_scale", "clip"],
)
@dataclasses.dataclass(frozen=True, eq=False)
class FitzHughNagumo:
    """A network of FitzHugh-Nagumo neurons that are coupled by diffusion."""

    recovery: Float[Array, " cells"]
    threshold: Float[Array, " cells"]
    coupling: Float[Array, "cells cells"]
    current: Float[Array, ""]
    time_scale: float = 12.5
    clip: float = 10.0

    @classmethod
    def create(cls, cells: int, key: jax.Array) -> "FitzHughNagumo":
        weight_key, current_key = jax.random.split(key)
        return cls(
            recovery=jnp.full((cells,), 0.8, jnp.float32),
            threshold=jnp.full((cells,), 0.7, jnp.float32),
            coupling=0.1 * jax.random.uniform(weight_key, (cells, cells)),
            current=0.5 + 0.1 * jax.random.normal(current_key, ()),
        )

    def __call__(self, t: Float[Array, ""], y: Float[Array, "2 cells"]) -> Float[Array, "2 cells"]:
        """The time derivative of potentials and recovery variables."""
        v, w = y
        v = jnp.clip(v, -self.clip, self.clip)
        diffusion = self.coupling @ v - jnp.sum(self.coupling, axis=1) * v
        drive = self.current * (1.0 - jnp.exp(-t))
        dv = v - v**3 / 3.0 - w + drive + diffusion
        dw = (v + self.threshold - self.recovery * w) / self.time_scale
        return jnp.stack([dv, dw])

    def step(
        self, t: Float[Array, ""], y: Float[Array, "2 cells"], dt: Float[Array, ""]
    ) -> Float[Array, "2 cells"]:
        """One step of the classical method of Runge and Kutta."""
        k1 = self(t, y)
        k2 = self(t + dt / 2, y + dt / 2 * k1)
        k3 = self(t + dt / 2, y + dt / 2 * k2)
        k4 = self(t + dt, y + dt * k3)
        return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
