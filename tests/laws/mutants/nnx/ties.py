"""Mutants for the ties of NNX modules: a table that is read twice, once transposed."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import itertools

import jax
import jax.numpy as jnp
from flax import nnx
from harness.nnx_modules import SizedLaws, Var, mutant

TRACES = itertools.count(1)


class TiedTable(nnx.Module):
    """One table at the input and, transposed, at the output."""

    def __init__(self, size, *, rngs):
        self.table = nnx.Param(jax.random.normal(rngs.params(), (size, size), jnp.float32))

    @property
    def head(self):
        return self.table[...].T

    def __call__(self, x):
        return jnp.tanh(x @ self.table[...]) @ self.head


class TiedTableLaws(SizedLaws):
    cls = TiedTable
    variables = (Var("table", nnx.Param, (3, 3), std=1.0),)
    ties = {"head": "table"}
    drawn = ("table",)


@mutant("P2", "`head`", "declared as tied to `table`, it is stored itself")
class StoredTwice(TiedTableLaws):
    variables = (*TiedTableLaws.variables, Var("second", nnx.Param, (3, 3)))

    class cls(TiedTable):
        head = None

        def __init__(self, size, *, rngs):
            super().__init__(size, rngs=rngs)
            self.head = nnx.Param(jnp.array(self.table[...].T))


@mutant("P2", "declared as the Variable of `head`; the Variables are ['table']")
class NoSuchVariable(TiedTableLaws):
    ties = {"head": "embedding"}


@mutant("P9", "`head`", "no gradient comes through it")
class TieCutOff(TiedTableLaws):
    class cls(TiedTable):
        @property
        def head(self):
            return jax.lax.stop_gradient(self.table[...].T)


@mutant("P9", "its Variable has the gradient", "its uses")
class TieAndCount(TiedTableLaws):
    class cls(TiedTable):
        def __call__(self, x):
            return (jnp.tanh(x @ self.table[...]) @ self.head) * next(TRACES)


@mutant("P13", "`head`", "after an edit it is", "read the array in a property")
class TieCached(TiedTableLaws):
    class cls(TiedTable):
        @property
        def head(self):
            if not hasattr(self, "_head"):
                self._head = nnx.Cache(jnp.array(self.table[...].T))
            return self._head[...]


@mutant("P13", "`head`", "and no array", "a property that reads what is stored")
class TieIsNone(TiedTableLaws):
    class cls(TiedTable):
        @property
        def head(self):
            return None

        def __call__(self, x):
            return x @ self.table[...]
