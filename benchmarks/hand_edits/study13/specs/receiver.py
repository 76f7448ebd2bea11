"""A radio that follows a station."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, Key, PRNGKeyArray

from scaffold.skeleton import Module, Namedtuple, buffer, call, data, module, param, static, test


class Lock(Namedtuple):
    """How a receiver stands to its station."""

    memory: Float[Array, " taps"] = data()
    level: Float[Array, ""] = data()
    losses: Int32[Array, ""] = buffer()
    key: Key[Array, ""] = buffer()


class Mixer(Module):
    """Bands of a signal."""

    gains: Float[Array, "bands taps"] = param("lecun_normal")
    offset: Float[Array, " bands"] = param("zeros", decay=False)

    def __call__(self, signal: Float[Array, " taps"]) -> Float[Array, " bands"]:
        return jax.nn.gelu(self.gains @ signal + self.offset)


@test(rejected=[{"patience": 0}])
class Receiver(Module):
    """Follows a station that drifts."""

    mixer: Mixer = module(lambda bands, taps, dtype, key: Mixer.create(bands, taps, dtype, key=key))
    antenna: Float[Array, "taps taps"] = param("orthogonal")
    speech: Float[Array, "words bands"] = param("glorot_uniform")
    pace: Float[Array, ""] = param("full(-1.0)", decay=False)
    hiss: Float[Array, " taps"] = buffer()
    """Noise of the set"""
    patience: int = static(3, check=lambda patience: patience > 0)
    band: Literal["long", "medium", "short"] = static("medium")
    dithered: bool = static(False)

    def initial(self, *, key: PRNGKeyArray) -> Lock:
        """Before anything is heard."""
        size = self.hiss.shape[0]
        return Lock(
            jnp.zeros(size, self.antenna.dtype),
            jnp.ones((), self.antenna.dtype),
            jnp.zeros((), jnp.int32),
            key,
        )

    @call(carry="lock")
    def __call__(self, lock: Lock, wave: Float[Array, " taps"]) -> tuple[Lock, Float[Array, " words"]]:
        """The next lock, and how much each word is heard."""
        key, draw = jax.random.split(lock.key)
        signal = self.antenna @ wave - self.hiss
        if self.dithered:
            signal = signal + 0.05 * jax.random.normal(draw, signal.shape, signal.dtype)
        pace = jax.nn.sigmoid(self.pace)
        memory = (1 - pace) * lock.memory + pace * signal
        level = 0.9 * lock.level + 0.1 * jnp.mean(jnp.square(signal))
        heard = self.speech @ self.mixer(memory / (0.3 + jnp.abs(level)))
        lost = jnp.max(heard) < 0
        losses = jnp.where(lost, lock.losses + 1, lock.losses)
        return Lock(memory, level, losses, key), self.shaped(heard)

    def shaped(self, heard: Float[Array, " words"]) -> Float[Array, " words"]:
        """What the band lets through."""
        if self.band == "long":
            return heard
        return jnp.tanh(heard) if self.band == "medium" else heard * jax.nn.sigmoid(heard)

    def hears(
        self, lock: Lock, waves: Float[Array, "n taps"], *, last: bool = False
    ) -> tuple[Lock, Float[Array, "n words"]]:
        """A whole transmission; of the last wave alone where that is asked for."""
        lock, words = jax.lax.scan(lambda lock, wave: self(lock, wave), lock, waves)
        return lock, jnp.where(jnp.arange(len(waves))[:, None] < len(waves) - 1, 0, words) if last else words

    def given_up(self, lock: Lock, *, strict: bool = False) -> Bool[Array, ""]:
        """Whether the station was lost too often."""
        return lock.losses >= (1 if strict else self.patience)

    def retuned(self, lock: Lock, *, cold: bool = False) -> Lock:
        """A lock without losses, with another key."""
        key = jax.random.fold_in(lock.key, lock.losses)
        memory = jnp.zeros_like(lock.memory) if cold else lock.memory
        return lock._replace(memory=memory, losses=jnp.zeros_like(lock.losses), key=key)

    def best(self, heard: Float[Array, "n words"], quiet: Bool[Array, " words"]) -> Int32[Array, " n"]:
        """The word at each time that is heard best and is not quiet."""
        return jnp.argmax(jnp.where(quiet, -jnp.inf, heard), axis=-1).astype(jnp.int32)
