"""Kinetics of a network of reactions."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, param, static, test


@test(
    sizes={"species": 3, "reactions": 5},
    values={"used": lambda: jax.random.randint(jax.random.key(1), (5, 3), 0, 3, jnp.int32)},
)
class Reactions(Module, save=True, migrate=True):
    """Rates at which species react in a tank, by mass action, with constants that are learnt."""

    made: Float[Array, "reactions species"] = buffer()
    """How much of each species a reaction makes"""
    used: Int32[Array, "reactions species"] = buffer()
    """How many particles of each species a reaction takes"""
    log_rate: Float[Array, " reactions"] = param("normal(0.5)", std="0.5")
    barrier: Float[Array, " reactions"] | None = param("ones", optional="thermal", decay=False)
    """Energies that a reaction has to overcome, in units of the reference temperature"""
    flow: Float[Array, ""] = param("full(-2.0)")
    """Logarithm of how fast the tank is refilled"""
    feed: Float[Array, " species"] = data()
    """Concentrations of what flows into the tank"""
    law: Literal["mass", "saturating"] = static("mass")
    reference: float = static(2.0, check=lambda reference: reference > 0)
    """Temperature at which the rates are those that are learnt"""

    def __call__(
        self,
        c: Float[Array, " species"],
        *,
        temperature: Float[Array, ""] | None = None,
        flowing: bool = True,
    ) -> Float[Array, " species"]:
        """How fast concentrations change, in a closed tank where not `flowing`."""
        change = self.rates(c, temperature) @ (self.made - self.used.astype(c.dtype))
        return change + jnp.exp(self.flow) * (self.feed - c) if flowing else change

    def rates(
        self, c: Float[Array, " species"], temperature: Float[Array, ""] | None = None
    ) -> Float[Array, " reactions"]:
        """How often each reaction takes place, at the reference temperature if none is given."""
        if self.law == "saturating":
            c = c / (1 + jnp.abs(c))
        taken = jnp.where(self.used > 0, c, 1)
        products = jnp.prod(taken ** self.used.astype(c.dtype), axis=1)
        log_rate = self.log_rate
        if self.barrier is not None and temperature is not None:
            colder = 1 / (0.1 + jnp.abs(temperature)) - 1 / (0.1 + self.reference)
            log_rate = log_rate - self.barrier * colder
        return jnp.exp(log_rate) * products

    def advanced(
        self, c: Float[Array, " species"], dt: Float[Array, ""], *, steps: int = 2, midpoint: bool = False
    ) -> Float[Array, " species"]:
        """Concentrations some steps later, by Euler's rule or that of the midpoint."""
        for _ in range(steps):
            slope = self(c)
            if midpoint:
                slope = self(c + 0.5 * dt * slope)
            c = c + dt * slope
        return c

    def jittered(
        self, c: Float[Array, " species"], dt: Float[Array, ""], *, key: PRNGKeyArray, flowing: bool = True
    ) -> Float[Array, " species"]:
        """One step in which reactions take place by chance, and so does what flows in and out."""
        reaction_key, flow_key = jax.random.split(key)
        rates, shape = self.rates(c), self.log_rate.shape
        deviation = jnp.sqrt(jnp.abs(rates * dt) + 1e-4)
        events = rates * dt + deviation * jax.random.normal(reaction_key, shape, c.dtype)
        c = c + events @ (self.made - self.used.astype(c.dtype))
        if flowing:
            swing = 1 + 0.1 * jax.random.normal(flow_key, c.shape, c.dtype)
            c = c + dt * jnp.exp(self.flow) * swing * (self.feed - c)
        return c

    def fed(self, feed: Float[Array, " species"], *, mixed: bool = False) -> "Reactions":
        """The same network with another feed, or with the mean of both."""
        feed = 0.5 * (feed + self.feed) if mixed else feed
        return Reactions(
            self.made, self.used, self.log_rate, self.barrier, self.flow, feed, self.law, self.reference
        )

    @property
    def balance(self) -> Float[Array, " reactions"]:
        """How many particles each reaction adds."""
        return jnp.sum(self.made, axis=1) - jnp.sum(self.used.astype(self.made.dtype), axis=1)
