"""Findings in diffrax."""

# ruff: noqa: E731

import contextlib
import copy
import io
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    gradient,
    is_float32,
    key,
    raises,
    row,
)


@row(
    "diffrax: solvers with a root finder",
    "P14",
    "a copy by `deepcopy`, or from `pickle`, cannot solve: `is` tells its tolerance from the one that stands for none",
    8,
)
def diffrax_copied() -> bool:
    import diffrax

    controller = diffrax.PIDController(1e-3, 1e-3)
    term = diffrax.ODETerm(lambda t, y, args: -y)

    def solve(solver: Any) -> Any:
        return diffrax.diffeqsolve(term, solver, 0.0, 1.0, 0.1, jnp.ones(2), stepsize_controller=controller)

    return not raises(lambda: solve(diffrax.Kvaerno5())) and raises(
        lambda: solve(copy.deepcopy(diffrax.Kvaerno5()))
    )


@row(
    "diffrax: solvers",
    "P6, P7, P9, P10, P12, P15, P16",
    "the step cannot be compiled; with a function among its arguments",
    18,
    "mended",
)
def diffrax_compiled() -> bool:
    import diffrax

    term, solver = diffrax.ODETerm(lambda t, y, args: -y), diffrax.Euler()
    step = lambda t: solver.step(term, t, t + 0.1, jnp.ones(2), None, None, False)[0]
    return raises(lambda: jax.jit(step)(0.0))


@row(
    "diffrax.PIDController, ClipStepSizeController",
    "P6, P7, P10, P12, P16",
    "the call cannot be compiled; it gives a controller, with functions among its leaves",
    2,
    "mended",
)
def diffrax_wrapped() -> bool:
    import diffrax

    controller = diffrax.PIDController(1e-3, 1e-3)
    return raises(lambda: eqx.filter_jit(lambda one: one.wrap(jnp.array(1)))(controller))


@row("diffrax.UnsafeBrownianPath", "P7", "for times in bfloat16 it raises `KeyError`")
def diffrax_bfloat16() -> bool:
    import diffrax

    path = diffrax.UnsafeBrownianPath((3,), key=key())
    return raises(lambda: path.evaluate(jnp.bfloat16(0.0), jnp.bfloat16(1.0)), KeyError)


@row(
    "diffrax.TextProgressMeter, TqdmProgressMeter",
    "P7, P10, P12",
    "each `init` counts on a counter of the process: under jit, for a batch and when it is called again it is another number",
    2,
)
def diffrax_meter() -> bool:
    import diffrax

    meter: Any = diffrax.TextProgressMeter()
    return int(meter.init().meter_idx) != int(meter.init().meter_idx)


@row(
    "diffrax.StepTo",
    "P6, P7",
    "the call raises; for a time that is not the first one, which it refuses",
    now="mended",
)
def diffrax_step_to() -> bool:
    import diffrax

    controller, term = diffrax.StepTo(jnp.array([0.0, 0.5, 1.0])), diffrax.ODETerm(lambda t, y, args: -y)
    solver: Any = diffrax.Euler()
    run = lambda: diffrax.diffeqsolve(
        term, solver, 0.0, 1.0, None, jnp.ones(2), stepsize_controller=controller
    )
    return raises(run)


@row(
    "diffrax.UnderdampedLangevinDiffusionTerm",
    "P7, P9",
    "outputs and gradients are NaN; of a friction below 0",
    now="mended",
)
def diffrax_langevin() -> bool:
    import diffrax

    path = diffrax.UnsafeBrownianPath((3,), key=key())
    term: Any = diffrax.UnderdampedLangevinDiffusionTerm(jnp.ones(3), jnp.ones(3), path)
    return bool(jnp.isnan(jax.tree.leaves(term.vf(0.0, (jnp.ones(3), jnp.ones(3)), None))[0]).any())


