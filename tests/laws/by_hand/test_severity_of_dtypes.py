"""How much a dtype matters that is not the one that a class was given."""

import jax
import jax.numpy as jnp
import pytest

from by_hand.test_severity import Casts, severities
from pytree_laws import Leaf, check_pytree, sample
from pytree_laws.report import ADVICE, FAULT

WEAK = (Leaf("weight", "param", (), "float32"),)


class Mixes(Casts):
    """A table of float32 meets what it is given."""

    def __call__(self, x):
        return self.weight * x * jnp.ones(3, jnp.float32)


class Widens(Casts):
    """It computes in float32 by its own word, with what it holds in bfloat16."""

    def __call__(self, x):
        return self.weight * x.astype(jnp.float32)


class WidensAndMixes(Casts):
    """A table of float32 beside a cast."""

    def __call__(self, x):
        return self.weight * x.astype(jnp.float32) * jnp.ones(3, jnp.float32)


class MixesByDefault(Casts):
    """A table of the default dtype meets what it is given."""

    def __call__(self, x):
        return self.weight * x * jnp.ones(3)


class Constant(Casts):
    """An output that is of float32 whatever it is given."""

    def __call__(self, x):
        return self.weight * x, jnp.zeros(())


class Turns(Casts):
    """It computes with complex numbers."""

    def __call__(self, x):
        return jnp.abs(jnp.exp(1j * self.weight) * x)


@pytest.mark.parametrize(
    ("cls", "severity"),
    [
        (Casts, ADVICE),
        (Mixes, FAULT),
        (Constant, FAULT),
        (Turns, ADVICE),
        (Widens, ADVICE),
        (WidensAndMixes, FAULT),
    ],
)
def test_a_cast_out_of_bfloat16_may_be_meant(cls, severity):
    found = severities(lambda seed: cls(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p07_bfloat16_in_bfloat16_out"] == severity


def test_bfloat16_is_no_matter_where_jax_was_switched_to_64_bits():
    with jax.enable_x64(True):
        found = severities(
            lambda seed: MixesByDefault(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),)
        )
    assert found["test_p07_bfloat16_in_bfloat16_out"] == ADVICE


def test_an_array_that_was_made_before_jax_was_switched_to_64_bits_has_its_dtype():
    made_before = jnp.asarray(1.0)
    with jax.enable_x64(True):
        report = check_pytree(
            lambda seed: Casts(made_before + 0), lambda seed: (sample(seed, (3,)),), leaves=WEAK
        )
    assert not [finding for finding in report.findings if finding.law.number == "P2"]


class Narrow(Casts):
    """It takes one dtype, and says so."""

    def __call__(self, x):
        if x.dtype != jnp.float32:
            raise ValueError("x is to be float32")
        return self.weight * x


def test_a_dtype_that_a_class_refuses_in_its_own_words_is_no_finding():
    found = severities(lambda seed: Narrow(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert "test_p07_bfloat16_in_bfloat16_out" not in found
