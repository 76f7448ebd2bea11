"""Advice breaks no law: what rests on the law that gave it is told all the same, and what rests on a fault is not."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.runner import run
from right.specimens import PytreeLaws, sample


class Norm(eqx.Module):
    """A round trip adds an attribute, since `eps` is not stored."""

    scale: jax.Array
    eps: float = eqx.field(static=True, default=1e-6)

    def __init__(self, scale):
        self.scale = scale


class Outer(eqx.Module):
    """Its call gives float32 for bfloat16."""

    norm: Norm

    def __init__(self, scale):
        self.norm = Norm(scale)

    def __call__(self, x):
        return self.norm.scale * x * jnp.ones(x.shape)


class OuterLaws(PytreeLaws):
    def build(self, seed):
        return Outer(sample(seed, (3,)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


def test_what_rests_on_the_law_of_an_advice_is_told():
    outcome = run(OuterLaws)
    assert "severity: advice" in outcome["P3"][0]
    assert "with bfloat16 leaves and arguments it is float32" in outcome["P7"][0]
