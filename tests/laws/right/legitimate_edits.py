"""Edits of a layer that are right, each with the one line, at most, that its author declares for it."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from right.specimens import Leaf, Output, PytreeLaws, sample


class Layer(eqx.Module):
    """What all of them are edits of."""

    weight: jax.Array
    bias: jax.Array

    def __init__(self, rows: int, columns: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (rows, columns), jnp.float32)
        self.bias = jnp.zeros(rows, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.tanh(self.weight @ x + self.bias)


class LayerLaws(PytreeLaws):
    """The declarations of the layer, as they are generated; an edit adds its own."""

    cls: Any = Layer
    sizes: ClassVar[tuple[int, int]] = (2, 3)
    leaves = (Leaf("weight", "param", (2, 3)), Leaf("bias", "param", (2,), value=0))
    returns = (Output((2,)),)
    drawn = ("weight",)

    def inputs(self, seed):
        return {"rows": self.sizes[0], "columns": self.sizes[1], "key": jax.random.key(seed)}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


LEGITIMATE: dict[str, type[LayerLaws]] = {}


def legitimate(told: str, cls: type, base: type[LayerLaws] = LayerLaws, **line: Any) -> None:
    """Notes an edit with what has to be declared for it: one line, or none."""
    assert len(line) <= 1
    LEGITIMATE[told] = type(f"{cls.__name__}Laws", (base,), {"cls": cls, "__module__": __name__, **line})


class Mixed(Layer):
    def __call__(self, x):
        weight, x = self.weight.astype(jnp.bfloat16), x.astype(jnp.bfloat16)
        return jnp.tanh((weight @ x).astype(self.bias.dtype) + self.bias)


legitimate("mixed precision: products in bfloat16, the rest in float32", Mixed, narrowest="bfloat16")


class Spectral(Layer):
    def __call__(self, x):
        return jnp.fft.irfft(jnp.fft.rfft(self.weight @ x + self.bias), 2)


legitimate("a Fourier transform, which jax has in no bfloat16", Spectral)


class FromZero(Layer):
    """A residual branch with a factor that is zero at the start."""

    factor: jax.Array

    def __init__(self, rows, columns, *, key):
        super().__init__(rows, columns, key=key)
        self.factor = jnp.zeros((), jnp.float32)

    def __call__(self, x):
        return x[: len(self.bias)] + self.factor * jnp.tanh(self.weight @ x + self.bias)


class FromZeroBase(LayerLaws):
    leaves = (*LayerLaws.leaves, Leaf("factor", "param", (), value=0))


legitimate("a factor that starts at zero", FromZero, FromZeroBase)


class Part(eqx.Module):
    """An optional sub-module of the layer."""

    layer: Layer
    norm: eqx.nn.LayerNorm | None

    def __init__(self, rows: int, columns: int, use_norm: bool = True, *, key: jax.Array):
        self.layer = Layer(rows, columns, key=key)
        self.norm = eqx.nn.LayerNorm(rows) if use_norm else None

    def __call__(self, x):
        y = self.layer(x)
        return y if self.norm is None else self.norm(y)


class PartBase(LayerLaws):
    leaves = (Leaf("layer", "module"), Leaf("norm", "module"))
    drawn = ("layer.weight",)


legitimate("an optional sub-module", Part, PartBase)


class Causal(Layer):
    """Elements of its weight that a mask hides for ever."""

    def __call__(self, x):
        return jnp.tanh(jnp.tril(self.weight) @ x + self.bias)


legitimate(
    "elements that a mask hides",
    Causal,
    leaves=(Leaf("weight", "param", (2, 3), unused=True), Leaf("bias", "param", (2,), value=0)),
)


class TiedTwice(Layer):
    """Its weight in both directions."""

    @property
    def back(self):
        return self.weight.T

    def __call__(self, x):
        return self.weight @ (self.back @ jnp.tanh(self.weight @ x + self.bias))


legitimate("one weight in two places", TiedTwice)


class Straight(Layer):
    """Rounds, and hands gradients straight through."""

    def __call__(self, x):
        y = jnp.tanh(self.weight @ x + self.bias)
        return y + jax.lax.stop_gradient(jnp.round(4 * y) / 4 - y)


legitimate("a gradient that goes straight through a rounding", Straight)


class Antithetic(Layer):
    """One noise twice, with both signs."""

    def __call__(self, x, key):
        def at(sign):
            noise = jax.random.normal(key, x.shape, x.dtype)
            return jnp.tanh(self.weight @ (x + sign * noise) + self.bias)

        return (at(1) + at(-1)) / 2


class KeyedBase(LayerLaws):
    def arguments(self, seed):
        return sample(seed, (3,)), jax.random.key(seed)


legitimate("one key for two draws that belong together", Antithetic, KeyedBase, reuses_key=True)


class Votes(Layer):
    def __call__(self, x):
        return jnp.argmax(self.weight @ x + self.bias)


legitimate("an output that is an integer", Votes, returns=(Output((), "int"),))


class Cached(Layer):
    """A cache beside the output, through which no gradient goes."""

    def __call__(self, x, cache):
        y = jnp.tanh(self.weight @ x + self.bias)
        cache = jax.lax.stop_gradient(jnp.concatenate([cache[1:], y[None]]))
        return y + cache.mean(axis=0), cache


class CachedBase(LayerLaws):
    returns = (Output((2,)), Output((4, 2)))

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (4, 2))


legitimate("a cache that is not differentiable", Cached, CachedBase)


class Truncated(Layer):
    """A recurrent cell whose gradients end at the last state."""

    def __call__(self, x, state):
        return jnp.tanh(self.weight @ x + self.bias + jax.lax.stop_gradient(state))


class TruncatedBase(LayerLaws):
    carry = 1

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (2,))


legitimate("gradients that end at the last state", Truncated, TruncatedBase, truncated=True)


class DropPath(Layer):
    """Leaves the whole branch out, for all rows at once."""

    def __call__(self, x, key):
        keep = jax.random.bernoulli(key, 0.5, (x.shape[0], 1))
        return x[:, :2] + keep * jnp.tanh(x @ self.weight.T + self.bias)


class RowsBase(LayerLaws):
    returns = (Output((4, 2)),)

    def arguments(self, seed):
        return sample(seed, (4, 3)), jax.random.key(seed)


legitimate("noise by row", DropPath, RowsBase)


class SharedMask(Layer):
    """One mask for all steps of a sequence."""

    def __call__(self, x, key):
        mask = jax.random.bernoulli(key, 0.5, (2,))
        return mask * jnp.tanh(x @ self.weight.T + self.bias)


legitimate("one mask for all steps of a sequence", SharedMask, RowsBase, shares_noise=True)
