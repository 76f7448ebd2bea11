"""An encoder of speech."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, module, param, shared, static, test


class Block(Module, compute="bfloat16"):
    """A convolution over time and a gated layer, each beside a shortcut."""

    kernel: Float[Array, "3 size"] = param("normal(0.3)", std="0.3")
    wide: Float[Array, "2*hidden size"] = param("lecun_normal")
    back: Float[Array, "size hidden"] = param("lecun_normal")
    gain: Float[Array, " size"] = param("ones", compute=False)

    def __call__(
        self, x: Float[Array, "time size"], present: Float[Array, " time"] | None = None
    ) -> Float[Array, "time size"]:
        """The frames after the block; those that are not present are held at zero."""
        if present is not None:
            x = x * present[:, None]
        padded = jnp.pad(x, ((2, 0), (0, 0)))
        x = x + sum(padded[at : at + x.shape[0]] * self.kernel[at] for at in range(3))
        value, gate = jnp.split(self.normed(x) @ self.wide.T, 2, axis=1)
        return x + (value * jax.nn.sigmoid(gate)) @ self.back.T

    def normed(self, x: Float[Array, "time size"]) -> Float[Array, "time size"]:
        """Frames of mean square 1, times the gain."""
        wide = x.astype(jnp.float32)
        square = jnp.mean(wide**2, axis=1, keepdims=True)
        return (self.gain * wide * jax.lax.rsqrt(square + 1e-3)).astype(x.dtype)


@test(
    sizes={"bands": 3, "size": 5, "hidden": 2, "vocabulary": 7, "time": 11},
    values={"depth": 3},
    narrowest="bf16",
)
class Speech(Module, save=True):
    """Encodes a spectrogram, and scores the tokens of each frame."""

    front: Float[Array, "bands size"] = param("he_normal")
    tokens: Float[Array, "vocabulary size"] = param("normal(0.5)", std="0.5")
    head: Float[Array, "size vocabulary"] = shared("tokens.T")
    blocks: list[Block] = module(stacked=True, remat=True)
    level: Float[Array, " bands"] = buffer()
    """Mean of each band over all speech"""
    depth: int = static(3, check=lambda depth: depth > 0)
    masked: float = static(0.2, check=lambda masked: 0 <= masked < 1)
    """Share of the frames that training hides"""

    def __init__(
        self,
        size: int,
        hidden: int,
        vocabulary: int,
        level: Float[Array, " bands"],
        depth: int = 3,
        masked: float = 0.2,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.level = level
        self.depth = depth
        self.masked = masked
        self.blocks = [Block.create(size, hidden, dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(
        self, sound: Float[Array, "time bands"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, "time vocabulary"]:
        """Logarithms of the probabilities of tokens; with a key frames are hidden at random."""
        x = self.embed(sound)
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.masked, (sound.shape[0],))
            x = jnp.where(kept[:, None], x, 0)
        for block in self.blocks:
            x = block(x).astype(sound.dtype)
        return jax.nn.log_softmax(x @ self.head, axis=1)

    def embed(self, sound: Float[Array, "time bands"]) -> Float[Array, "time size"]:
        """What goes into the first block."""
        return jax.nn.gelu((sound - self.level) @ self.front)

    def best(self, sound: Float[Array, "time bands"], *, collapse: bool = False) -> Float[Array, " time"]:
        """How likely the best token of each frame is, or 0 where the one before had the same."""
        scores = self(sound)
        likely = jnp.exp(jnp.max(scores, axis=1))
        if collapse:
            token = jnp.argmax(scores, axis=1)
            again = jnp.concatenate([jnp.zeros((1,), bool), token[1:] == token[:-1]])
            likely = jnp.where(again, 0, likely)
        return likely

    def activity(self, sound: Float[Array, "time bands"]) -> Bool[Array, " time"]:
        """Which frames are louder than the mean."""
        return jnp.mean(sound, axis=1) > jnp.mean(self.level)
