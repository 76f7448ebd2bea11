"""Sparse codes by a dictionary that is learnt."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Nnx, buffer, param, state, static, test


@test(sizes={"size": 3, "atoms": 5, "batch": 2})
class SparseCoder(Nnx, constructor="init", save=True):
    """Codes signals by few atoms of a dictionary, with thresholds that are trained."""

    dictionary: Float[Array, "atoms size"] = param("normal(0.4)", std="0.4")
    threshold: Float[Array, " atoms"] = param("full(-2.0)")
    """Before a softplus, below what an atom is silent"""
    back: Float[Array, " size"] | None = param("zeros", optional="use_offset")
    """What is added to each reconstruction"""
    filters: Float[Array, "size size"] = buffer("orthogonal")
    """A fixed rotation of signals"""
    centre: Float[Array, " size"] = state("zeros", variable="BatchStat")
    """A running mean of signals"""
    usage: Float[Array, " atoms"] = state("zeros", variable="Usage")
    """How often atoms were active of late"""
    seen: Int32[Array, ""] = state("zeros", variable="Usage")
    memory: float = static(0.8, check=lambda memory: 0 <= memory < 1)
    """What a signal leaves of the running mean and of the usage"""
    rounds: int = static(3, check=lambda rounds: rounds > 0)
    signed: bool = static(True)
    """Whether codes may be negative"""

    def __call__(self, x: Float[Array, " size"], *, learn: bool = True) -> Float[Array, " size"]:
        """Reconstruct a signal from its code, and keep statistics of it where it is to `learn`."""
        if learn:
            self.centre = self.memory * self.centre + (1 - self.memory) * x
            self.seen += 1
        code = self.code(x)
        if learn:
            active = (jnp.abs(code) > 0).astype(x.dtype)
            self.usage = self.memory * self.usage + (1 - self.memory) * active
        return self.rebuilt(code)

    def code(self, x: Float[Array, " size"]) -> Float[Array, " atoms"]:
        """The code of a signal, by some rounds of thresholding."""
        x = self.filters @ (x - self.centre)
        step = 1 / (1 + jnp.sum(self.dictionary**2))
        code = jnp.zeros_like(self.threshold)
        for _ in range(self.rounds):
            code = self.shrunk(code + step * self.dictionary @ (x - code @ self.dictionary), step)
        return code

    def shrunk(self, code: Float[Array, " atoms"], step: Float[Array, ""]) -> Float[Array, " atoms"]:
        """A code without what lies below the thresholds."""
        least = step * jax.nn.softplus(self.threshold)
        if self.signed:
            return jnp.sign(code) * jax.nn.relu(jnp.abs(code) - least)
        return jax.nn.relu(code - least)

    def rebuilt(self, code: Float[Array, " atoms"]) -> Float[Array, " size"]:
        """The signal of a code."""
        signal = (code @ self.dictionary) @ self.filters + self.centre
        return signal if self.back is None else signal + self.back

    def loss(
        self,
        xs: Float[Array, "batch size"],
        mask: Bool[Array, " batch"] | None = None,
        *,
        sparsity: float = 0.1,
    ) -> Float[Array, ""]:
        """How badly signals are reconstructed, and how many atoms that takes; those that count alone."""
        codes = jax.vmap(self.code)(xs)
        errors = jnp.mean((jax.vmap(self.rebuilt)(codes) - xs) ** 2, axis=1)
        total = errors + sparsity * jnp.sum(jnp.abs(codes), axis=1)
        return jnp.mean(total) if mask is None else jnp.mean(jnp.where(mask, total, 0))

    def revived(
        self, xs: Float[Array, "batch size"], *, key: PRNGKeyArray, least: float = 0.1
    ) -> Float[Array, "atoms size"]:
        """A dictionary where atoms that are rarely active have the direction of a signal that is drawn.

        They count as active from now on.
        """
        rare = self.usage < least
        draw, noise = jax.random.split(key)
        chosen = jax.random.randint(draw, rare.shape, 0, xs.shape[0])
        jitter = 0.01 * jax.random.normal(noise, self.dictionary.shape, self.dictionary.dtype)
        fresh = (xs - self.centre)[chosen] @ self.filters.T + jitter
        self.usage = jnp.where(rare, jnp.ones_like(self.usage), self.usage)
        return jnp.where(rare[:, None], fresh, self.dictionary)

    def coherence(self, *, worst: bool = True) -> Float[Array, ""]:
        """How alike two atoms are, at worst or on average."""
        norms = jnp.sqrt(jnp.sum(self.dictionary**2, axis=1, keepdims=True) + 1e-4)
        products = jnp.abs((self.dictionary / norms) @ (self.dictionary / norms).T)
        others = products * (1 - jnp.eye(norms.shape[0], dtype=products.dtype))
        return jnp.max(others) if worst else jnp.sum(others) / (others.size - norms.shape[0])

    def reset(self) -> None:
        """Forget the statistics."""
        self.centre = jnp.zeros_like(self.centre)
        self.usage = jnp.zeros_like(self.usage)
        self.seen = jnp.zeros_like(self.seen)
