"""Advice breaks no law: what rests on the law that gave it is told all the same."""

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import check_pytree, sample
from pytree_laws.report import ADVICE


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


def test_what_rests_on_the_law_of_an_advice_is_told():
    report = check_pytree(lambda seed: Outer(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    told = {finding.law.number: finding for finding in report.findings}
    assert told["P3"].severity == told["P7"].severity == ADVICE
    assert "with bfloat16 leaves and arguments it is float32" in told["P7"].what
    assert "it rests on P3, which is broken" not in report.skipped.values()
