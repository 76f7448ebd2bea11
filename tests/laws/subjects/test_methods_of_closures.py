"""Closures in bfloat16, and methods of theirs that call the closure, whose example says dtypes."""

import jax
import jax.numpy as jnp
from mistakes.kinds.closures import Rate, RateLaws, SinglePrecision

from pytree_laws import Method, Output
from tests.laws.seen_broken import broken, hold

IN_BFLOAT16 = "p07_methods_in_bfloat16_give_bfloat16"


class Descending(Rate):
    def descended(self, x: jax.Array) -> jax.Array:
        return x - 0.1 * jax.grad(lambda x: self(x).sum())(x)

    def widened(self, x: jax.Array) -> jax.Array:
        return self.descended(x) + jnp.zeros(x.shape, jnp.float32)


def suite(method: str) -> RateLaws:
    given = Method(method, lambda seed: RateLaws().arguments(seed), returns=(Output(None),))
    return type("TestDescending", (RateLaws,), {"cls": Descending, "methods": (given,)})()


def test_they_are_tried_on_a_closure_of_an_example_in_bfloat16() -> None:
    hold(suite("descended"), IN_BFLOAT16)
    finding = broken(suite("widened"), IN_BFLOAT16)
    assert "with bfloat16 leaves and arguments it is float32" in str(finding)


def test_a_call_that_leaves_bfloat16_is_advice_as_a_method_is() -> None:
    given = type("TestSingle", (RateLaws,), {"cls": SinglePrecision})()
    finding = broken(given, "it_computes_in_the_dtype_of_its_arguments")
    assert finding.severity == broken(suite("widened"), IN_BFLOAT16).severity == "advice"
    assert "closures.py:" in finding.hint
