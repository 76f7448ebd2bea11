"""Draws that are the same in each round of a loop, because no round changes their key."""

from collections.abc import Iterator
from typing import Any

from .dependencies import counts_of_scan
from .jaxprs import constant_draws, equations


def draws_of_every_round(jaxpr: Any) -> Iterator[Any]:
    """Yield the random draws in loops whose key comes from outside, or is carried on unchanged."""
    for equation in equations(jaxpr):
        loop = _loop(equation)
        if loop is not None:
            body, start, carries = loop
            carried = zip(body.invars[start : start + carries], body.outvars)
            moved = {before for before, after in carried if after is not before}
            yield from constant_draws(body, {*moved, *body.invars[start + carries :]})


def _loop(equation: Any) -> tuple[Any, int, int] | None:
    """Return the body of a loop of several rounds, with the position and number of its carries, or None."""
    params = equation.params
    if equation.primitive.name == "scan" and params["length"] > 1:
        counts = counts_of_scan(params)
        return counts and (params["jaxpr"].jaxpr, *counts)
    if equation.primitive.name == "while":
        body, start = params["body_jaxpr"].jaxpr, params["body_nconsts"]
        return body, start, len(body.invars) - start
    return None
