"""What a program depends on, read off its jaxpr."""

from typing import Any

import jax.numpy as jnp

from .jaxprs import inner_jaxprs, is_variable


def reaching(jaxpr: Any, gradients: bool = False) -> list[bool]:
    """For each input whether the outputs depend on it; or whether gradients of them can reach it."""
    live = {v for v in jaxpr.outvars if _passes(v, gradients)}
    live = _live_before(jaxpr, live, gradients)
    return [v in live for v in jaxpr.invars]


def _live_before(jaxpr: Any, live: set[Any], gradients: bool) -> set[Any]:
    for equation in reversed(jaxpr.eqns):
        outs = [v in live for v in equation.outvars]
        if not any(outs) and not equation.effects:
            continue
        if gradients and equation.primitive.name == "stop_gradient":
            continue
        marks = _within(equation, outs, gradients)
        pairs = zip(equation.invars, marks)
        live |= {v for v, mark in pairs if mark and _passes(v, gradients)}
    return live


def _within(equation: Any, outs: list[bool], gradients: bool) -> list[bool]:
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
    live = {
        v for v, mark in zip(inner[0].outvars, outs) if mark and _passes(v, gradients)
    }
    live = _live_before(inner[0], live, gradients)
    return [v in live for v in inner[0].invars]


def _passes(atom: Any, gradients: bool) -> bool:
    """Whether a variable can carry what is looked for."""
    if not is_variable(atom):
        return False
    return not gradients or jnp.issubdtype(atom.aval.dtype, jnp.inexact)
