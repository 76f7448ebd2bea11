"""Findings in flowjax."""

# ruff: noqa: E731

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    dead,
    gradient,
    in_bfloat16,
    is_float32,
    is_zero,
    key,
    raises,
    row,
    same_after_loading,
    traces,
)


def householder(seed: int) -> Any:
    from flowjax.bijections import Householder

    return Householder(jnp.arange(3.0) + seed)


def autoregressive() -> Any:
    from flowjax.bijections import BlockAutoregressiveNetwork

    return BlockAutoregressiveNetwork(key(), dim=2, depth=1, block_dim=3)


@row(
    "flowjax: bijections of bijections",
    "P1",
    "a dict of the module that is given is stored as it is: a copy of it is wanted",
    10,
    "mended",
)
def flowjax_copies() -> bool:
    from flowjax.bijections import Affine, Invert

    given = Affine()
    return Invert(given).bijection is not given


@row(
    "flowjax.bijections.Stack",
    "P1",
    "the list that is given is stored as it is: who changes it changes the bijection",
)
def flowjax_stack() -> bool:
    from flowjax.bijections import Exp, Stack

    given: Any = [Exp(), Exp()]
    one = Stack(given)
    given.append(Exp())
    return len(one.bijections) == 3


@row(
    "flowjax: distributions",
    "P6, P7, P10, P12, P16",
    "the call cannot be compiled; it gives a distribution, with functions among its leaves",
    10,
    "mended",
)
def flowjax_compiled() -> bool:
    from flowjax.distributions import Gumbel

    return raises(lambda: eqx.filter_jit(lambda one: one.merge_transforms())(Gumbel()))


@row(
    "flowjax.bijections.Scale, distributions.StudentT, VmapMixture",
    "P1",
    "building raises; of a scale that is not positive",
    3,
    "mended",
)
def flowjax_built() -> bool:
    from flowjax.bijections import Scale

    return raises(lambda: Scale(jnp.ones(3)))


@row(
    "flowjax.bijections.Power", "P7, P10", "calls raise; for negative numbers, which it refuses", now="mended"
)
def flowjax_power() -> bool:
    from flowjax.bijections import Power

    return raises(lambda: Power(3).inverse_and_log_det(jnp.array(2.0)))


@row("flowjax.bijections.Power", "P7", "for 0 the log-determinant is NaN")
def flowjax_power_zero() -> bool:
    from flowjax.bijections import Power

    return bool(jnp.isnan(Power(3).transform_and_log_det(jnp.array(0.0))[1]))


@row(
    "flowjax: what holds a function of its own",
    "P14",
    "a function among its leaves is another one after a load",
    8,
)
def flowjax_loaded() -> bool:
    return not same_after_loading(householder)


@row(
    "flowjax: what holds a function of its own",
    "P6",
    "two instances of one configuration are traced twice",
    7,
)
def flowjax_traces() -> bool:
    return traces(householder) == 2


@row(
    "flowjax.bijections.Coupling, MaskedAutoregressive, BlockAutoregressiveNetwork",
    "P2",
    "an array hides in the closure of a function",
    3,
)
def flowjax_closures() -> bool:
    held = [cell.cell_contents for cell in autoregressive().layers[0][1].__closure__]
    return any(isinstance(one, jax.Array) for one in held)


@row("flowjax.bijections.RationalQuadraticSpline", "P5", "the derivatives are weakly typed")
def flowjax_weak() -> bool:
    from flowjax.bijections import RationalQuadraticSpline

    return RationalQuadraticSpline(knots=4, interval=2).derivatives.args[0].weak_type


@row("flowjax: bijections and distributions", "P7", "in bfloat16 the log-determinant is float32", 25)
def flowjax_bfloat16() -> bool:
    from flowjax.bijections import Loc

    return is_float32(in_bfloat16(Loc(jnp.ones(3))).transform_and_log_det(jnp.ones(3, jnp.bfloat16)))


@row(
    "flowjax.bijections.Indexed",
    "P8, P9",
    "a parameter has no gradient; of an index that is out of bounds",
    now="mended",
)
def flowjax_indexed() -> bool:
    from flowjax.bijections import Affine, Indexed

    return is_zero(gradient(lambda one: one.transform(jnp.ones(3)), Indexed(Affine(), 1, (3,))).bijection.loc)


@row(
    "flowjax.bijections.TriangularAffine, BlockAutoregressiveNetwork, distributions.MultivariateNormal",
    "P9",
    "the elements of a weight that a mask leaves out never have a gradient",
    3,
)
def flowjax_masked() -> bool:
    from flowjax.bijections import TriangularAffine

    one = TriangularAffine(jnp.zeros(3), jnp.eye(3) + 0.1)
    return dead(gradient(lambda one: one.transform(jnp.arange(3.0) + 1), one).triangular.args[0])


@row(
    "flowjax.bijections.NumericalInverse",
    "P9",
    "its gradient is not that of small steps; with a function for the inverter that inverts nothing",
    now="mended",
)
def flowjax_inverse() -> bool:
    from flowjax.bijections import Affine, NumericalInverse

    one = NumericalInverse(Affine(0.0, 2.0), lambda bijection, y, condition: bijection.inverse(y))
    inverse = lambda y: one.inverse_and_log_det(y)[0]
    return abs(jax.grad(inverse)(1.0) - 0.5) > 1e-3


@row(
    "flowjax.bijections.BlockAutoregressiveNetwork",
    "P12",
    "`transform` loses an update; it leaves out the log-determinant, and what that is made of",
    now="mended",
)
def flowjax_lost() -> bool:
    one = autoregressive()
    return not bool(jnp.allclose(one.transform(jnp.ones(2)), one.transform_and_log_det(jnp.ones(2))[0]))
