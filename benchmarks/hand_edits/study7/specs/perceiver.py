"""A perceiver: a few latent vectors that look at many inputs."""

import math

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, groups, module, param, static, test


class Thought(Module, compute="bfloat16"):
    """Attention of the latents to each other, and a layer for each."""

    mix: Float[Array, "3*size size"] = param("lecun_normal")
    merge: Float[Array, "size size"] = param("normal(0.2)", std="0.2")
    up: Float[Array, "2*size size"] = param("he_normal")
    down: Float[Array, "size 2*size"] = param("lecun_normal")
    gain: Float[Array, " size"] = param("ones", compute=False, decay=False)
    sharp: float = static(1.0, check=lambda sharp: sharp > 0)

    def __call__(self, x: Float[Array, "slots size"]) -> Float[Array, "slots size"]:
        """The latents after they have looked at each other."""
        query, key, value = jnp.split(self.normed(x) @ self.mix.T, 3, axis=1)
        scores = self.sharp * (query @ key.T) / math.sqrt(query.shape[1])
        x = x + jax.nn.softmax(scores.astype(jnp.float32), axis=1).astype(x.dtype) @ value @ self.merge.T
        return x + jax.nn.gelu(self.normed(x) @ self.up.T) @ self.down.T

    def normed(self, x: Float[Array, "slots size"]) -> Float[Array, "slots size"]:
        """Latents of mean 0 and variance 1, times the gain."""
        wide = x.astype(jnp.float32)
        wide = wide - jnp.mean(wide, axis=1, keepdims=True)
        variance = jnp.mean(wide**2, axis=1, keepdims=True)
        return (self.gain * wide * jax.lax.rsqrt(variance + 1e-3)).astype(x.dtype)


@groups(reader=["look", "take"])
@test(
    sizes={"slots": 3, "size": 5, "channels": 2, "classes": 7, "n": 11},
    values={"depth": 3},
    narrowest="bf16",
)
class Perceiver(Module, save=True):
    """Reads any number of inputs into latents, and tells classes apart."""

    latents: Float[Array, "slots size"] = param("normal(0.5)", std="0.5", decay=False)
    look: Float[Array, "size channels"] = param("glorot_normal")
    take: Float[Array, "size channels"] = param("lecun_normal")
    thoughts: list[Thought] = module(stacked=True, remat=True)
    tell: Float[Array, "classes size"] = param("truncated_normal(0.1)")
    bias: Float[Array, " classes"] | None = param("zeros", optional="use_bias", decay=False)
    centre: Float[Array, " channels"] = buffer()
    """Mean of the inputs over all data"""
    depth: int = static(3, check=lambda depth: depth > 0)
    hidden: float = static(0.25, check=lambda hidden: 0 <= hidden < 1)
    """Share of the inputs that training hides"""

    def __init__(
        self,
        slots: int,
        size: int,
        classes: int,
        centre: Float[Array, " channels"],
        depth: int = 3,
        hidden: float = 0.25,
        use_bias: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.centre = centre
        self.depth = depth
        self.hidden = hidden
        self.thoughts = [Thought.create(size, dtype=dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(
        self,
        inputs: Float[Array, "n channels"],
        mask: Bool[Array, " n"] | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, " classes"]:
        """Scores of the classes; inputs outside of the mask are not seen, nor those that a key hides."""
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.hidden, (inputs.shape[0],))
            mask = kept if mask is None else mask & kept
        x = self.read(inputs, mask)
        for thought in self.thoughts:
            x = thought(x).astype(inputs.dtype)
        scores = self.tell @ jnp.mean(x, axis=0)
        return scores if self.bias is None else scores + self.bias

    def read(
        self, inputs: Float[Array, "n channels"], mask: Bool[Array, " n"] | None = None
    ) -> Float[Array, "slots size"]:
        """The latents after they have looked at the inputs."""
        return self.latents + self.attention(inputs, mask) @ ((inputs - self.centre) @ self.take.T)

    def attention(
        self,
        inputs: Float[Array, "n channels"],
        mask: Bool[Array, " n"] | None = None,
        *,
        hard: bool = False,
    ) -> Float[Array, "slots n"]:
        """How much each latent looks at each input, or which it looks at most where `hard`."""
        scores = self.latents @ ((inputs - self.centre) @ self.look.T).T / math.sqrt(self.latents.shape[1])
        if mask is not None:
            scores = jnp.where(mask, scores, -1e4)
        if hard:
            return jax.nn.one_hot(jnp.argmax(scores, axis=1), scores.shape[1], dtype=scores.dtype)
        return jax.nn.softmax(scores, axis=1)

    def doubts(self, inputs: Float[Array, "n channels"], *, bits: bool = False) -> Float[Array, ""]:
        """The entropy of the classes, in bits where told."""
        shares = jax.nn.log_softmax(self(inputs))
        entropy = -jnp.sum(jnp.exp(shares) * shares)
        return entropy / math.log(2) if bits else entropy
