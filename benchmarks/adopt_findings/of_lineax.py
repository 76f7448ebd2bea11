"""Findings in lineax and optimistix."""

# ruff: noqa: E731

import copy
import dataclasses
import pickle
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    THREE,
    aux_of,
    compilations,
    is_zero,
    raises,
    row,
    same_after_loading,
)


@row(
    "lineax.CG, Cholesky, Diagonal, QR, SVD, Triangular",
    "P7, P10",
    "the call gives arrays among static values; it had been given some",
    6,
    "mended",
)
def lineax_states() -> bool:
    import lineax

    operator = lineax.DiagonalLinearOperator(jnp.ones(3))
    return raises(lambda: jax.jit(lambda: lineax.linear_solve(operator, jnp.ones(3), lineax.QR()).value)())


@row("lineax.FunctionLinearOperator", "P1", "two instances share a dict; inside of a jaxpr", now="mended")
def lineax_shared() -> bool:
    import lineax

    return any(isinstance(one, dict) for one in vars(lineax.FunctionLinearOperator(jnp.tanh, THREE)).values())


@row(
    "lineax.FunctionLinearOperator",
    "P2",
    "a leaf raises `KeyError`; it is a jaxpr, which is written with braces",
    now="mended",
)
def lineax_leaf() -> bool:
    import lineax

    return raises(lambda: repr(lineax.FunctionLinearOperator(jnp.tanh, THREE)), KeyError)


@row("lineax.FunctionLinearOperator", "P14", "`deepcopy` and `pickle` raise")
def lineax_pickled() -> bool:
    import lineax

    one = lineax.FunctionLinearOperator(jnp.tanh, THREE)
    return raises(lambda: copy.deepcopy(one)) and raises(lambda: pickle.dumps(one))


@row("lineax.FunctionLinearOperator", "P14", "a jaxpr among its leaves is another one after a load")
def lineax_loaded() -> bool:
    import lineax

    return not same_after_loading(lambda seed: lineax.FunctionLinearOperator(jnp.tanh, THREE))


@row(
    "lineax: operators with an input structure", "P5", "a list among the static values, which have no hash", 4
)
def lineax_static() -> bool:
    import lineax

    return raises(lambda: hash(aux_of(lineax.IdentityLinearOperator(THREE))), TypeError)


@row("lineax.JacobianLinearOperator", "P13", "`dataclasses.replace` without changes gives another treedef")
def lineax_replaced() -> bool:
    import lineax

    one: Any = lineax.JacobianLinearOperator(lambda x, _: x**2, jnp.ones(3))
    return jax.tree.structure(dataclasses.replace(one)) != jax.tree.structure(one)


@row("lineax.LSMR", "P7", "in bfloat16 it raises")
def lineax_bfloat16() -> bool:
    import lineax

    half = jnp.ones(3, jnp.bfloat16)
    solver = lineax.LSMR(1e-2, 1e-2)
    return raises(lambda: lineax.linear_solve(lineax.DiagonalLinearOperator(half), half, solver), TypeError)


@row(
    "lineax.Tridiagonal",
    "P7",
    "in bfloat16 it raises; with a state that says float32 of its arrays",
    now="mended",
)
def lineax_tridiagonal() -> bool:
    import lineax

    half = jnp.ones(3, jnp.bfloat16)
    operator = lineax.TridiagonalLinearOperator(half, half[1:], half[1:])
    return raises(
        lambda: jax.eval_shape(lambda: lineax.linear_solve(operator, half, lineax.Tridiagonal()).value)
    )


@row("lineax.BiCGStab", "P7", "for a vector of zeros it gives NaN")
def lineax_zeros() -> bool:
    import lineax

    operator, solver = lineax.DiagonalLinearOperator(jnp.ones(3)), lineax.BiCGStab(1e-3, 1e-3)
    return bool(jnp.isnan(lineax.linear_solve(operator, jnp.zeros(3), solver, throw=False).value).any())


@row(
    "lineax.TangentLinearOperator",
    "P8, P9",
    "its primal has no gradient; that of a linear operator, in one method",
    now="mended",
)
def lineax_tangent() -> bool:
    import lineax

    cube = lambda x, _: x**3
    make = lambda point: lineax.JacobianLinearOperator(cube, point)
    primal, tangent = eqx.filter_jvp(make, (jnp.ones(3),), (jnp.ones(3),))
    loss = lambda one: lineax.TangentLinearOperator(one, tangent).mv(jnp.ones(3)).sum()
    return is_zero(eqx.filter_grad(loss)(primal).x)


@row("optimistix.GradientDescent, GaussNewton", "P5", "the learning rate is weakly typed", 2)
def optimistix_weak() -> bool:
    import optimistix

    return optimistix.GradientDescent(1e-2, 1e-3, 1e-3).search.learning_rate.weak_type


@row(
    "optimistix.LBFGS",
    "P6, P7, P10, P12, P16",
    "the call cannot be compiled; a jaxpr is among the leaves that it gives",
    now="mended",
)
def optimistix_compiled() -> bool:
    import optimistix

    solver = optimistix.LBFGS(1e-3, 1e-3)
    return raises(lambda: eqx.filter_jit(solver.init_hessian)(jnp.ones(3), jnp.array(1.0), jnp.ones(3)))


@row(
    "optimistix.Newton, BestSoFarRootFinder",
    "P6",
    "outside of jit each step compiles `linear_solve` anew",
    2,
)
def optimistix_newton() -> bool:
    import optimistix

    function = lambda y, _: (y**2 - 2, None)
    out, y = jax.ShapeDtypeStruct((3,), jnp.float32), jnp.ones(3)
    solver: Any = optimistix.Newton(1e-3, 1e-3)
    start = solver.init(function, y, None, {}, out, None, frozenset())
    step = lambda: solver.step(function, y, None, {}, start, frozenset())
    step()
    return compilations(step) > 0


@row("optimistix.NelderMead, LBFGS", "P7", "in bfloat16 it raises, where `BFGS` gives bfloat16", 2)
def optimistix_bfloat16() -> bool:
    import optimistix

    solvers: Any = optimistix.NelderMead(1e-1, 1e-1), optimistix.LBFGS(1e-1, 1e-1)
    run = lambda solver: optimistix.minimise(
        lambda y, _: jnp.sum((y - 1) ** 2), solver, jnp.ones(3, jnp.bfloat16) * 2
    )
    found = run(optimistix.BFGS(1e-1, 1e-1)).value.dtype == jnp.bfloat16
    return found and all(raises(lambda one=one: run(one), TypeError) for one in solvers)
