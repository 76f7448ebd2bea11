"""Experts, and who sends tokens to them."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, module, param, static, test


class Expert(Module):
    """Two maps with something between them."""

    up: Float[Array, "hidden size"] = param("he_normal")
    down: Float[Array, "size hidden"] = param("lecun_normal")
    bias: Float[Array, " size"] = param("zeros", decay=False)
    activation: Callable = static(jax.nn.gelu)

    def __call__(self, token: Float[Array, " size"], *, linear: bool = False) -> Float[Array, " size"]:
        """What the expert says of a token."""
        inner = self.up @ token
        if not linear:
            inner = self.activation(inner)
        return self.down @ inner + self.bias


@test(rejected=[{"top": 0}, {"jitter": -1.0}])
class Router(Module):
    """Weighs what experts say of a token."""

    gate: Float[Array, "crew size"] = param("normal(0.3)")
    experts: list[Expert] = module()
    sharpness: Float[Array, ""] = param("full(1.5)", frozen="fixed", decay=False)
    prior: Float[Array, " crew"] = buffer()
    """The logarithm of how often each expert is asked, known beforehand"""
    closed: Bool[Array, " crew"] = buffer()
    """Who is not asked"""
    load: Float[Array, " crew"] = data("zeros")
    fixed: bool = static(True)
    """Whether the sharpness stays as it is"""
    top: int = static(2, check=lambda top: top > 0)
    jitter: float = static(0.1, check=lambda jitter: jitter >= 0)
    residual: bool = static(False)

    def __init__(
        self,
        prior: Float[Array, " crew"],
        closed: Bool[Array, " crew"],
        size: int,
        hidden: int,
        top: int = 2,
        jitter: float = 0.1,
        fixed: bool = True,
        residual: bool = False,
        *,
        key: PRNGKeyArray,
    ):
        self.prior = prior
        self.closed = closed
        self.top = top
        self.jitter = jitter
        self.fixed = fixed
        self.residual = residual
        self.experts = [Expert.create(hidden, size, key=one) for one in jax.random.split(key, prior.shape[0])]

    def __call__(
        self, token: Float[Array, " size"], *, key: PRNGKeyArray | None = None
    ) -> tuple[Float[Array, " size"], Float[Array, " crew"]]:
        """What all say together, and how much each counts."""
        weights = self.weights(token, key=key)
        said = jnp.stack([expert(token) for expert in self.experts])
        result = weights @ said
        return (token + result if self.residual else result), weights

    def weights(
        self, token: Float[Array, " size"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, " crew"]:
        """How much each expert counts: together 1, and 0 for those that are closed."""
        scores = self.sharpness * (self.gate @ token) + self.prior
        if key is not None:
            scores = scores + self.jitter * jax.random.normal(key, scores.shape, scores.dtype)
        return jax.nn.softmax(jnp.where(self.closed, -1e4, scores))

    def chosen(self, tokens: Float[Array, "n size"]) -> Int32[Array, "n top"]:
        """The experts that count most for each token, the first before the second."""
        return jax.lax.top_k(jax.vmap(self.weights)(tokens), self.top)[1].astype(jnp.int32)

    def balance(self, tokens: Float[Array, "n size"], *, squared: bool = False) -> Float[Array, ""]:
        """How unevenly tokens are spread; what was sent has no gradient, what is wished for has one."""
        weights = jax.vmap(self.weights)(tokens)
        sent = jax.lax.stop_gradient(jnp.mean(weights, axis=0) + self.load)
        uneven = jnp.square(sent) if squared else sent
        return jnp.sum(uneven * jnp.mean(jnp.square(weights), axis=0))

    @call(carry="self")
    def loaded(self, sent: Float[Array, " crew"], *, fast: bool = False) -> "Router":
        """With a load that follows what was sent."""
        rate = 0.5 if fast else 0.1
        return eqx.tree_at(lambda one: one.load, self, (1 - rate) * self.load + rate * sent)

    def distilled(self, tokens: Float[Array, "n size"]) -> Float[Array, "n size"]:
        """What experts say on average without a gate."""
        said = [jax.vmap(expert)(tokens) for expert in self.experts]
        return sum(said) / len(said)
