"""What a method may be said to carry."""

from typing import Any

import equinox as eqx
import jax
import pytest
from flax import nnx
from seen_broken import broken, hold, suite_of

from pytree_laws import Method, PytreeLaws, sample
from pytree_laws.kinds.nnx.variables import assign

TEST = "p11_methods_carry_their_argument"


class Recurrence(eqx.Module):
    weight: jax.Array

    def step(self, hidden: jax.Array, x: jax.Array) -> jax.Array:
        return self.weight * hidden + x


class Laws(PytreeLaws):
    under_test: type = Recurrence

    def build(self, **inputs: Any) -> Any:
        return Recurrence(sample(0, (3,)))


def of_carry(**said: Any) -> type[Laws]:
    method = Method("step", lambda seed: (sample(seed + 1, (3,)), sample(seed + 2, (3,))), **said)
    return type("OfCarry", (Laws,), {"methods": (method,)})


def test_it_is_a_position_among_the_arguments() -> None:
    hold(suite_of(of_carry(carry=0), Recurrence), TEST)
    found = broken(suite_of(of_carry(carry=5), Recurrence), TEST)
    assert found.what == "the suite says that it is carried, and the example has 2 arguments"


@pytest.mark.parametrize("carry", [-1, True, "hidden"])
def test_anything_else_is_refused(carry: Any) -> None:
    with pytest.raises(ValueError, match='write "self", the position of an argument, or leave it out'):
        of_carry(carry=carry)


def test_a_method_that_needs_values_is_not_traced() -> None:
    with pytest.raises(pytest.skip.Exception, match="no method carries an argument"):
        hold(suite_of(of_carry(carry=0, traced=False), Recurrence), TEST)


class Keyed(nnx.Module):
    def __init__(self) -> None:
        self.parts = nnx.data({1: jax.numpy.ones(2), 2: jax.numpy.zeros(3)})
        self.pair = nnx.data((jax.numpy.ones(2), jax.numpy.zeros(3)))


def test_an_array_is_assigned_by_its_key_and_in_a_tuple_by_its_place() -> None:
    module = Keyed()
    assign(module, {"parts.1": jax.numpy.full(2, 5.0), "pair.1": jax.numpy.full(3, 7.0)})
    assert float(module.parts[1][0]) == 5.0 and float(module.parts[2][0]) == 0.0
    assert float(module.pair[0][0]) == 1.0 and float(module.pair[1][0]) == 7.0
