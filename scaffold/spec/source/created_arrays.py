"""Arrays that jax makes anew: the shapes that calls such as `jnp.zeros((n, m))` say."""

import ast
import math
from collections.abc import Callable

from scaffold.spec.source.expressions import elements_of
from scaffold.spec.source.instance import last_name

_SHAPE_AT = {
    **dict.fromkeys(("zeros", "ones", "empty", "full"), 0),
    **dict.fromkeys(("normal", "uniform", "truncated_normal", "bernoulli", "exponential", "gumbel"), 1),
}
"""Where functions of jax take the shape of what they make: random ones behind the key."""
_COUNT_AT = {"arange": 0, "eye": 0, "identity": 0, "linspace": 2, "logspace": 2, "geomspace": 2}
"""Where others take how many numbers they make."""
_SQUARE = ("eye", "identity")


def argument_of(call: ast.Call, place: int, *names: str) -> ast.expr | None:
    """What a call gives at a place, or by one of the names."""
    by_name = (keyword.value for keyword in call.keywords if keyword.arg in names)
    return call.args[place] if place < len(call.args) else next(by_name, None)


def created_shape(call: ast.Call, size: Callable[[ast.expr], str]) -> tuple[str, ...] | None:
    """The dims of what a call makes; None where it makes no array, or of other sizes."""
    name = last_name(call)
    if name in _SHAPE_AT:
        node = argument_of(call, _SHAPE_AT[name], "shape")
        dims = tuple(map(size, elements_of(node))) if node else ()
    elif name in _COUNT_AT and not (name == "arange" and len(call.args) > 1):
        node = _as_count(argument_of(call, _COUNT_AT[name], "num"))
        dims = (size(node),) * (1 + (name in _SQUARE)) if node else ()
    else:
        return None
    return dims if dims and all(dims) else None


def _as_count(node: ast.expr | None) -> ast.expr | None:
    """How many numbers `jnp.arange(3.0)` makes, which counts in floats."""
    match node:
        case ast.Constant(value=float(count)):
            return ast.copy_location(ast.Constant(math.ceil(count)), node)
        case _:
            return node
