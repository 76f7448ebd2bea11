"""Mutants for P22: scans over stacked layers that are another function than the loop."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import mutant
from right.specimens import Leaf, Output, PytreeLaws, sample

from pytree_laws import unstacked


class Layer(eqx.Module):
    weight: jax.Array

    def __init__(self, key, dtype):
        self.weight = jax.random.normal(key, (2, 2), dtype)

    def __call__(self, x):
        return jnp.tanh(self.weight @ x) + x


class Tower(eqx.Module):
    """Three layers behind each other."""

    layers: Layer

    def __init__(self, key, dtype=jnp.float32):
        self.layers = eqx.filter_vmap(lambda key: Layer(key, dtype))(jax.random.split(key, 3))

    def __call__(self, x):
        x, _ = jax.lax.scan(lambda x, layer: (layer(x), None), x, self.layers)
        return x


class TowerLaws(PytreeLaws):
    """A right class."""

    cls = Tower
    leaves = (Leaf("layers", "module"),)
    stacked = ("layers",)
    drawn = ("layers",)
    returns = (Output((2,)),)

    def build(self, key):
        return self.cls(key)

    def arguments(self, seed):
        return (sample(seed, (2,)),)

    def loop(self, instance, x):
        for layer in unstacked(instance.layers):
            x = layer(x)
        return x


class Reversed(Tower):
    def __call__(self, x):
        x, _ = jax.lax.scan(lambda x, layer: (layer(x), None), x, self.layers, reverse=True)
        return x


@mutant("P22", "call", "the scan gives")
class LayersInAnotherOrder(TowerLaws):
    cls = Reversed


class Short(Tower):
    def __call__(self, x):
        layers = jax.tree.map(lambda leaf: leaf[:-1], self.layers)
        x, _ = jax.lax.scan(lambda x, layer: (layer(x), None), x, layers)
        return x


@mutant("P22", "call", "the scan gives")
class ALayerTooFew(TowerLaws):
    cls = Short


class Forgetful(Tower):
    def __call__(self, x):
        _, each = jax.lax.scan(lambda carry, layer: (carry, layer(x)), x, self.layers)
        return each[-1]


@mutant("P22", "call", "the scan gives")
class NothingIsCarried(TowerLaws):
    cls = Forgetful


class CutOff(Tower):
    def __call__(self, x):
        def step(x, layer):
            return jax.lax.stop_gradient(x) + layer(x) - x, None

        x, _ = jax.lax.scan(step, x, self.layers)
        return x


@mutant("P22", "layers.weight", "through the scan and")
class AGradientThatIsCutOff(TowerLaws):
    cls = CutOff


class Alike(Tower):
    def __init__(self, key, dtype=jnp.float32):
        keys = jnp.stack([key, key, key])
        self.layers = eqx.filter_vmap(lambda key: Layer(key, dtype))(keys)


@mutant("P22", "layers.weight", "all 3 layers hold the same values, which the key draws")
class OneKeyForAllLayers(TowerLaws):
    cls = Alike


@mutant("P22", "call", "the gradient of the call, or of the loop, raised")
class ALoopThatRaises(TowerLaws):
    def loop(self, instance, x):
        return unstacked(instance.layer)
