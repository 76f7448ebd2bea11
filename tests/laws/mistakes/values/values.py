"""Mistakes with values and gradients that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import MatrixLaws, One, Weighted, further
from right.specimens import Leaf, sample


class RootOfNumPy(One):
    def __call__(self, x):
        return self.weight * x / np.sqrt(3)


class RootOfPython(One):
    def __call__(self, x):
        return self.weight * x / 3**0.5


further("P7", "`np.sqrt` of a size, which is a strong float64", RootOfNumPy, RootOfPython)


class Normed(One):
    def __call__(self, x):
        return self.weight * x / jnp.linalg.norm(x)


class NormedSafely(One):
    def __call__(self, x):
        square = jnp.sum(x * x)
        some = square > 0
        return self.weight * jnp.where(some, x * jax.lax.rsqrt(jnp.where(some, square, 1)), 0)


further("P7", "a division by a norm, which may be zero", Normed, NormedSafely, "it has NaN")


class Chosen(One):
    def __call__(self, x, mask):
        return self.weight * jax.nn.softmax(jnp.where(mask, x, -jnp.inf))


class ChosenSafely(One):
    def __call__(self, x, mask):
        return self.weight * jax.nn.softmax(jnp.where(mask, x, jnp.finfo(x.dtype).min))


def array_and_mask(_suite, seed):
    return sample(seed, (3,)), np.arange(3) != seed % 3


further(
    *("P7", "a softmax over nothing, where a mask leaves all out", Chosen, ChosenSafely),
    *("each element of its masks False it has NaN", "a softmax over nothing but -inf"),
    arguments=array_and_mask,
)


class Masked(One):
    def __call__(self, x):
        return jnp.where(x > 0, self.weight * jnp.sqrt(x), 0) + self.weight


class MaskedTwice(One):
    def __call__(self, x):
        return jnp.where(x > 0, self.weight * jnp.sqrt(jnp.where(x > 0, x, 1)), 0) + self.weight


further(
    "P9",
    "`where` hides a NaN in the value, and not in the gradient",
    Masked,
    MaskedTwice,
    "the gradient is NaN",
)


class LogOfWeight(One):
    def __call__(self, x):
        return jnp.where(self.weight > 0, jnp.log(self.weight), 0) + self.weight * x


class LogOfWeightSafely(One):
    def __call__(self, x):
        some = self.weight > 0
        return jnp.where(some, jnp.log(jnp.where(some, self.weight, 1)), 0) + self.weight * x


further(
    "P9",
    "`where` hides a NaN that a parameter gives",
    LogOfWeight,
    LogOfWeightSafely,
    "the gradient is NaN",
    survives="no law tries parameters of zeros: what is divided by their norm has none there, and is right",
)


class Softplus(One):
    def __call__(self, x):
        return jnp.log(1 + jnp.exp(self.weight * x))


class SoftplusSafely(One):
    def __call__(self, x):
        return jnp.logaddexp(self.weight * x, jnp.zeros_like(x))


further(
    "P7",
    "`log(1 + exp(x))`, which overflows",
    Softplus,
    SoftplusSafely,
    "in 64 bits",
)


class SoftmaxByHand(One):
    def __call__(self, x):
        powers = jnp.exp(self.weight * x)
        return powers / jnp.sum(powers)


class Softmax(One):
    def __call__(self, x):
        return jax.nn.softmax(self.weight * x)


further("P7", "a softmax of powers that overflow", SoftmaxByHand, Softmax, "in 64 bits")


class LogOfSigmoid(One):
    def __call__(self, x):
        return jnp.log(1 / (1 + jnp.exp(-self.weight * x)))


class LogSigmoid(One):
    def __call__(self, x):
        return jax.nn.log_sigmoid(self.weight * x)


further(
    "P7", "`log(sigmoid(x))`, which is -inf where x is far below 0", LogOfSigmoid, LogSigmoid, "in 64 bits"
)


class Squeezed(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return (self.weight @ x[:, None]).squeeze()


class SqueezedByAxis(Squeezed):
    def __call__(self, x):
        return (self.weight @ x[:, None]).squeeze(-1)


class OneRow(MatrixLaws):
    other = {"weight": sample(0, (1, 2))}


further(
    "P7",
    "`squeeze` without an axis, which takes sizes of one too",
    Squeezed,
    SqueezedByAxis,
    "an axis of 1 in the place of 3",
    base=OneRow,
)


class Rounded(One):
    def __call__(self, x):
        return jnp.round(4 * self.weight) / 4 * x


class RoundedStraight(One):
    def __call__(self, x):
        rounded = jnp.round(4 * self.weight) / 4
        return (self.weight + jax.lax.stop_gradient(rounded - self.weight)) * x


further("P9", "a rounded parameter, without a gradient", Rounded, RoundedStraight, "gradient")


class ShiftedSoftmax(eqx.Module):
    weight: jax.Array
    shift: jax.Array

    def __call__(self, x):
        return jax.nn.softmax(self.weight * x + self.shift)


class ScaledSoftmax(ShiftedSoftmax):
    def __call__(self, x):
        return jax.nn.softmax(self.weight * x * self.shift)


class ShiftLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "param", ()))

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.ones((), weight.dtype))


further("P8", "a shift that softmax takes out again", ShiftedSoftmax, ScaledSoftmax, "shift", base=ShiftLaws)


class Looped(One):
    def __call__(self, x):
        def more(state):
            return jnp.sum(jnp.abs(state)) > 0.1

        return jax.lax.while_loop(more, lambda state: state * self.weight / 2, x)


class Scanned(One):
    def __call__(self, x):
        return jax.lax.fori_loop(0, 3, lambda _, state: state * self.weight, x)


further(
    "P9",
    "a `while_loop` in what is trained",
    Looped,
    Scanned,
    survives="gradients in forward mode are enough",
)


class SquareRule(One):
    def __call__(self, x):
        return _square_wrong(self.weight) * x


class SquareRuleRight(One):
    def __call__(self, x):
        return _square(self.weight) * x


def _ruled(slope):
    @jax.custom_jvp
    def square(x):
        return x * x

    @square.defjvp
    def _(primals, tangents):
        return square(*primals), slope * primals[0] * tangents[0]

    return square


_square_wrong, _square = _ruled(1), _ruled(2)
further(
    "P9",
    "a custom derivative that is not the derivative",
    SquareRule,
    SquareRuleRight,
    "gradient",
)


def _reversed(slope):
    @jax.custom_vjp
    def cube(x):
        return x**3

    cube.defvjp(lambda x: (x**3, x), lambda x, along: (slope * along * x**2,))
    return cube


_cube_wrong, _cube = _reversed(-3), _reversed(3)


class CubeRule(One):
    def __call__(self, x):
        return _cube_wrong(self.weight) * x


class CubeRuleRight(One):
    def __call__(self, x):
        return _cube(self.weight) * x


further(
    "P9", "a rule for the reverse mode with the sign turned", CubeRule, CubeRuleRight, "its own rule gives"
)


class Variance(One):
    def __call__(self, x):
        spread = jnp.sqrt(jnp.mean(x * x) - jnp.mean(x) ** 2)
        return self.weight * (x - jnp.mean(x)) / spread


class VarianceSafely(One):
    def __call__(self, x):
        centred = x - jnp.mean(x)
        return self.weight * centred * jax.lax.rsqrt(jnp.mean(centred * centred) + 1e-5)


further("P7", "a spread without an epsilon, for equal inputs", Variance, VarianceSafely, "it has NaN")


class CastsWhatItIsGiven(eqx.Module):
    """Floats that are given have the default dtype, whether one is asked for or not."""

    weight: jax.Array

    def __init__(self, weight, dtype=None):
        self.weight = jnp.array(weight, jnp.result_type(float) if dtype is None else dtype)

    def __call__(self, x):
        return self.weight * x


class KeepsItsDtype(CastsWhatItIsGiven):
    def __init__(self, weight, dtype=None):
        self.weight = jnp.array(weight, dtype or weight.dtype)


class GivenLaws(MatrixLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    kept = ("weight",)
    takes_dtype = True

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further(
    "P1",
    "floats that are cast to the default dtype, where none is asked for",
    CastsWhatItIsGiven,
    KeepsItsDtype,
    "no dtype was asked for",
    base=GivenLaws,
)
