"""What a program depends on, read off its jaxpr."""

from typing import Any

import jax.numpy as jnp

from .jaxprs import inner_jaxprs, is_variable

STOP = "stop_gradient"


def inputs_reaching(jaxpr: Any, gradients: bool = False) -> list[bool]:
    """For each input whether the outputs depend on it; or whether gradients of them can reach it."""
    return _reached(jaxpr, gradients, STOP if gradients else "")


def stopped_inputs(jaxpr: Any) -> list[bool]:
    """For each input whether gradients would reach it, and `stop_gradient` keeps them all away."""
    marks = zip(_reached(jaxpr, True, ""), _reached(jaxpr, True, STOP))
    return [without and not within for without, within in marks]


def handed_to_stop(jaxpr: Any) -> list[bool]:
    """For each input whether `stop_gradient` is applied to it as it is, whatever else it is used for."""
    found: set[Any] = set()
    for equation in jaxpr.eqns:
        marks = [equation.primitive.name == STOP] * len(equation.invars)
        inner = inner_jaxprs(equation)
        if len(inner) == 1 and len(inner[0].invars) == len(marks):
            marks = handed_to_stop(inner[0])
        found |= {
            v for v, mark in zip(equation.invars, marks) if mark and is_variable(v)
        }
    return [v in found for v in jaxpr.invars]


def _reached(jaxpr: Any, gradients: bool, stop: str) -> list[bool]:
    live = {v for v in jaxpr.outvars if _passes(v, gradients)}
    live = _live_before(jaxpr, live, gradients, stop)
    return [v in live for v in jaxpr.invars]


def _live_before(jaxpr: Any, live: set[Any], gradients: bool, stop: str) -> set[Any]:
    for equation in reversed(jaxpr.eqns):
        outs = [v in live for v in equation.outvars]
        if not any(outs) and not equation.effects:
            continue
        if equation.primitive.name == stop:
            continue
        marks = _within(equation, outs, gradients, stop)
        pairs = zip(equation.invars, marks)
        live |= {v for v, mark in pairs if mark and _passes(v, gradients)}
    return live


def _within(equation: Any, outs: list[bool], gradients: bool, stop: str) -> list[bool]:
    """For each input of an equation whether its live outputs depend on it."""
    inner = inner_jaxprs(equation)
    is_call = len(inner) == 1 and equation.primitive.name in (
        "jit",
        "pjit",
        "remat2",
        "checkpoint",
    )
    if not is_call or len(inner[0].invars) != len(equation.invars):
        return [True] * len(equation.invars)  # a loop or a branch is not looked into
    pairs = zip(inner[0].outvars, outs)
    live = {v for v, mark in pairs if mark and _passes(v, gradients)}
    live = _live_before(inner[0], live, gradients, stop)
    return [v in live for v in inner[0].invars]


def _passes(atom: Any, gradients: bool) -> bool:
    """Whether a variable can carry what is looked for."""
    if not is_variable(atom):
        return False
    return not gradients or jnp.issubdtype(atom.aval.dtype, jnp.inexact)
