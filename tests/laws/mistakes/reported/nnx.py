"""Mistakes with NNX modules that people really make, and beside each the form that is right."""

import jax
import jax.numpy as jnp
from flax import nnx
from harness.nnx_modules import Var, VectorLaws


def drawn(rngs):
    return jax.random.normal(rngs.params(), (3,), jnp.result_type(float))


class OneParam(VectorLaws):
    """A suite of modules with one parameter, in `cls`."""

    variables = (Var("scale", nnx.Param, (3,)),)


class Scale(nnx.Module):
    def __init__(self, rngs):
        self.scale = nnx.Param(drawn(rngs))

    def __call__(self, x):
        return self.scale[...] * x


class ScaleLaws(OneParam):
    cls = Scale


# Modules and Variables in plain lists.


class Layers(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.List([Scale(rngs), Scale(rngs)])

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class PlainLayers(Layers):
    def __init__(self, rngs):
        self.layers = [Scale(rngs), Scale(rngs)]


class LayerLaws(OneParam):
    cls = Layers
    variables = (Var("layers", nnx.Module),)


class PlainList(LayerLaws):
    cls = PlainLayers


class Weights(nnx.Module):
    def __init__(self, rngs):
        self.weights = nnx.List([])
        self.add(rngs)
        self.add(rngs)

    def add(self, rngs):
        self.weights.append(nnx.Param(drawn(rngs)))

    def __call__(self, x):
        for weight in self.weights:
            x = weight[...] * x
        return x


class LateWeights(Weights):
    def __init__(self, rngs):
        self.weights = []


class ListLaws(OneParam):
    cls = Weights
    variables = (Var("weights", nnx.Param, below=True),)


class AppendedLater(ListLaws):
    def build(self, rngs):
        module = LateWeights(rngs)
        module.add(rngs)
        module.add(rngs)
        return module


# A weight that is no Param.


class PlainWeight(Scale):
    def __init__(self, rngs):
        self.scale = drawn(rngs)

    def __call__(self, x):
        return self.scale * x


class ArrayInNoVariable(OneParam):
    cls = PlainWeight


# A call that updates a Variable, under the transformations of jax and of Flax.


class Counter(Scale):
    def __init__(self, rngs):
        super().__init__(rngs)
        self.calls = nnx.BatchStat(jnp.zeros((), jnp.result_type(float)))

    def count(self):
        self.calls[...] += 1


class CountsInJaxJit(Counter):
    """The module that jax.jit is given is a copy, and so is what it updates."""

    def __call__(self, x):
        jax.jit(lambda module: module.count())(self)
        return super().__call__(x)


class CountsByClosure(Counter):
    """The module is closed over, and belongs to another level of tracing."""

    def __call__(self, x):
        nnx.jit(lambda: self.count())()
        return super().__call__(x)


_counted = nnx.jit(Counter.count)


class CountsInNnxJit(Counter):
    def __call__(self, x):
        _counted(self)
        return super().__call__(x)


class CountLaws(OneParam):
    cls = CountsInNnxJit
    variables = (*OneParam.variables, Var("calls", nnx.BatchStat, ()))
    updates = ("calls",)


class MutationLost(CountLaws):
    cls = CountsInJaxJit


class MutationByClosure(CountLaws):
    cls = CountsByClosure


# Maps over Variables, and snapshots of them.


def _mapped(functions, tree, **how):
    def mapped(node):
        if not isinstance(node, nnx.Variable):
            return node
        kind = next((kind for kind in type(node).__mro__ if kind in functions), None)
        value = node.get_value()
        return node.replace(value if kind is None else functions[kind](value))

    return jax.tree.map(mapped, nnx.state(tree) if isinstance(tree, nnx.Module) else tree, **how)


def map_leaves(functions, tree):
    """Meets the arrays, and never a Variable."""
    return _mapped(functions, tree)


def map_variables(functions, tree):
    return _mapped(functions, tree, is_leaf=lambda node: isinstance(node, nnx.Variable))


class Follows(Counter):
    """Its snapshot holds the Variables of the module."""

    def __call__(self, x):
        self.count()
        return super().__call__(x)

    def snapshot(self):
        return nnx.state(self)

    def restore(self, state):
        nnx.update(self, state)


class Stands(Follows):
    def snapshot(self):
        return map_variables({}, self)

    def restore(self, state):
        if jax.tree.structure(nnx.state(self)) != jax.tree.structure(state):
            raise ValueError("the state has other paths")
        pairs = zip(*map(jax.tree.leaves, (nnx.state(self), state)), strict=True)
        if any((a.shape, a.dtype) != (b.shape, b.dtype) for a, b in pairs):
            raise ValueError("the state has other shapes or dtypes")
        nnx.update(self, state)


class SnapshotStands(CountLaws):
    cls = Stands
    map_variables = staticmethod(map_variables)


class SnapshotFollows(CountLaws):
    cls = Follows


class MapsLeaves(CountLaws):
    cls = Stands
    map_variables = staticmethod(map_leaves)
