"""A symmetric matrix stays one where small steps are compared with its gradient: code may read one of its triangles alone."""

from collections.abc import Sequence
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import Method, PytreeLaws, sample
from right.test_right_forms import finding


class Solved(eqx.Module):
    """`cho_factor` reads the lower triangle, and its gradient is that of a symmetric matrix."""

    precision: jax.Array
    linear: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.precision @ x + self.linear

    def mean(self) -> jax.Array:
        factor = jax.scipy.linalg.cho_factor(self.precision, lower=True)
        return jax.scipy.linalg.cho_solve(factor, self.linear)


class CutOff(Solved):
    def mean(self) -> jax.Array:
        factor = jax.scipy.linalg.cho_factor(jax.lax.stop_gradient(self.precision), lower=True)
        return jax.scipy.linalg.cho_solve(factor, self.precision @ self.precision @ self.linear)


class SolvedLaws(PytreeLaws):
    built: type[Solved] = Solved
    methods: ClassVar[Sequence[Method]] = (Method("mean"),)

    def build(self, **inputs: Any) -> Solved:
        return self.built(2 * jnp.eye(2, dtype="float32"), jnp.ones(2, "float32"))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)


class CutOffLaws(SolvedLaws):
    built = CutOff


def test_code_that_reads_a_triangle_of_a_symmetric_matrix_has_true_gradients() -> None:
    assert finding(SolvedLaws, "p09_methods_have_true_gradients") == ""


def test_a_gradient_that_is_cut_off_is_noticed_at_a_symmetric_matrix() -> None:
    told = finding(CutOffLaws, "p09_methods_have_true_gradients")
    assert "small steps of `precision` show the slope" in told
