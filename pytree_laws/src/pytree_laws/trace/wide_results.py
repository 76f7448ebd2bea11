"""Where a computation in 16 bits gets a wider float: the line of the class, for a message."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ..inspect.raised_at import line_of_class
from ..report import ANY_ERROR
from .jaxprs import is_variable

_NARROW = ("bfloat16", "float16")


def widened_in(function: Callable[..., Any], arguments: tuple[Any, ...], result: int) -> str:
    """What follows a hint: `: affine.py:12: return x + shift`, or that nothing is computed; empty where no line of the class is known.

    `result` is the place of the output among all leaves that the function gives.
    """
    try:
        jaxpr = jax.make_jaxpr(function)(*arguments).jaxpr
        equation = _widening(jaxpr, jaxpr.outvars[result])
        line = "it is a constant" if equation is None else _line_of(equation)
    except ANY_ERROR:  # it cannot be traced alone, or jax tells of no line
        return ""
    return f": {line}" if line else ""


def _widening(jaxpr: Any, variable: Any) -> Any:
    """The equation behind an output that is wide, though nothing that goes into it is; the first one that is found."""
    made = {out: equation for equation in jaxpr.eqns for out in equation.outvars}
    equation = None
    while is_variable(variable) and variable in made:
        equation = made[variable]
        wide = (atom for atom in equation.invars if is_variable(atom) and _is_wide(atom) and atom in made)
        variable = next((atom for atom in wide if not _is_cast_of_narrow(made[atom])), None)
    return equation


def _is_wide(atom: Any) -> bool:
    dtype = getattr(atom.aval, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.floating) and str(dtype) not in _NARROW


def _is_cast_of_narrow(equation: Any) -> bool:
    """Whether it only makes wide what is narrow, as promotion does: the other operand is the reason."""
    is_cast = equation.primitive.name == "convert_element_type"
    return is_cast and str(equation.invars[0].aval.dtype) in _NARROW


def _line_of(equation: Any) -> str:
    frames = equation.source_info.traceback.frames
    return line_of_class((frame.file_name, frame.line_num) for frame in reversed(frames))
