"""A norm of few features that are nearly equal has few bits left: jit and eager differ by these, and by no mistake."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pytree_laws import LawBroken, Method, PytreeLaws
from pytree_laws.trace.programs import settings
from pytree_laws.values.rounding import is_rounding

ROW = 191  # of the rows that were tried one whose deviation is about the root of the epsilon


class Norm(eqx.Module):
    """A norm by the difference of two means, as it is quickest."""

    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        mean = jnp.mean(x, -1, keepdims=True)
        variance = jnp.mean(x * x, -1, keepdims=True) - mean * mean
        return self.scale * (x - mean) * jax.lax.rsqrt(jnp.maximum(variance, 0) + 1e-6)


class Otherwise(Norm):
    """One that computes another thing under jit."""

    def __call__(self, x: jax.Array) -> jax.Array:
        is_traced = isinstance(x, jax.core.Tracer)
        return super().__call__(x) * (1.02 if is_traced else 1.0)


class ByMethod(Norm):
    """A norm that a method gives, beside a call of another."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x

    def normed(self, x: jax.Array) -> jax.Array:
        return Norm.__call__(self, x)


class OtherwiseByMethod(ByMethod):
    def normed(self, x: jax.Array) -> jax.Array:
        return Otherwise.__call__(Otherwise(self.scale), x)


def row(seed: int) -> jax.Array:
    noise = 0.001 * jax.random.normal(jax.random.key(ROW + seed), (3,), jnp.float32)
    return 0.32 + noise + jnp.array([0.0, 0.002, -0.001], jnp.float32)


def suite_of(cls: type[Norm]) -> PytreeLaws:
    class NormLaws(PytreeLaws):
        def inputs(self, seed: int) -> dict[str, Any]:
            return {"scale": jnp.ones(3, jnp.float32)}

        def build(self, **inputs: Any) -> Norm:
            return cls(**inputs)

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return (row(seed),)

    return NormLaws()


def suite_of_method(cls: type[Norm]) -> PytreeLaws:
    class MethodLaws(type(suite_of(cls))):  # type: ignore[misc]
        methods = (Method("normed", lambda seed: (row(seed),)),)

    return MethodLaws()


def test_the_same_holds_for_methods() -> None:
    with settings():
        suite_of_method(ByMethod).test_p07_methods_jit_equals_eager()
    with settings(), pytest.raises(LawBroken, match="jit gives"):
        suite_of_method(OtherwiseByMethod).test_p07_methods_jit_equals_eager()


def test_what_few_bits_explain_is_no_finding() -> None:
    norm, x = Norm(jnp.ones(3, jnp.float32)), row(0)
    apart = np.abs(np.asarray(jax.jit(lambda norm, x: norm(x))(norm, x) - norm(x))).max()
    assert apart > 5e-4, "then the example shows nothing"
    with settings():
        suite_of(Norm).test_p07_jit_equals_eager()


def test_what_they_do_not_explain_is_one() -> None:
    with settings(), pytest.raises(LawBroken, match="jit gives"):
        suite_of(Otherwise).test_p07_jit_equals_eager()


def test_beyond_a_percent_the_last_bits_have_to_move_a_result_as_far() -> None:
    points = jnp.linspace(0.1, 0.9, 8)

    def steep(x: jax.Array) -> jax.Array:
        return jnp.sin(1e8 * x)

    def smooth(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    moved = jnp.nextafter(points, jnp.ones(8))
    assert is_rounding(steep(moved), steep(points), steep, points)
    assert not is_rounding(smooth(points) + 0.1, smooth(points), smooth, points)
    steps = iter(range(1, 9))

    def counted(x: jax.Array) -> jax.Array:
        return steep(x) + next(steps)

    assert not is_rounding(steep(moved) + 0.5, steep(points), counted, points), "it is another one each time"
    assert not is_rounding(smooth(points) * jnp.nan, smooth(points), smooth, points)
