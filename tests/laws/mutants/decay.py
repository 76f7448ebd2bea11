"""Mutants for P16: what weight decay moves."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import mutant
from right.specimens import Leaf

from mutants.training import BufferLaws, Marked


class Decaying(Marked):
    """Its bias-like table is trained, and does not decay."""

    def trainable(self):
        return jax.tree.map(eqx.is_inexact_array, self)

    def decayed(self):
        return eqx.tree_at(lambda tree: tree.table, self.trainable(), False)


class DecayLaws(BufferLaws):
    """A right class."""

    cls = Decaying
    leaves = (Leaf("weight", "param", (3,)), Leaf("table", "param", (3,)))
    undecayed = ("table",)


class Decayed(Decaying):
    decayed = Decaying.trainable


@mutant("P16", "`decayed`", "on a fresh instance it selects ['table', 'weight'], wanted is ['weight']")
class AllDecays(DecayLaws):
    cls = Decayed


class Shifted(Decaying):
    shift: jax.Array

    def __call__(self, x):
        return super().__call__(x) + jax.lax.stop_gradient(self.shift)

    def trainable(self):
        return eqx.tree_at(lambda tree: tree.shift, super().trainable(), False)

    def decayed(self):
        moved = self.shift.size > 0
        return eqx.tree_at(lambda tree: tree.table, self.trainable(), not moved)


@mutant("P16", "decayed", "on its trained leaves alone it raised")
class DecayByALeafThatIsNotTrained(DecayLaws):
    """An optimiser has the weights alone."""

    cls = Shifted
    leaves = (*DecayLaws.leaves, Leaf("shift", "buffer", (3,)))

    def build(self, weight):
        return Shifted(jnp.array(weight), jnp.ones(3, weight.dtype), jnp.ones(3, weight.dtype))


@mutant("P16", "decay_mask", "of a tree that holds it it raised")
class AMaskOfTheModelAlone(DecayLaws):
    """optax gives it the whole tree of parameters."""

    decay_mask = staticmethod(lambda tree: tree.decayed())
