"""Methods and factories that ask for values, which no trace has."""

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from seen_broken import broken

from by_hand.test_severity import severity_of
from by_hand.test_severity_of_methods import laws_of
from pytree_laws import Method, sample
from pytree_laws.report import ADVICE, FAULT


class Summed(eqx.Module):
    """Factories that keep a number of Python, and a method that asks for one."""

    weight: jax.Array
    total: float = 0.0

    def __call__(self, x):
        return self.weight * x

    @classmethod
    def counted(cls, size=3):
        weight = jnp.arange(1.0, size + 1)
        return cls(weight, float(jnp.sum(weight)))

    @classmethod
    def of_data(cls, weight):
        return cls(weight, float(jnp.sum(weight)))

    @classmethod
    def drawn(cls, key):
        weight = jax.random.normal(key, (3,))
        return cls(weight, float(jnp.sum(weight)))

    @staticmethod
    def length(weight):
        return jnp.sum(weight) / float(weight[0])

    def is_within(self, bound):
        """A check on the host."""
        return bool(jnp.max(self.weight) < bound[0])


@pytest.mark.parametrize(
    ("name", "arguments", "severity"),
    [
        ("is_within", lambda seed: (sample(seed, (3,)),), ADVICE),
        ("counted", lambda seed: (), ADVICE),
        ("of_data", lambda seed: (sample(seed, (3,)),), ADVICE),
        ("drawn", lambda seed: (jax.random.key(seed),), FAULT),
        ("length", lambda seed: (sample(seed, (3,)),), FAULT),
    ],
)
def test_a_factory_may_ask_for_values_as_a_constructor_may(name, arguments, severity):
    suite = laws_of(Summed, methods=(Method(name, arguments),))
    assert severity_of("test_p07_methods_can_be_traced", suite) == severity


class Asserting(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def checked(self, x):
        chex.assert_trees_all_close(x, x)
        return self.weight * x


def test_an_assertion_on_values_is_named_with_what_a_spec_says_of_it():
    suite = laws_of(Asserting, methods=(Method("checked", lambda seed: (sample(seed, (3,)),)),))
    finding = broken(suite(), "p07_methods_can_be_traced")
    assert "an assertion" in finding.hint and "traced=False" in finding.hint
    assert 'in a spec `[test]` with `skip = ["p07_methods_can_be_traced: the reason"]`' in finding.hint
