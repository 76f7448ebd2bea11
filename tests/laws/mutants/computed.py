"""Mutants for P7: classes that compute in bfloat16 and store in float32."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import mutant
from right.specimens import Leaf, Output, PytreeLaws, sample


class Narrow(eqx.Module):
    """A layer that casts what it reads."""

    compute_dtype: ClassVar[Any] = jnp.bfloat16
    weight: jax.Array

    def read(self):
        return self.weight.astype(self.compute_dtype)

    def __call__(self, x):
        return jnp.tanh(self.read() @ x.astype(self.compute_dtype)).astype(x.dtype)


class NarrowLaws(PytreeLaws):
    """A right class."""

    cls: Any = Narrow
    leaves = (Leaf("weight", "param", (3, 2)),)
    compute = "bfloat16"
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 2))}

    def build(self, weight):
        return self.cls(jnp.array(weight))

    def arguments(self, seed):
        return (sample(seed, (2,)),)


@mutant("P7", "at `weight`: `mul` reads it as it is stored, and not in bfloat16")
class ReadsAsStored(NarrowLaws):
    class cls(Narrow):
        def read(self):
            return (self.weight * 3.0).astype(self.compute_dtype) / 3


@mutant("P7", "at `output 0`: in bfloat16 it is not what it is as stored")
class LosesBits(NarrowLaws):
    class cls(Narrow):
        def read(self):
            return super().read() + 512 - 512


@jax.custom_vjp
def rounded(x):
    return x


rounded.defvjp(lambda x: (x, None), lambda _, grad: (grad + 512 - 512,))


@mutant("P7", "at `the gradient of weight`: in bfloat16 it is not what it is as stored")
class GradientLosesBits(NarrowLaws):
    class cls(Narrow):
        def read(self):
            return rounded(super().read())


@jax.custom_vjp
def one_way(x):
    return x


def _of_float32_alone(_, grad):
    if grad.dtype != jnp.float32:
        raise TypeError("no gradient is defined in bfloat16")
    return (grad,)


one_way.defvjp(lambda x: (x, None), _of_float32_alone)


@mutant("P7", "the gradient of the call", "no gradient is defined in bfloat16")
class NoGradientInBfloat16(NarrowLaws):
    class cls(Narrow):
        def read(self):
            return one_way(super().read())


@mutant("P7", "at `weight`: it is rounded to bfloat16 wherever it is read, and declared as `uncast`")
class RoundsWhatIsUncast(NarrowLaws):
    """It says that the weight is read as it is stored."""

    uncast = ("weight",)
