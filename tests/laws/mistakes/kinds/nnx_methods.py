"""Mistakes in methods of NNX modules, which may update the state, each with the form that is right."""

import jax.numpy as jnp
from flax import nnx
from harness.nnx_modules import Var
from harness.pairs import further

from mistakes.kinds.nnx import Counter, CounterLaws
from pytree_laws import Method, Output, sample


class Observer(Counter):
    """Says how often it was called, with or without noise, and counts what it is only shown."""

    def __init__(self, rngs):
        super().__init__(rngs)
        self.noise = nnx.Dropout(0.5, rngs=rngs)

    def share(self, x):
        return self.calls[...] / (self.calls[...] + 1) * x

    def noisy(self, x):
        return self.noise(self.scale[...] * x)

    def observe(self, x):
        self.calls[...] += jnp.sum(x)
        return self.calls[...] * x


def _shown(seed):
    return (sample(seed, (3,)),)


class ObserverLaws(CounterLaws):
    variables = (*CounterLaws.variables, Var("noise", nnx.Module))
    methods = (
        Method("share", _shown, returns=(Output((3,)),)),
        Method("noisy", _shown, returns=(Output((3,)),)),
        Method("observe", _shown, returns=(Output((3,)),), updates=("calls",)),
    )


def of_observer(title, *words, **body):
    name = "Wrong" + "".join(map(str.capitalize, title.split()[:4]))
    wrong = type(name, (Observer,), {"__module__": __name__, **body})
    further("P12", title, wrong, Observer, *words, base=ObserverLaws)


def _corrects(self, x):
    self.calls[...] = self.calls[...] / (self.calls[...] + 1)
    return self.calls[...] * x


def _scales(self, x):
    self.scale[...] = self.scale[...] * 0.5
    return self.noise(self.scale[...] * x)


of_observer("a method that corrects what it is asked for", "`share`", "it updates `calls`", share=_corrects)
of_observer("a method that scales its parameter in place", "`noisy`", "it updates `scale`", noisy=_scales)
of_observer("a method that counts on a copy", "`observe`", "it declares that it updates `calls`",
    observe=lambda self, x: (self.calls[...] + jnp.sum(x)) * x)  # fmt: skip


def _renews(self, x):
    self.calls = nnx.BatchStat(self.calls[...] + jnp.sum(x))
    return self.calls[...] * x


of_observer(
    "a method that puts another Variable in its place", "`calls`", "`observe` put another", observe=_renews
)
