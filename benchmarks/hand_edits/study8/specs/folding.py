"""How a chain of residues folds, by what is known of its pairs."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, module, param, static, test


@test(sizes={"width": 3, "inner": 2, "length": 5})
class Triangle(Module):
    """Changes what is known of a pair by what is known of its pairs with each third residue."""

    left: Float[Array, "inner width"] = param("lecun_normal")
    right: Float[Array, "inner width"] = param("lecun_normal")
    out: Float[Array, "width inner"] = param("normal(0.1)", std="0.1")
    gain: Float[Array, " width"] = param("ones", decay=False)
    outgoing: bool = static(True)

    def __call__(
        self, pairs: Float[Array, "length length width"], known: Bool[Array, " length"] | None = None
    ) -> Float[Array, "length length width"]:
        """Pairs after they have heard of each third residue that is known."""
        scale = jnp.sqrt(jnp.mean(pairs**2, axis=-1, keepdims=True) + 1e-3)
        normed = self.gain * pairs / scale
        left, right = normed @ self.left.T, normed @ self.right.T
        if known is not None:
            left = jnp.where(known[None, :, None] if self.outgoing else known[:, None, None], left, 0)
        told = jnp.einsum("ikc,jkc->ijc" if self.outgoing else "kic,kjc->ijc", left, right)
        return pairs + told @ self.out.T


@test(sizes={"width": 3, "inner": 2, "kinds": 4, "length": 5, "bins": 7, "reach": 2}, values={"depth": 2})
class Folding(Module, save=True):
    """Distances between the residues of a chain."""

    kind: Float[Array, "kinds width"] = param("normal(0.5)", std="0.5")
    apart: Float[Array, "reach width"] = param("normal(0.2)", std="0.2", decay=False)
    """By how far apart in the chain residues are"""
    layers: list[Triangle] = module(stacked=True, remat=True)
    base: eqx.nn.Linear = module(frozen="freeze")
    """A projection that was trained before"""
    head: Float[Array, "bins width"] = param("normal(0.4)", std="0.4")
    distances: Float[Array, " bins"] = buffer("=jnp.arange(bins, dtype=dtype) + 2")
    """The distance of each bin"""
    depth: int = static(2)
    freeze: bool = static(True)
    """Whether the projection stays as it is"""
    sharpness: float = static(1.5, check=lambda sharpness: sharpness > 0)

    def __init__(
        self,
        kinds: int,
        width: int,
        inner: int,
        bins: int,
        reach: int,
        depth: int = 2,
        freeze: bool = True,
        sharpness: float = 1.5,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.depth = depth
        self.freeze = freeze
        self.sharpness = sharpness
        self.layers = [
            Triangle.create(inner, width, dtype=dtype, key=one) for one in jax.random.split(key, depth)
        ]
        self.base = eqx.nn.Linear(width, width, dtype=dtype, key=key)

    def __call__(
        self, chain: Int32[Array, " length"], known: Bool[Array, " length"] | None = None, *, recycle: int = 0
    ) -> Float[Array, "length length bins"]:
        """Log-probabilities of the distance of each pair; what is found is fed in again `recycle` times."""
        start = self.pairs(chain)
        pairs = self.refined(start, known)
        for _ in range(recycle):
            pairs = self.refined(start + jax.lax.stop_gradient(pairs), known)
        logits = self.sharpness * (pairs + jnp.swapaxes(pairs, 0, 1)) @ self.head.T
        return jax.nn.log_softmax(logits, axis=-1)

    def pairs(self, chain: Int32[Array, " length"]) -> Float[Array, "length length width"]:
        """What is known of pairs from the kinds of residues and from how far apart they are."""
        chain = jnp.clip(chain, 0, self.kind.shape[0] - 1)
        places = jnp.arange(chain.shape[0])
        far = jnp.clip(jnp.abs(places[:, None] - places), 0, self.apart.shape[0] - 1)
        both = self.kind[chain][:, None] * self.kind[chain][None]
        return jax.vmap(jax.vmap(self.base))(both) + self.apart[far]

    def refined(
        self, pairs: Float[Array, "length length width"], known: Bool[Array, " length"] | None = None
    ) -> Float[Array, "length length width"]:
        """Pairs after all layers."""
        for layer in self.layers:
            pairs = jnp.tanh(layer(pairs, known))
        return pairs

    def expected(
        self, chain: Int32[Array, " length"], *, likeliest: bool = False
    ) -> Float[Array, "length length"]:
        """The distance of each pair on average, or the likeliest one."""
        chances = self(chain)
        if likeliest:
            return self.distances[jnp.argmax(chances, axis=-1)]
        return jnp.exp(chances) @ self.distances

    def contacts(
        self, chain: Int32[Array, " length"], *, cutoff: float = 4.0, apart: int = 1
    ) -> Float[Array, ""]:
        """How many pairs that are some residues apart touch each other, each pair counted once."""
        near = (self.distances <= cutoff).astype(self.distances.dtype)
        touching = jnp.exp(self(chain)) @ near
        return jnp.sum(jnp.triu(touching, apart))

    def mutated(
        self, chain: Int32[Array, " length"], *, rate: float = 0.3, key: PRNGKeyArray
    ) -> Int32[Array, " length"]:
        """The chain with other kinds of residues here and there."""
        where, what = jax.random.split(key)
        drawn = jax.random.randint(what, chain.shape, 0, self.kind.shape[0], jnp.int32)
        return jnp.where(jax.random.bernoulli(where, rate, chain.shape), drawn, chain)