@row(
    "diffrax.ConstantStepSize, LeapfrogMidpoint, PIDController",
    "P7",
    "its trace gives more than it does; a number of Python beside arrays",
    3,
    "mended",
)
def diffrax_numbers() -> bool:
    import diffrax

    solver, term = diffrax.LeapfrogMidpoint(), diffrax.ODETerm(lambda t, y, args: -y)
    state = (jnp.array(0.0), jnp.ones(2))
    step = lambda: solver.step(term, 0.1, 0.2, jnp.ones(2), None, state, False)
    return len(jax.tree.leaves(step())) != len(jax.tree.leaves(jax.jit(step)()))


@row(
    "diffrax.ThirdOrderHermitePolynomialInterpolation",
    "P9",
    "some coefficients have no gradient; in differences, in which they cancel",
    now="mended",
)
def diffrax_hermite() -> bool:
    import diffrax

    node = diffrax.ThirdOrderHermitePolynomialInterpolation
    ones = jnp.ones(3)
    values = {"y0": ones, "y1": ones, "k0": ones, "k1": ones}
    one = node(t0=jnp.array(0.0), t1=jnp.array(1.0), **values)
    slope: Any = gradient(lambda one: one.evaluate(jnp.array(0.5)), one).coeffs
    return bool((slope == 0).any())


@row(
    "diffrax.PIDController",
    "P7",
    "for arguments of 0 it gives NaN; of an order of 0 among them",
    now="mended",
)
def diffrax_zeros() -> bool:
    import diffrax

    one, zeros = diffrax.PIDController(1e-3, 1e-6), jnp.zeros(2)
    times, state = (jnp.array(0.0), jnp.array(0.0)), (jnp.array(False), jnp.array(1.0), jnp.array(1.0))
    found = one.adapt_step_size(*times, zeros, zeros, None, zeros, 2.0, state)
    return any(bool(jnp.isnan(x).any()) for x in jax.tree.leaves(found) if eqx.is_inexact_array(x))


@row(
    "diffrax.ClipStepSizeController",
    "P7",
    "in bfloat16 an output is float32; a number of Python, which goes with all",
    now="mended",
)
def diffrax_clip() -> bool:
    import diffrax

    half = jnp.bfloat16(1e-3)
    return is_float32(diffrax.ClipStepSizeController(diffrax.PIDController(half, half)).wrap(jnp.array(1)))


@row("diffrax.TextProgressMeter", "P12", "it prints; in a callback of the host, as it is for", now="mended")
def diffrax_prints() -> bool:
    import diffrax

    meter: Any = diffrax.TextProgressMeter()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        jax.eval_shape(lambda: meter.step(meter.init(), jnp.array(0.5)))
    return bool(printed.getvalue())


def milstein(number: Any, dtype: Any = jnp.float32) -> Any:
    import diffrax

    field = diffrax.ODETerm(lambda t, y, args: -y)
    solver: Any = diffrax.ItoMilstein()
    start = jnp.ones(3, dtype)
    return solver.step(diffrax.MultiTerm(field, field), number(0.0), number(1.0), start, None, None, True)


@row("diffrax.ItoMilstein", "P7", "in bfloat16 a step gives float32: the identity in it has no dtype")
def diffrax_milstein() -> bool:
    return is_float32(milstein(jnp.bfloat16, jnp.bfloat16)[0])


@row(
    "diffrax.ItoMilstein",
    "P7",
    "times that are numbers of Python, as their annotation lets them be, raise `TypeError`; of a diffusion in time itself",
    now="open",
)
def diffrax_milstein_numbers() -> bool:
    import diffrax

    noise = diffrax.ControlTerm(lambda t, y, args: jnp.eye(3), diffrax.UnsafeBrownianPath((3,), key=key()))
    terms, solver = diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, args: -y), noise), diffrax.ItoMilstein()
    return raises(lambda: solver.step(terms, 0.0, 1.0, jnp.ones(3), None, None, True), TypeError)
