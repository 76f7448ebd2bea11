"""What a molecule does, from its atoms and bonds."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, param, static, test


@test(sizes={"kinds": 4, "width": 6, "atoms": 5, "tasks": 3})
class Molecule(Module, save=True):
    """Atoms that tell their neighbours what they are, a few times."""

    embedding: Float[Array, "kinds width"] = param("normal(0.4)", std="0.4", decay=False)
    send: Float[Array, "width width"] = param("lecun_normal")
    stay: Float[Array, "width width"] = param("lecun_normal")
    gate: Float[Array, " width"] | None = param("zeros", optional="use_gate")
    """Before a sigmoid, how much of what it is told an atom believes"""
    head: eqx.nn.Linear
    centre: Float[Array, " tasks"] = buffer()
    """Means of the properties in the data"""
    scale: Float[Array, " tasks"] = buffer("ones")
    rounds: int = static(2, check=lambda rounds: rounds > 0)
    dropout: float = static(0.2, check=lambda dropout: 0 <= dropout < 1)
    summed: bool = static(False)
    """Whether large molecules have more of a property"""

    def __init__(
        self,
        centre: Float[Array, " tasks"],
        kinds: int,
        width: int,
        rounds: int = 2,
        use_gate: bool = True,
        dropout: float = 0.2,
        summed: bool = False,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.centre = centre
        self.rounds = rounds
        self.dropout = dropout
        self.summed = summed
        self.head = eqx.nn.Linear(width, centre.shape[0], use_bias=False, dtype=dtype, key=key)

    def __call__(
        self,
        atoms: Int32[Array, " atoms"],
        bonds: Float[Array, "atoms atoms"],
        real: Bool[Array, " atoms"] | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, " tasks"]:
        """The properties of a molecule; atoms that are not `real` fill up its arrays."""
        x = self.passed(self.embedded(atoms, real), bonds)
        pooled = self.pooled(x, real)
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.dropout, pooled.shape)
            pooled = jnp.where(kept, pooled / (1 - self.dropout), 0)
        return self.head(pooled) * self.scale + self.centre

    def embedded(
        self, atoms: Int32[Array, " atoms"], real: Bool[Array, " atoms"] | None = None
    ) -> Float[Array, "atoms width"]:
        """What atoms are by themselves."""
        x = self.embedding[jnp.clip(atoms, 0, self.embedding.shape[0] - 1)]
        return x if real is None else jnp.where(real[:, None], x, 0)

    def passed(
        self, x: Float[Array, "atoms width"], bonds: Float[Array, "atoms atoms"]
    ) -> Float[Array, "atoms width"]:
        """What atoms know after all rounds."""
        strength = 0.5 * (bonds + bonds.T)
        degree = jnp.sum(jnp.abs(strength), axis=1, keepdims=True) + 1
        for _ in range(self.rounds):
            told = strength @ jnp.tanh(x @ self.send) / degree
            if self.gate is not None:
                told = jax.nn.sigmoid(self.gate) * told
            x = x + jax.nn.gelu(x @ self.stay + told)
        return x

    def pooled(
        self, x: Float[Array, "atoms width"], real: Bool[Array, " atoms"] | None = None
    ) -> Float[Array, " width"]:
        """One vector for all atoms."""
        if real is not None:
            x = jnp.where(real[:, None], x, 0)
        if self.summed:
            return jnp.sum(x, axis=0)
        count = x.shape[0] if real is None else jnp.sum(real) + 1e-3
        return jnp.sum(x, axis=0) / count


@test(sizes={"atoms": 5, "tasks": 3, "batch": 2})
class Study(TrainState, ema=0.95, key=True, save=True):
    """Trains a model of molecules on some properties, and finds how hard each is."""

    model: Molecule
    hardness: Float[Array, " tasks"] = data("ones")
    """A running mean of the error of each property"""
    shown: Int32[Array, ""] = data("zeros")
    """How many molecules were shown"""
    memory: float = static(0.7, check=lambda memory: 0 <= memory < 1)
    noisy: bool = static(True)
    """Whether bonds are disturbed in training"""

    def errors(
        self,
        atoms: Int32[Array, "batch atoms"],
        bonds: Float[Array, "batch atoms atoms"],
        truth: Float[Array, "batch tasks"],
        *,
        training: bool = True,
    ) -> Float[Array, "batch tasks"]:
        """The squares of what is wrong with each property of each molecule."""
        if not training:
            return (jax.vmap(self.model)(atoms, bonds) - truth) ** 2
        shake, drop = jax.random.split(self.step_key)
        if self.noisy:
            bonds = bonds + 0.05 * jax.random.normal(shake, bonds.shape, bonds.dtype)
        keys = jax.random.split(drop, atoms.shape[0])
        found = jax.vmap(lambda one, bond, key: self.model(one, bond, key=key))(atoms, bonds, keys)
        return (found - truth) ** 2

    def loss(
        self,
        atoms: Int32[Array, "batch atoms"],
        bonds: Float[Array, "batch atoms atoms"],
        truth: Float[Array, "batch tasks"],
        known: Bool[Array, "batch tasks"] | None = None,
        *,
        balanced: bool = True,
    ) -> Float[Array, ""]:
        """The mean error, where hard properties count for less if it is `balanced`."""
        errors = self.errors(atoms, bonds, truth)
        weights = jnp.ones_like(errors)
        if balanced:
            weights = weights / (jnp.abs(self.hardness) + 0.1)
        if known is not None:
            weights = jnp.where(known, weights, 0)
        return jnp.sum(weights * errors) / (jnp.sum(weights) + 1e-3)

    def judged(self, errors: Float[Array, "batch tasks"]) -> "Study":
        """The state that has seen errors."""
        hardness = self.memory * self.hardness + (1 - self.memory) * jnp.mean(errors, axis=0)
        return dataclasses.replace(self, hardness=hardness, shown=self.shown + errors.shape[0])

    def disturbed(
        self, bonds: Float[Array, "atoms atoms"], *, share: float = 0.3, cut: bool = False
    ) -> Float[Array, "atoms atoms"]:
        """Bonds as training sees them, each step others, of which a share is weaker or `cut`."""
        chosen, weaker = jax.random.split(jax.random.fold_in(self.step_key, 7))
        hit = jax.random.bernoulli(chosen, share, bonds.shape)
        factor = jax.random.uniform(weaker, bonds.shape, bonds.dtype)
        return jnp.where(hit, 0 if cut else bonds * factor, bonds)

    def predicted(
        self, atoms: Int32[Array, " atoms"], bonds: Float[Array, "atoms atoms"], *, standard: bool = False
    ) -> Float[Array, " tasks"]:
        """Properties by the average of the weights, or by how many deviations they differ from the mean."""
        model = self.averaged()
        found = model(atoms, bonds)
        return (found - model.centre) / (jnp.abs(model.scale) + 1e-3) if standard else found
