"""Mistakes that show where a counter is no more that of the start, in methods of which none is repeated."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import Leaf, Output, sample

from mistakes.values.numbers import record_of_the_right_form
from pytree_laws import Method


class Ring(eqx.Module):
    """The last two vectors, the oldest of which is overwritten."""

    rows: jax.Array
    written: jax.Array
    newest_first: bool = eqx.field(static=True)

    def __call__(self, x):
        return x * jnp.sum(self.rows, axis=0)

    def place(self):
        return self.written % self.rows.shape[0]

    def added(self, row):
        rows = self.rows.at[self.place()].set(row)
        return type(self)(rows, self.written + 1, self.newest_first)

    def ordered(self):
        rows = jnp.roll(self.rows, -self.place(), axis=0)
        return jnp.flip(rows, axis=0) if self.newest_first else rows

    def trainable(self):
        return jax.tree.map(lambda _: False, self)


class WrapsElsewhere(Ring):
    def added(self, row):
        rows = self.rows.at[self.written % self.rows.shape[1]].set(row)
        return type(self)(rows, self.written + 1, self.newest_first)


class FlipsTheRows(Ring):
    def ordered(self):
        return jnp.flip(self.rows, axis=0) if self.newest_first else super().ordered()


class RingLaws(Weighted):
    leaves = (Leaf("rows", "data", (2, 3)), Leaf("written", "data", (), "int32", value=0))
    static = {"newest_first": False}
    methods = (
        Method("added", lambda seed: (sample(seed + 4, (3,)),), keeps=("newest_first",)),
        Method("ordered", returns=(Output((2, 3)),)),
    )
    skips = ("trivial_subclass",)
    right: Any = Ring

    def inputs(self, seed):
        return {"rows": sample(seed, (2, 3)), "newest_first": False}

    def build(self, rows, newest_first=False):
        return self.cls(jnp.array(rows), jnp.zeros((), jnp.int32), newest_first)

    def recorded(self):
        return record_of_the_right_form(self)


further(
    *("P19", "a counter that wraps at another size", WrapsElsewhere, Ring),
    *("(of its methods after several uses)", "added after 2 of `added`"),
    base=RingLaws,
)
further(
    *("P19", "an order behind a flag that forgets the counter", FlipsTheRows, Ring),
    *("(of its methods after several uses)", "after 1 of `added`"),
    base=RingLaws,
)
