"""What the outputs of a trace depend on."""

from collections.abc import Sequence
from typing import Any

import jax

from pytree_laws.trace.jaxprs import inner_jaxprs, is_variable


def used_inputs(closed: Any) -> list[bool]:
    """For each input of a jaxpr, whether an output depends on it."""
    jaxpr = closed.jaxpr
    found = reached(jaxpr, [{place} for place in range(len(jaxpr.invars))])
    used: set[int] = set().union(*found) if found else set()
    return [place in used for place in range(len(jaxpr.invars))]


def reached(jaxpr: Any, marks: Sequence[set[int]]) -> list[set[int]]:
    """For each output of a jaxpr, the marks of the inputs that it depends on."""
    known: dict[Any, set[int]] = dict(zip(jaxpr.invars, marks, strict=True))

    def of(atom: Any) -> set[int]:
        return known.get(atom, set()) if is_variable(atom) else set()

    for equation in jaxpr.eqns:
        given = [of(atom) for atom in equation.invars]
        inner = inner_jaxprs(equation)
        alone = len(inner) == 1 and len(inner[0].invars) == len(given)
        if alone and equation.primitive.name not in ("while", "scan", "cond"):
            results = reached(inner[0], given)
        else:
            results = [set[int]().union(*given)] * len(equation.outvars)
        known |= dict(zip(equation.outvars, results, strict=False))
    return [of(atom) for atom in jaxpr.outvars]


def is_empty(value: Any) -> bool:
    return getattr(value, "size", 1) == 0


def leaves_of(tree: Any) -> list[Any]:
    return jax.tree.leaves(tree)
