"""What people like, from what they liked before."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Nnx, buffer, module, param, state, static, test


@test(sizes={"people": 4, "things": 5, "size": 3, "features": 2, "pairs": 6}, unused=["temperature"])
class Taste(Nnx, constructor="init", save=True):
    """Vectors of people and of things, and how popular things are."""

    person: Float[Array, "people size"] = param("normal(0.3)", std="0.3")
    thing: Float[Array, "things size"] = param("normal(0.3)", std="0.3")
    tower: nnx.Linear = module(lambda features, size, rngs: nnx.Linear(features, size, rngs=rngs))
    """What is known of a thing that nobody has seen"""
    mood: Float[Array, " people"] | None = param("zeros", optional="use_mood")
    """How generous each person is"""
    temperature: Float[Array, ""] = param("full(0.5)")
    """Before a softplus"""
    about: Float[Array, "things features"] = buffer()
    """Features of things"""
    sold: Bool[Array, " things"] = buffer("ones")
    """What is still to be had"""
    popular: Float[Array, " things"] = state("ones", variable="BatchStat")
    """A running mean of how often a thing is taken"""
    mean: Float[Array, ""] = state("full(0.5)", variable="BatchStat")
    """A running mean of ratings"""
    asked: Int32[Array, ""] = state("zeros", variable="Tally")
    memory: float = static(0.9, check=lambda memory: 0 <= memory < 1)
    cosine: bool = static(False)
    """Whether the size of vectors does not matter"""

    def __call__(
        self, person: Int32[Array, ""], rating: Float[Array, " things"] | None = None, *, learn: bool = True
    ) -> Float[Array, " things"]:
        """How much a person likes each thing; running means follow ratings where it is to `learn`."""
        if learn:
            self.asked += 1
            if rating is not None:
                self.mean = self.memory * self.mean + (1 - self.memory) * jnp.mean(rating)
                self.popular = self.memory * self.popular + (1 - self.memory) * jnp.abs(rating)
        return self.mean + self.scores(person)

    def vectors(self, *, cold: bool = False) -> Float[Array, "things size"]:
        """The vectors of things, from their features alone where all are `cold`."""
        known = jnp.tanh(self.tower(self.about))
        vectors = known if cold else self.thing + known
        if self.cosine:
            vectors = vectors / jnp.sqrt(jnp.sum(vectors**2, axis=1, keepdims=True) + 1e-3)
        return vectors

    def scores(self, person: Int32[Array, ""], *, cold: bool = False) -> Float[Array, " things"]:
        """How much more than usual a person likes things."""
        person = jnp.clip(person, 0, self.person.shape[0] - 1)
        scores = self.vectors(cold=cold) @ self.person[person]
        return scores if self.mood is None else scores + self.mood[person]

    def chances(self, person: Int32[Array, ""], *, fair: bool = False) -> Float[Array, " things"]:
        """How likely a person is to take each thing; popular ones count for less where it is to be `fair`."""
        logits = self.scores(person) / jax.nn.softplus(self.temperature)
        if fair:
            logits = logits - 0.5 * jnp.log(jnp.abs(self.popular) + 0.1)
        return jax.nn.softmax(jnp.where(self.sold, logits, -30.0))

    def offered(
        self, person: Int32[Array, ""], *, key: PRNGKeyArray, explore: float = 0.2
    ) -> Int32[Array, ""]:
        """A thing for a person, at times any that is to be had."""
        choice, whether, other = jax.random.split(key, 3)
        liked = jax.random.categorical(choice, jnp.log(self.chances(person) + 1e-9))
        any_one = jax.random.categorical(other, jnp.where(self.sold, 0.0, -30.0))
        return jnp.where(jax.random.bernoulli(whether, explore), any_one, liked).astype(jnp.int32)

    def loss(
        self,
        people: Int32[Array, " pairs"],
        things: Int32[Array, " pairs"],
        ratings: Float[Array, " pairs"],
        sure: Bool[Array, " pairs"] | None = None,
        *,
        penalty: float = 0.1,
    ) -> Float[Array, ""]:
        """How badly ratings are explained, and how large the vectors are."""
        things = jnp.clip(things, 0, self.thing.shape[0] - 1)
        found = self.mean + jax.vmap(lambda person, thing: self.scores(person)[thing])(people, things)
        weights = 1 / jnp.sqrt(jnp.abs(self.popular[things]) + 0.1)
        if sure is not None:
            weights = jnp.where(sure, weights, 0.5 * weights)
        large = jnp.mean(self.person**2) + jnp.mean(self.thing**2)
        return jnp.mean(weights * (found - ratings) ** 2) + penalty * large

    def taken(self, thing: Int32[Array, ""]) -> None:
        """Remember that a thing was taken."""
        hit = jax.nn.one_hot(thing, self.popular.shape[0], dtype=self.popular.dtype)
        self.popular = self.memory * self.popular + (1 - self.memory) * hit

    def forget(self) -> None:
        """Begin the running means again."""
        self.popular = jnp.ones_like(self.popular)
        self.mean = jnp.full_like(self.mean, 0.5)
        self.asked = jnp.zeros_like(self.asked)
