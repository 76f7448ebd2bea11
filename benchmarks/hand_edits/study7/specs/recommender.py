"""Recommendations to people, from what they liked."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, param, shared, static, test


@test(sizes={"things": 7, "size": 3, "hidden": 5})
class Recommender(Module, save=True, migrate=True):
    """Scores all things for somebody, by a history of ratings."""

    items: Float[Array, "things size"] = param("normal(0.3)", std="0.3")
    head: Float[Array, "size things"] = shared("items.T")
    inner: Float[Array, "hidden size"] = param("he_normal")
    outer: Float[Array, "size hidden"] = param("glorot_uniform")
    offset: Float[Array, " things"] | None = param("zeros", optional="use_offset", decay=False)
    popular: Float[Array, " things"] = buffer()
    """How often each thing was rated; it is not to be recommended for that"""
    drop: float = static(0.3, check=lambda drop: 0 <= drop < 1)
    """Share of a history that training hides"""
    sharpness: float = static(2.0, check=lambda sharpness: sharpness > 0)

    def __call__(
        self, history: Float[Array, " things"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, " things"]:
        """Scores of things, by a history of ratings; with a key a part of it is hidden."""
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.drop, history.shape)
            history = jnp.where(kept, history / (1 - self.drop), 0)
        scores = self.sharpness * self.person(history) @ self.head
        return scores if self.offset is None else scores + self.offset

    def person(self, history: Float[Array, " things"]) -> Float[Array, " size"]:
        """What somebody likes."""
        mean = history @ self.items / jnp.sqrt(1 + jnp.sum(history**2))
        return mean + self.outer @ jax.nn.silu(self.inner @ mean)

    def similar(self, thing: Float[Array, " size"], *, cosine: bool = True) -> Float[Array, " things"]:
        """How like a thing each thing is."""
        products = self.items @ thing
        if cosine:
            squares = jnp.sum(self.items**2, axis=1) * jnp.sum(thing**2)
            products = products / jnp.sqrt(squares + 1e-4)
        return products

    def debiased(
        self, history: Float[Array, " things"], *, power: float = 0.5, fresh: bool = False
    ) -> Float[Array, " things"]:
        """Scores that owe less to how popular things are; what was rated is left out where `fresh`."""
        scores = self(history) - power * jnp.log1p(jnp.abs(self.popular))
        return jnp.where(history != 0, -1e3, scores) if fresh else scores


@test(sizes={"things": 7})
class Fitting(TrainState, ema=0.9, key=True, save=True):
    """Fits a recommender to histories."""

    model: Recommender
    exposure: Float[Array, " things"] = data()
    """How likely each thing was shown to anybody"""
    skipped: Int32[Array, ""] = data("zeros")
    """How many histories were empty"""
    negatives: int = static(4, check=lambda negatives: negatives > 0)
    """How many things are drawn to compare with"""

    def drawn(self) -> Int32[Array, " negatives"]:
        """Things that are drawn by how likely they are shown."""
        logits = jnp.log(jnp.abs(self.exposure) + 1e-3)
        _, draw = jax.random.split(self.step_key)
        return jax.random.categorical(draw, logits, shape=(self.negatives,)).astype(jnp.int32)

    def loss(self, history: Float[Array, " things"], *, weighted: bool = True) -> Float[Array, ""]:
        """How badly what was rated is told apart from what was drawn."""
        hide, _ = jax.random.split(self.step_key)
        scores = self.model(history, key=hide)
        against = jax.nn.logsumexp(scores[self.drawn()])
        shares = jnp.abs(history) / (jnp.sum(jnp.abs(history)) + 1e-3)
        if weighted:
            shares = shares / (jnp.abs(self.exposure) + 0.1)
        return jnp.sum(shares * jax.nn.softplus(against - scores))

    def agreement(self, history: Float[Array, " things"]) -> Float[Array, ""]:
        """How alike the model and its average score things."""
        now, then = self.model(history), self.averaged()(history)
        now, then = now - jnp.mean(now), then - jnp.mean(then)
        return now @ then / jnp.sqrt(jnp.sum(now**2) * jnp.sum(then**2) + 1e-3)
