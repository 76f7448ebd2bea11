"""Counts of genes in single cells, without the noise."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Nnx, buffer, module, param, state, static, test


@test(sizes={"genes": 5, "latent": 2, "hidden": 3, "labs": 4, "cells": 3})
class Cells(Nnx, constructor="init", save=True):
    """Explains counts of genes by a few hidden programs, and by the lab that counted."""

    encoder: nnx.Linear = module(lambda genes, hidden, rngs: nnx.Linear(genes, hidden, rngs=rngs))
    spread: Float[Array, "latent hidden"] = param("lecun_normal")
    programs: Float[Array, "genes latent"] = param("normal(0.4)", std="0.4")
    level: Float[Array, " genes"] = param("zeros")
    """Logarithms of how much of a gene is usual"""
    bias: Float[Array, "labs genes"] | None = param("normal(0.1)", std="0.1", optional="use_labs")
    """What a lab overlooks"""
    dispersion: Float[Array, " genes"] = param("full(0.5)")
    """Before a softplus"""
    known: Bool[Array, " genes"] = buffer()
    """Genes that are counted at all"""
    centre: Float[Array, " genes"] = state("zeros", variable="BatchStat")
    """A running mean of the logarithms of counts"""
    depth: Float[Array, ""] = state("ones", variable="BatchStat")
    """A running mean of how much is counted in a cell"""
    seen: Int32[Array, ""] = state("zeros", variable="Tally")
    memory: float = static(0.9, check=lambda memory: 0 <= memory < 1)
    layers: int = static(2, check=lambda layers: layers > 0)
    """How often the encoder is refined"""

    def __call__(
        self, counts: Float[Array, " genes"], lab: Int32[Array, ""] | None = None, *, learn: bool = True
    ) -> Float[Array, " genes"]:
        """The rates behind the counts of a cell; running means follow where it is to `learn`.

        They lie between the counts and what programs explain, the nearer to that the less genes are dispersed.
        """
        logs = jnp.log1p(jnp.abs(counts))
        if learn:
            self.centre = self.memory * self.centre + (1 - self.memory) * logs
            self.depth = self.memory * self.depth + (1 - self.memory) * jnp.mean(jnp.abs(counts))
            self.seen += 1
        rates, size = self.rates(self.encode(logs), lab), jax.nn.softplus(self.dispersion)
        return rates * (jnp.abs(counts) + size) / (rates + size)

    def encode(self, logs: Float[Array, " genes"]) -> Float[Array, " latent"]:
        """How active programs are."""
        inputs = jnp.where(self.known, logs - self.centre, 0)
        hidden = jnp.tanh(self.encoder(inputs))
        code = self.spread @ hidden
        for _ in range(self.layers - 1):
            code = 0.5 * code + self.spread @ jnp.tanh(hidden + code @ self.spread)
        return code

    def rates(
        self, code: Float[Array, " latent"], lab: Int32[Array, ""] | None = None
    ) -> Float[Array, " genes"]:
        """The rates of genes, in proportion to what is usually counted."""
        logits = self.level + self.programs @ code
        if self.bias is not None and lab is not None:
            logits = logits + self.bias[jnp.clip(lab, 0, self.bias.shape[0] - 1)]
        return self.depth * jnp.exp(jnp.clip(logits, -6, 6))

    def likelihood(
        self, counts: Float[Array, " genes"], rates: Float[Array, " genes"], *, poisson: bool = False
    ) -> Float[Array, ""]:
        """How likely counts are, up to what does not depend on the rates."""
        counts, rates = jnp.abs(counts), jnp.abs(rates) + 1e-3
        if poisson:
            each = counts * jnp.log(rates) - rates
        else:
            size = jax.nn.softplus(self.dispersion)
            each = counts * jnp.log(rates / (rates + size)) + size * jnp.log(size / (rates + size))
        return jnp.sum(jnp.where(self.known, each, 0))

    def loss(
        self, cells: Float[Array, "cells genes"], labs: Int32[Array, " cells"], *, weight: float = 0.3
    ) -> Float[Array, ""]:
        """How badly cells are explained, and how large their codes are."""
        codes = jax.vmap(self.encode)(jnp.log1p(jnp.abs(cells)))
        rates = jax.vmap(self.rates)(codes, labs)
        fits = jax.vmap(self.likelihood)(cells, rates)
        return jnp.mean(weight * jnp.sum(codes**2, axis=1) - fits)

    def sampled(
        self, code: Float[Array, " latent"], *, key: PRNGKeyArray, dropout: float = 0.1
    ) -> Float[Array, " genes"]:
        """Rates as a cell has them, some of which are lost."""
        noise, lost = jax.random.split(key)
        rates = self.rates(code)
        wobble = jax.random.normal(noise, rates.shape, rates.dtype)
        kept = jax.random.bernoulli(lost, 1 - dropout, rates.shape)
        return jnp.where(kept, rates * jnp.exp(0.1 * wobble), 0)

    def reset(self) -> None:
        """Forget the running means."""
        self.centre = jnp.zeros_like(self.centre)
        self.depth = jnp.ones_like(self.depth)
        self.seen = jnp.zeros_like(self.seen)
