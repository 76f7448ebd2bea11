"""Mutants for P18: arrays bound to a device, calls that other platforms lack."""

import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import NodeLaws, mutant, node


@mutant("P18", "`weight`", "is committed to a device", "no `device_put` in the class")
class PutOnADevice(NodeLaws):
    def build(self, weight, bias, scale):
        return self.cls(jax.device_put(weight, jax.devices()[0]), jnp.array(bias), scale)


def _moved(self, x):
    return jax.device_put(self.weight * x * self.scale + self.bias, jax.devices("cpu")[0])


@mutant("P18", "`output", "is committed to a device")
class ResultPutOnADevice(NodeLaws):
    cls = node(__call__=_moved)


def _schur(self, x):
    return self.weight * x * self.scale + self.bias + jax.scipy.linalg.schur(jnp.outer(x, x))[0][0]


@mutant("P18", "`call`", "`tpu` has no primitive `schur`")
class OnCpuAlone(NodeLaws):
    cls = node(__call__=_schur)
    lower_for = ("cpu", "tpu")


def _host(x):
    return np.sin(x)


@jax.custom_jvp
def _sine(x):
    return jax.pure_callback(_host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@_sine.defjvp
def _sine_jvp(primals, tangents):
    return _sine(*primals), jax.pure_callback(np.cos, primals[0], primals[0]) * tangents[0]


def _called_back(self, x):
    return self.weight * _sine(x) * self.scale + self.bias


@mutant("P18", "`call`", "lowering for cuda raised")
class AsksTheHost(NodeLaws):
    cls = node(__call__=_called_back)
    lower_for = ("cuda",)


@jax.custom_jvp
def _smooth(x):
    return jnp.tanh(x)


@_smooth.defjvp
def _smooth_jvp(primals, tangents):
    slope = jax.scipy.linalg.schur(jnp.diag(1 - jnp.tanh(primals[0]) ** 2))[0]
    return _smooth(*primals), jnp.diag(slope) * tangents[0]


def _smoothed(self, x):
    return _smooth(self.weight) * x * self.scale + self.bias


@mutant("P18", "`gradient of the call`", "`cuda` has no primitive `schur`", "`rocm` has no primitive `schur`")
class GradientOnCpuAlone(NodeLaws):
    cls = node(__call__=_smoothed)
    lower_for = ("cuda", "rocm")
