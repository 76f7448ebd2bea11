"""What the rounds of a loop have in common: draws whose key no round changes."""

from collections.abc import Iterator
from typing import Any

from .jaxprs import constant_draws, equations


def draws_of_every_round(jaxpr: Any) -> Iterator[Any]:
    """The random draws in loops that are the same in each round: their key comes from outside, or is carried on as it is."""
    for equation in equations(jaxpr):
        loop = _loop(equation)
        if loop is not None:
            body, start, carries = loop
            carried = zip(body.invars[start : start + carries], body.outvars)
            moved = {before for before, after in carried if after is not before}
            yield from constant_draws(body, {*moved, *body.invars[start + carries :]})


def _loop(equation: Any) -> tuple[Any, int, int] | None:
    """The body of a loop of more than one round, where what it carries begins among its inputs, and how many these are."""
    params = equation.params
    if equation.primitive.name == "scan" and params["length"] > 1:
        return params["jaxpr"].jaxpr, params["num_consts"], params["num_carry"]
    if equation.primitive.name == "while":
        body, start = params["body_jaxpr"].jaxpr, params["body_nconsts"]
        return body, start, len(body.invars) - start
    return None
