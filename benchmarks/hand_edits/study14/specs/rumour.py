"""A rumour among people."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, module, param, static, test


@test(rejected=[{"forgetting": 1.0}])
class Rumour(Module):
    """What people tell each other, and forget by chance."""

    trust: Float[Array, "people people"] = param("orthogonal(0.8)")
    voice: Float[Array, "topics people"] = param("uniform(1.0)")
    shyness: Float[Array, " people"] = param("full(0.2)", decay=False)
    tongue: eqx.nn.Linear = module(lambda topics, key: eqx.nn.Linear(topics, topics, key=key))
    ears: eqx.nn.Linear = module(lambda topics, key: eqx.nn.Linear(topics, topics, key=key))
    drop: eqx.nn.Dropout = module(lambda: eqx.nn.Dropout(0.3))
    known: Bool[Array, "people people"] = buffer()
    """Who knows whom"""
    gossip: Float[Array, " people"] = buffer("ones")
    forgetting: float = static(0.2, check=lambda forgetting: 0 <= forgetting < 1)
    rounds: int = static(2)
    secret: bool = static(False)

    def __call__(
        self, news: Float[Array, " topics"], *, key: PRNGKeyArray | None = None, inference: bool | None = None
    ) -> Float[Array, " people"]:
        """How much each one believes in the end."""
        told = jnp.tanh(self.tongue(self.ears(news))) @ self.voice
        first, second = (None, None) if key is None else jax.random.split(key)
        quiet = key is None or (self.drop.inference if inference is None else inference)
        told = self.drop(told, key=first, inference=quiet)
        for round in range(self.rounds):
            told = self.passed(told, None if quiet else jax.random.fold_in(second, round))
        return told

    def passed(
        self, told: Float[Array, " people"], key: PRNGKeyArray | None = None
    ) -> Float[Array, " people"]:
        """One round: each hears those that are known, and forgets."""
        weights = jnp.where(self.known, jax.nn.sigmoid(self.trust), 0)
        heard = weights @ (told * self.gossip) - self.shyness
        if self.secret:
            heard = 0.5 * heard
        if key is None:
            return heard
        kept = jax.random.bernoulli(key, 1 - self.forgetting, heard.shape)
        return jnp.where(kept, heard / (1 - self.forgetting), 0)

    def talk(
        self, news: Float[Array, "n topics"], *, key: PRNGKeyArray
    ) -> tuple[Float[Array, "n topics"], Int32[Array, " n"]]:
        """News as they arrive, and who tells each of them."""
        words, who = jax.random.split(key)
        noise = 0.1 * jax.random.normal(words, news.shape, news.dtype)
        teller = jax.random.randint(who, (len(news),), 0, self.shyness.shape[0], jnp.int32)
        return jax.vmap(self.ears)(news) + noise, teller

    def listened(self, told: Float[Array, " people"], *, loud: bool = False) -> Float[Array, " topics"]:
        """What is heard of each topic."""
        return self.voice @ (jnp.square(told) if loud else told)


class Village(TrainState, ema=0.95, key=True):
    """How a rumour is learned."""

    model: Rumour
    mood: Float[Array, " people"] = data()
    fair: bool = static(True)
    patience: float = static(2.0, check=lambda patience: patience > 0)

    def visitors(self, *, many: bool = False) -> Float[Array, " people"]:
        """A draw of who comes next, at this step."""
        drawn = jax.random.exponential(self.step_key, self.mood.shape, self.mood.dtype)
        return self.mood + (2 * drawn if many else drawn)

    def believed(self, news: Float[Array, " topics"]) -> Float[Array, " people"]:
        """What is believed without chance."""
        belief = self.model(news)
        return jnp.clip(belief, -self.patience, self.patience) if self.fair else belief
