"""Dependence of the outputs of a jaxpr on its inputs."""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from pytree_laws.trace.jaxprs import inner_jaxprs, is_variable

STEPS = frozenset(("floor", "ceil", "round", "sign"))
"""Primitives with float outputs that follow their inputs in steps."""
Marks = set[int]


def used_inputs(closed: Any) -> list[bool]:
    """Return for each input of a jaxpr whether an output depends on it."""
    return _inputs_reaching(closed, lambda equation: False)


def flowing_inputs(closed: Any) -> list[bool]:
    """Return for each input of a jaxpr whether a gradient may reach it.

    Integers, comparisons and roundings stop gradients.
    """
    return _inputs_reaching(closed, _is_step)


def _is_step(equation: Any) -> bool:
    is_inexact = any(jnp.issubdtype(variable.aval.dtype, jnp.inexact) for variable in equation.outvars)
    return equation.primitive.name in STEPS or not is_inexact


def _inputs_reaching(closed: Any, cuts: Callable[[Any], bool]) -> list[bool]:
    jaxpr = closed.jaxpr
    marks = reached(jaxpr, [{place} for place in range(len(jaxpr.invars))], cuts)
    used: Marks = set().union(*marks) if marks else set()
    return [place in used for place in range(len(jaxpr.invars))]


def reached(jaxpr: Any, marks: Sequence[Marks], cuts: Callable[[Any], bool]) -> list[Marks]:
    """Carry marks from the inputs of a jaxpr to its outputs, except through equations that are cut."""
    known: dict[Any, Marks] = dict(zip(jaxpr.invars, marks, strict=True))

    def of(atom: Any) -> Marks:
        return known.get(atom, set()) if is_variable(atom) else set()

    for equation in jaxpr.eqns:
        input_marks = [of(atom) for atom in equation.invars]
        inner = inner_jaxprs(equation)
        alone = len(inner) == 1 and len(inner[0].invars) == len(input_marks)
        if alone and equation.primitive.name not in ("while", "scan", "cond"):
            results = reached(inner[0], input_marks, cuts)
        else:
            results = [Marks() if cuts(equation) else Marks().union(*input_marks)] * len(equation.outvars)
        known |= dict(zip(equation.outvars, results, strict=False))
    return [of(atom) for atom in jaxpr.outvars]


def places_read(jaxpr: Any, variable: Any) -> int | None:
    """Return how many places of a variable's last axis a jaxpr reads, or None for the whole axis."""
    most = 0
    for equation in jaxpr.eqns:
        for inner, atom in enumerate(equation.invars):
            if atom is not variable:
                continue
            place = _place_read(equation, inner)
            if place is None:
                return None
            most = max(most, place)
    return None if any(atom is variable for atom in jaxpr.outvars) else most


def _place_read(equation: Any, place: int) -> int | None:
    inner = inner_jaxprs(equation)
    if len(inner) == 1 and len(inner[0].invars) == len(equation.invars):
        return places_read(inner[0], inner[0].invars[place])
    return equation.params["limit_indices"][-1] if equation.primitive.name == "slice" else None


def is_empty(value: Any) -> bool:
    return getattr(value, "size", 1) == 0
