"""Invariants, records and leaves below sub-modules: each mistake beside its right form."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import further
from right.specimens import Leaf, PytreeLaws, sample


class Softmax(eqx.Module):
    """Shares of one, along the last axis."""

    heat: jax.Array

    def __init__(self, heat):
        self.heat = jnp.array(heat)

    def __call__(self, x):
        return jax.nn.softmax(x * self.heat, axis=-1)


class ColumnsOfSoftmax(Softmax):
    def __call__(self, x):
        return jax.nn.softmax(x * self.heat, axis=0)


class InvariantLaws(PytreeLaws):
    leaves = (Leaf("heat", "param", ()),)
    cls: Any = None

    def inputs(self, seed):
        return {"heat": sample(seed, positive=True)}

    def build(self, heat):
        return self.cls(heat)

    def arguments(self, seed):
        return (sample(seed, (3, 5)),)


further(
    *("P19", "A softmax along the wrong axis", ColumnsOfSoftmax, Softmax),
    *("`sums to 1 along -1` does not hold, with seed 0: ", "should be 1 at (0,)"),
    base=InvariantLaws,
    invariants=(
        "sums to 1 along -1",
        "not negative",
        "invariant under shift",
        "equivariant under permutation along 0",
    ),
)


class Standardise(Softmax):
    def __call__(self, x):
        mean, variance = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-6) + 0 * self.heat


class OfTheSample(Standardise):
    def __call__(self, x):
        return super().__call__(x) * jnp.sqrt(4 / 5)


further(
    *("P19", "A deviation of the sample in a normalisation", OfTheSample, Standardise),
    *("`variance 1 along -1` does not hold", "should be 1 at (0,)"),
    base=InvariantLaws,
    invariants=("mean 0 along -1", "variance 1 along -1", "invariant under scale"),
    skips=("p08", "p09"),
)


class Unit(Softmax):
    def __call__(self, x):
        return self.heat * x / (jnp.linalg.norm(self.heat * x) + 1e-6)


class NearlyUnit(Softmax):
    def __call__(self, x):
        return self.heat * x / (jnp.linalg.norm(self.heat * x) + 0.1)


further(
    *("P19", "An epsilon that shows", NearlyUnit, Unit),
    *("`length 1` does not hold", "should be 1"),
    base=InvariantLaws,
    invariants=("length 1", "invariant under scale"),
    skips=("p08", "p09"),
)


class Linear(Softmax):
    def __call__(self, x):
        return self.heat * x


class SignedSquares(Softmax):
    def __call__(self, x):
        return self.heat * x * jnp.abs(x)


further(
    *("P19", "A map that is called linear", SignedSquares, Linear),
    *("`linear` does not hold",),
    base=InvariantLaws,
    invariants=("linear", "equivariant under scale"),
)


class Gram(Softmax):
    def __call__(self, x):
        return x @ x.T * self.heat


class Skewed(Softmax):
    def __call__(self, x):
        return x @ (x[::-1].T) * self.heat


further(
    *("P19", "A matrix that is not symmetric", Skewed, Gram),
    *("`symmetric` does not hold", "at (0, 1)"),
    base=InvariantLaws,
    invariants=("symmetric",),
)


class Rotation(Softmax):
    def __call__(self, x):
        return jnp.linalg.qr(x.T * self.heat)[0]


class Columns(Softmax):
    def __call__(self, x):
        return x.T * self.heat


further(
    *("P19", "Columns that are not orthogonal", Columns, Rotation),
    *("`orthogonal` does not hold",),
    base=InvariantLaws,
    invariants=("orthogonal",),
    skips=("p07", "p08", "p09", "p10"),
)


class Drop(Softmax):
    def __call__(self, x, key):
        kept = jax.random.bernoulli(key, 0.3, x.shape)
        return jnp.where(kept, x * self.heat / (0.3 * self.heat), 0)


class DropsTheOthers(Drop):
    def __call__(self, x, key):
        kept = jax.random.bernoulli(key, 0.7, x.shape)
        return jnp.where(kept, x * self.heat / (0.3 * self.heat), 0)


class DropLaws(InvariantLaws):
    def arguments(self, seed):
        return sample(seed, (3, 5)), sample(seed + 1, (), "key")


further(
    *("P19", "Dropout with the opposite probability", DropsTheOthers, Drop),
    *("`mean over keys kept` does not hold",),
    base=DropLaws,
    invariants=("mean over keys kept",),
    skips=("p08", "p09"),
)
