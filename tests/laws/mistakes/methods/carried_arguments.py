"""Mistakes in methods that give the next value of an argument, as a step of a recurrence does."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import sample

from pytree_laws import Method


class Stepped(eqx.Module):
    """A recurrence of which one step is taken at a time."""

    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def step(self, hidden, x):
        hidden = self.weight * hidden + x
        return hidden, jnp.tanh(hidden)


class SteppedLaws(Weighted):
    methods = (Method("step", lambda seed: (sample(seed + 5, (3,)), sample(seed + 6, (3,))), carry=0),)


def of_step(title, *words, **body):
    """A pair of a step that is wrong, and of the right one."""
    name = "Wrong" + "".join(map(str.capitalize, title.split()[:4]))
    wrong = type(name, (Stepped,), {"__module__": __name__, **body})
    further("P11", title, wrong, Stepped, *words, base=SteppedLaws)


of_step("a step whose next state has an axis less", "`step, argument 0`", "its new value is",
    step=lambda self, hidden, x: (jnp.sum(self.weight * hidden + x), jnp.tanh(x)))  # fmt: skip
of_step("a step whose next state is wider", "`step, argument 0`", "its new value is",
    step=lambda self, hidden, x: ((self.weight * hidden + x).astype(jnp.complex64), jnp.tanh(x)))  # fmt: skip
of_step("a step that gives back the state it was given", "`step, argument 0`", "the new carry is the old one",
    step=lambda self, hidden, x: (hidden, jnp.tanh(self.weight * hidden + x)))  # fmt: skip
of_step("a step whose next state has another structure", "`step, argument 0`", "another structure",
    step=lambda self, hidden, x: ({"hidden": self.weight * hidden + x}, jnp.tanh(x)))  # fmt: skip
