"""Mutants for P19, and for the dtypes of P7: another formula, another precision."""

import jax.numpy as jnp
import numpy as np
from harness.mutants import Node, NodeLaws, mutant, node


class ReferenceLaws(NodeLaws):
    def reference(self, node, x):
        return node.weight * x * node.scale + node.bias


def called(function):
    """The node with another call."""
    return node(__call__=function)


@mutant("P19", "with seed 0", "is not what the reference gives", "is allowed", "`tolerance` allows more")
class OtherSign(ReferenceLaws):
    cls = called(lambda self, x: self.weight * x * self.scale - self.bias)


@mutant("P19", "with random values of seed 1")
class OtherSignWhereNoExampleLies(ReferenceLaws):
    cls = called(lambda self, x: jnp.abs(self.weight) * x * self.scale + self.bias)


@mutant("P19", "at `reference`: the reference on seed 0 raised", "no attribute 'gain'")
class ReferenceOfAnotherClass(ReferenceLaws):
    def reference(self, node, x):
        return node.gain * x


@mutant("P19", "float32[3] and float16[3] are not of one dtype and shape")
class ReferenceInHalfPrecision(ReferenceLaws):
    tolerance = 0.1

    def reference(self, node, x):
        return super().reference(node, x).astype(np.float16)


@mutant("P19", "with seed 0, in bfloat16 it is not what the reference gives")
class LosesAllInBfloat16(ReferenceLaws):
    dtypes = ("bfloat16",)
    cls = called(lambda self, x: Node.__call__(self, (x + 256) - 256 if x.dtype == jnp.bfloat16 else x))


@mutant("P7", "`output 0`", "in float64 it is float32", "fixed dtype")
class FixedDtype(ReferenceLaws):
    dtypes = ("float64",)
    cls = called(lambda self, x: Node.__call__(self, x).astype(jnp.float32))


@mutant("P7", "`output 0`", "in float16 it is", "what 16 bits cannot hold")
class TooLargeForFloat16(NodeLaws):
    dtypes = ("float16",)
    cls = called(lambda self, x: Node.__call__(self, x) * 1e6)


@mutant("P7", "at `call`: the class in float16 raised", "no halves")
class RefusesFloat16(NodeLaws):
    dtypes = ("float16",)

    cls = called(lambda self, x: _whole(self, x))


def _whole(self, x):
    if x.dtype == jnp.float16:
        raise ValueError("no halves")
    return Node.__call__(self, x)


@mutant(
    "P7", "in float16 it is not what it is in float32", "and 0.0078 is allowed", "`tolerance` allows more"
)
class AnotherWayInFloat16(NodeLaws):
    dtypes = ("float16",)
    cls = called(lambda self, x: Node.__call__(self, x + (x.dtype == jnp.float16)))
