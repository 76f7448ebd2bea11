"""What a program depends on, read off its jaxpr."""

from typing import Any

import jax.numpy as jnp

from .jaxprs import inner_jaxprs, is_variable

STOP = "stop_gradient"
CAST = "convert_element_type"
MOVES = frozenset(
    f"{STOP} reshape transpose slice dynamic_slice squeeze expand_dims broadcast_in_dim rev gather copy".split()
)
"""Primitives that hand elements on as they are."""


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


def stops_computed(jaxpr: Any) -> bool:
    """Whether `stop_gradient` is applied to something that is computed from several inputs, or of which it is a part."""
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    for equation in jaxpr.eqns:
        given = equation.invars[0] if equation.invars else None
        source = made.get(given) if given is not None and is_variable(given) else None
        if (
            equation.primitive.name == STOP
            and source is not None
            and len(source.invars) > 1
        ):
            return True
        if any(map(stops_computed, inner_jaxprs(equation))):
            return True
    return False


def computed_on(jaxpr: Any, dtype: str) -> list[str]:
    """For each input the first primitive that computes with it in more bits than a dtype has; empty where none does.

    The branches of a `cond` and the body of a `while` are not looked into.
    """
    return _computed_on(jaxpr, jnp.finfo(dtype).bits)[0]


def _computed_on(jaxpr: Any, bits: int) -> tuple[list[str], list[set[int]]]:
    """The same, and for each output which inputs it is, as they were given."""
    places = {v: {i} for i, v in enumerate(jaxpr.invars)}
    computed = [""] * len(jaxpr.invars)
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        given = [
            places.get(v, set()) if is_variable(v) else set() for v in equation.invars
        ]
        within, outs = _through(equation, given, bits)
        for held, primitive in zip(given, within):
            for i in held:
                computed[i] = computed[i] or primitive
        if name == CAST and _bits(equation.outvars[0]) <= bits:
            outs = [set()]
        places |= dict(zip(equation.outvars, outs))
    return computed, [
        places.get(v, set()) if is_variable(v) else set() for v in jaxpr.outvars
    ]


def _through(
    equation: Any, given: list[set[int]], bits: int
) -> tuple[list[str], list[set[int]]]:
    """What an equation does with each of its inputs, and which of them its outputs are."""
    name, inner = equation.primitive.name, inner_jaxprs(equation)
    nothing, none = [""] * len(given), [set[int]() for _ in equation.outvars]
    if name == CAST or name in MOVES:
        return nothing, [given[0]] * len(none)
    if not inner:
        return [name] * len(given), none
    if len(inner) > 1 or len(inner[0].invars) != len(given):
        return nothing, none
    within, outs = _computed_on(inner[0], bits)
    return within, [{i for place in held for i in given[place]} for held in outs]


def _bits(variable: Any) -> int:
    return 8 * int(variable.aval.dtype.itemsize)


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
