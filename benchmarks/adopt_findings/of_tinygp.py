"""Findings in tinygp."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    gradient,
    is_zero,
    raises,
    row,
)


def carma(alpha: float) -> Any:
    from tinygp.kernels.quasisep import CARMA

    return CARMA(jnp.array([alpha]), jnp.array([1.0]))


@row(
    "tinygp.means.Mean, GaussianProcess",
    "P3",
    "a round trip sets `__annotations__`, `__doc__` and others on the instance",
    2,
)
def tinygp_attributes() -> bool:
    from tinygp.means import Mean

    one = Mean(jnp.array(1.0))
    return vars(one).keys() != vars(jax.tree.map(lambda x: x, one)).keys()


@row("tinygp.kernels.quasisep.CARMA", "P5", "of numbers of Python its coefficients are weakly typed")
def tinygp_weak() -> bool:
    from tinygp.kernels.quasisep import CARMA

    return CARMA(0.25, 0.5).alpha.weak_type


@row(
    "tinygp.kernels.quasisep.CARMA",
    "P8",
    "another `alpha` in its leaf changes nothing: what is computed from it is stored",
)
def tinygp_stale() -> bool:
    times = jnp.array(0.0), jnp.array(1.0)
    edited = eqx.tree_at(lambda one: one.alpha, carma(1.0), jnp.array([2.0]))
    same = bool(edited.evaluate(*times) == carma(1.0).evaluate(*times))
    return same and not bool(carma(2.0).evaluate(*times) == carma(1.0).evaluate(*times))


@row("tinygp.kernels: Matern32, Matern52 and others", "P7", "in bfloat16 the kernel is float32", 6)
def tinygp_bfloat16() -> bool:
    from tinygp.kernels import Matern32

    half = jnp.bfloat16
    return Matern32(half(1.0)).evaluate(jnp.ones(2, half), jnp.zeros(2, half)).dtype == jnp.float32


@row(
    "tinygp.kernels.Constant",
    "P8",
    "nothing that it gives depends on where it is evaluated; which a base takes for all kernels",
    now="mended",
)
def tinygp_constant() -> bool:
    from tinygp.kernels import Constant

    return "__call__" in vars(Constant)


@row(
    "tinygp.kernels.RationalQuadratic",
    "P8, P9",
    "the scale has no gradient; of an `alpha` below 0, at which it is NaN everywhere else",
    now="mended",
)
def tinygp_rational() -> bool:
    from tinygp.kernels import RationalQuadratic

    one = RationalQuadratic(alpha=jnp.array(0.5))
    return is_zero(gradient(lambda one: one.evaluate(jnp.ones(2), jnp.zeros(2)), one).scale)


@row("tinygp.kernels.Polynomial", "P9", "of an order below 1 its gradient at zeros is NaN, and it is 0")
def tinygp_polynomial() -> bool:
    from tinygp.kernels import Polynomial

    slope: Any = gradient(
        lambda one: one.evaluate(jnp.zeros(2), jnp.zeros(2)), Polynomial(order=jnp.array(0.5))
    )
    return bool(jnp.isnan(slope.scale) | jnp.isnan(slope.sigma))


@row(
    "tinygp.kernels: stationary ones and others",
    "P8, P9",
    "the scale has no gradient; on the diagonal, which the call with one argument gives",
    10,
    "mended",
)
def tinygp_scale() -> bool:
    from tinygp.kernels import Exp

    return is_zero(gradient(lambda one: one.evaluate(jnp.ones(2), jnp.zeros(2)), Exp(jnp.array(1.5))).scale)


@row(
    "tinygp.solvers.quasisep: LowerTriQSM, SquareQSM, SymmQSM, UpperTriQSM",
    "P15",
    "two parameters are one draw; they had been given so",
    4,
    "mended",
)
def tinygp_draws() -> bool:
    from tinygp.solvers.quasisep.core import DiagQSM

    return DiagQSM(jnp.ones(3)).d is DiagQSM(jnp.ones(3)).d


@row(
    "tinygp.solvers.quasisep: LowerTriQSM, SquareQSM, SymmQSM, UpperTriQSM",
    "P7",
    "a method raises; of arrays whose sizes do not fit",
    4,
    "mended",
)
def tinygp_sizes() -> bool:
    from tinygp.solvers.quasisep.core import DiagQSM, LowerTriQSM, StrictLowerTriQSM

    ones, square = jnp.ones((3, 2)), jnp.ones((3, 2, 2))
    one = LowerTriQSM(diag=DiagQSM(jnp.ones(3)), lower=StrictLowerTriQSM(p=ones, q=ones, a=square))
    return raises(one.to_dense)


@row("tinygp.solvers.quasisep.block.Block", "P7", "`ndim` raises; of no blocks at all", now="mended")
def tinygp_block() -> bool:
    from tinygp.solvers.quasisep.block import Block

    return raises(lambda: Block(jnp.ones((2, 2))).ndim)


@row(
    "tinygp.solvers.DirectSolver",
    "P15",
    "donation changes its values; NaN, which does not equal itself",
    now="mended",
)
def tinygp_donated() -> bool:
    from tinygp import kernels, noise, solvers

    one: Any = solvers.DirectSolver(kernels.Exp(jnp.array(1.0)), jnp.arange(3.0), noise.Diagonal(jnp.ones(3)))
    return bool(jnp.isnan(one.scale_tril).any())


@row(
    "tinygp.noise.Banded, solvers.DirectSolver",
    "P8, P9",
    "a parameter changes nothing; that another method without arguments gives back",
    2,
    "mended",
)
def tinygp_given_back() -> bool:
    from tinygp.noise import Banded

    one = Banded(diag=jnp.ones(3), off_diags=jnp.ones((3, 1)))
    return is_zero(gradient(lambda one: one.to_qsm(), one).off_diags)
