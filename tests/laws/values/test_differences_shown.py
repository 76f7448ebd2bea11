"""What a message shows of two results that differ: few numbers, and of a large array where they differ most."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from right.specimens import PytreeLaws, sample

from tests.laws.seen_broken import broken


class Growing(eqx.Module):
    """Gives something else each time that it is called."""

    weight: jax.Array
    calls: list[int] = eqx.field(static=True, default_factory=list)

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls.append(0)
        return (self.weight * x).at[-1].add(len(self.calls))


def suite(size: int) -> PytreeLaws:
    class GrowingLaws(PytreeLaws):
        def build(self, seed):
            return Growing(sample(seed, (size,)))

        def arguments(self, seed):
            return (jnp.ones(size),)

        def call(self, instance, x):
            return instance(x)

    return GrowingLaws()


@pytest.mark.parametrize(("size", "is_whole"), [(3, True), (40, False)])
def test_it_shows_small_arrays_whole_and_of_large_ones_the_element_that_differs_most(size, is_whole):
    message = str(broken(suite(size), "p12_calls_do_not_depend_on_earlier_calls"))
    assert ("at [39] of [40]" in message) is not is_whole and len(message) < 700
