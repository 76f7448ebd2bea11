"""More layers of equinox.nn. `skips` says which laws a layer breaks on purpose, with the reason beside it."""

import equinox as eqx
import jax

from right.specimens import Leaf, LibraryLaws, Output, sample


class ConvLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (3, 2, 2)), Leaf("bias", "param", (3, 1)))
    returns = (Output((3, 4)),)
    shape = (2, 5)
    layer = staticmethod(lambda key: eqx.nn.Conv1d(2, 3, 2, key=key))


class TransposedLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (3, 2, 2, 2)), Leaf("bias", "param", (3, 1, 1)))
    returns = (Output((3, 4, 5)),)
    shape = (2, 3, 4)
    layer = staticmethod(lambda key: eqx.nn.ConvTranspose2d(2, 3, 2, key=key))


class GroupNormLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (4,), value=1), Leaf("bias", "param", (4,), value=0))
    returns = (Output((4, 3)),)
    shape = (4, 3)
    layer = staticmethod(lambda key: eqx.nn.GroupNorm(2, 4))


class RMSNormLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (3,), value=1), Leaf("bias", "param", (3,), value=0))
    returns = (Output((3,)),)
    layer = staticmethod(lambda key: eqx.nn.RMSNorm(3))


class PReLULaws(LibraryLaws):
    leaves = (Leaf("negative_slope", "param", (), value=0.25),)
    returns = (Output((3,)),)
    # Its slope is made from a Python number, and loses its weak type in the first step.
    # `init_alpha` is annotated as optional, and None raises what jax says of it.
    skips = ("p05_no_leaf_is_weakly_typed", "p06_one_trace", "p09_steps_keep", "p01_builds_in_each")
    layer = staticmethod(lambda key: eqx.nn.PReLU())


class SequentialLaws(LibraryLaws):
    leaves = (Leaf("layers", "module"),)
    returns = (Output((2,)),)
    tuples = ("layers",)
    layer = staticmethod(
        lambda key: eqx.nn.Sequential([eqx.nn.Linear(3, 2, key=key), eqx.nn.Lambda(jax.nn.relu)])
    )


class PoolLaws(LibraryLaws):
    returns = (Output((2, 2)),)
    shape = (2, 4)
    layer = staticmethod(lambda key: eqx.nn.AvgPool1d(2, 2))
    # Its `init` and `operation` are a number and a function of jax.
    leaves = (Leaf("init", "python"), Leaf("operation", "python"))


class IdentityLaws(LibraryLaws):
    returns = (Output((3,)),)
    layer = staticmethod(lambda key: eqx.nn.Identity())


class BatchNormLaws(LibraryLaws):
    """Its state lies outside, behind an index."""

    leaves = (
        Leaf("weight", "param", (3,), value=1),
        Leaf("bias", "param", (3,), value=0),
        *(Leaf(name, "python") for name in ("axis_name", "inference")),
    )
    carry = 1

    def build(self, key):
        return self.pair()[0]

    def pair(self):
        return eqx.nn.make_with_state(eqx.nn.BatchNorm)(3, "batch", mode="ema")

    def arguments(self, seed):
        return sample(seed, (4, 3)), self.pair()[1]

    def call(self, layer, rows, state):
        mapped = jax.vmap(layer, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
        return mapped(rows, state)[::-1]


class WeightNormLaws(LibraryLaws):
    leaves = (Leaf("layer", "module"), Leaf("g", "param", (2, 1)), Leaf("_norm", "python"))
    returns = (Output((2,)),)
    # A partial is among its leaves, a new one in each instance.
    skips = ("p06_one_trace", "p14_save_and_load")
    layer = staticmethod(lambda key: eqx.nn.WeightNorm(eqx.nn.Linear(3, 2, key=key)))


class RotaryLaws(LibraryLaws):
    """Its tables are made in the call, and cached in the module for each size and dtype."""

    returns = (Output((3, 4)),)
    shape = (3, 4)
    layer = staticmethod(lambda key: eqx.nn.RotaryPositionalEmbedding(4))


class EmptyLaws(LibraryLaws):
    """A layer of no outputs: its arrays have no elements, so that no draw, edit, gradient or step can show."""

    leaves = (Leaf("weight", "param", (0, 3), std=0.3333), Leaf("bias", "param", (0,), std=0.3333))
    returns = (Output((0,)),)
    drawn = ("weight", "bias")
    layer = staticmethod(lambda key: eqx.nn.Linear(3, 0, key=key))


class EmptyLayerLaws(LibraryLaws):
    """A sub-module of no outputs, beside one of several."""

    leaves = (Leaf("layers", "module"),)
    returns = (Output((2,)),)
    drawn = ("layers",)
    layer = staticmethod(
        lambda key: eqx.nn.Sequential(
            [
                eqx.nn.Linear(3, 0, key=jax.random.fold_in(key, 0)),
                eqx.nn.Linear(0, 2, key=jax.random.fold_in(key, 1)),
            ]
        )
    )


GOOD = [
    suite
    for suite in list(vars().values())
    if isinstance(suite, type) and issubclass(suite, LibraryLaws) and suite.__module__ == __name__
]
