"""A call that works alone, and raises by an error of its own where it is traced, is a call, of which P7 tells."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import equinox as eqx
import jax
import jax.numpy as jnp


class SoftMap(eqx.Module):
    temperature: jax.Array

    def q(self, values: jax.Array) -> jax.Array:
        """`values` has shape `(A, S)`."""
        if isinstance(values, jax.core.Tracer):
            raise RuntimeError("it is for values alone")
        if values.ndim != 2:
            raise AssertionError("it has two axes")
        return jax.nn.softmax(values / self.temperature.sum(), axis=0)


class Ring(eqx.Module):
    after: jax.Array

    def walk(self, v: int) -> jax.Array:
        """The ring that `v` is in. Not jittable (the output length is data-dependent)."""
        path = [int(self.after[v])]
        while len(path) < self.after.shape[0]:
            path.append(int(self.after[path[-1]]))
        return jnp.array(path)
'''
asked = asked_of("eager_calls", SOURCE)


def test_what_raises_in_a_trace_alone_is_called(asked: Asked) -> None:
    found = asked.adopt("SoftMap")
    assert (found["called"], found["method"]) == (True, "q")


@pytest.mark.slow
def test_a_method_that_is_not_for_compiled_programs_is_not_the_call(asked: Asked) -> None:
    found = asked.adopt("Ring")
    assert (found["called"], found["methods"]) == (False, [])
