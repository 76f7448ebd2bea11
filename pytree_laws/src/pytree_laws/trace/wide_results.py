"""Lines of a class at which a computation in 16 bits becomes wider, for messages."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ..inspect.raised_at import line_of_class
from ..report import ADVICE, or_else
from .jaxprs import inner_jaxprs, is_variable, line_of, with_inner

FIXED_DTYPE = "an array with a fixed dtype (`dtype=x.dtype`)"
_NO_PROMISE = '`one_dtype = True` in the suite, `@test(severity="cost")` in a spec, says that it promises no other dtype'
_NARROW = ("bfloat16", "float16")


@or_else("")  # it cannot be traced alone, or jax tells of no line
def widened_in(function: Callable[..., Any], arguments: tuple[Any, ...], result: int) -> str:
    """Return the end of a hint that names the widening line: `: affine.py:12: return x + shift`.

    For a constant it says so, and it is empty if no line is known. `result` is the position of the output
    among all leaves.
    """
    jaxpr = jax.make_jaxpr(function)(*arguments).jaxpr
    way = _widening(jaxpr, jaxpr.outvars[result])
    line = _line(way[0], way[-1]) if way else "it is a constant"
    return f": {line}" if line else ""


_FOR_WIDE = frozenset(
    (
        *("cholesky", "lu", "eigh", "eig", "svd", "qr", "geqrf", "householder_product", "triangular_solve"),
        *("schur", "hessenberg", "tridiagonal", "tridiagonal_solve", "custom_linear_solve"),
    )
)
"""Operations of jax that need at least float32."""


def has_wide_operations(jaxpr: Any) -> bool:
    """Whether a program has operations that need float32, such as `cholesky`."""
    return any(equation.primitive.name in _FOR_WIDE for equation in with_inner(jaxpr.eqns))


@or_else(False)
def is_wide_alone(function: Callable[..., Any], arguments: tuple[Any, ...], result: int) -> bool:
    """Whether an output comes from operations without a 16-bit form: complex parts, factors of matrices."""
    jaxpr = jax.make_jaxpr(function)(*arguments).jaxpr
    behind = _wide_behind(jaxpr, jaxpr.outvars[result])
    outer = [equation for equation in jaxpr.eqns if id(equation) in behind]
    inner = [*with_inner(outer)]
    if any(equation.primitive.name in _FOR_WIDE for equation in inner):
        return True
    atoms = (atom for equation in inner for atom in equation.invars)
    return any(jnp.issubdtype(atom.aval.dtype, jnp.complexfloating) for atom in atoms)


def _line(outer: Any, inner: Any) -> str:
    """Return the line of an equation in a jitted function, or of the call if jax traced it elsewhere."""
    called = line_of(outer)
    frames = ((frame.file_name, frame.line_num) for frame in inner.source_info.traceback.frames)
    is_of_call = not called or any(line_of_class([frame]) == called for frame in frames)
    return line_of(inner) if is_of_call else called


def _widening(jaxpr: Any, variable: Any) -> list[Any]:
    """Return the equation that makes a value wide, preferring wide sources to casts.

    If the equation calls a jitted function, the equation inside follows.
    """
    behind = _wide_behind(jaxpr, variable)
    sources = [equation for equation in jaxpr.eqns if id(equation) in behind and not behind[id(equation)]]
    first = min(sources, key=_is_promotion, default=None)
    return [] if first is None else [first, *_within(first)]


def _within(equation: Any) -> list[Any]:
    """Return the equation that makes a value wide inside the jitted function that an equation calls."""
    inner = inner_jaxprs(equation)
    if len(inner) != 1 or len(inner[0].outvars) != len(equation.outvars):
        return []
    results = (v for v, out in zip(inner[0].outvars, equation.outvars) if _is_wide(out))
    return next(filter(None, (_widening(inner[0], v) for v in results)), [])


def _wide_behind(jaxpr: Any, variable: Any) -> dict[int, list[Any]]:
    """Map the id of each equation behind a wide output to its wide operands made by equations."""
    made = {out: equation for equation in jaxpr.eqns for out in equation.outvars}
    behind: dict[int, list[Any]] = {}
    waiting = [variable] if is_variable(variable) else []  # a literal cannot be hashed
    while waiting:
        equation = made.get(waiting.pop())
        if equation is not None and id(equation) not in behind:
            wide = [atom for atom in equation.invars if is_variable(atom) and _is_wide(atom) and atom in made]
            behind[id(equation)] = wide
            waiting += wide
    return behind


def _is_wide(atom: Any) -> bool:
    dtype = getattr(atom.aval, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.floating) and str(dtype) not in _NARROW


def _is_promotion(equation: Any) -> bool:
    """Whether an equation only widens a narrow value, or has a weakly typed result.

    Then another operand is the reason.
    """
    is_cast = equation.primitive.name == "convert_element_type"
    is_weak = any(getattr(out.aval, "weak_type", False) for out in equation.outvars)
    return is_weak or (is_cast and str(equation.invars[0].aval.dtype) in _NARROW)


def unless_promised(suite: Any) -> str:
    """Return the end of a hint about a class that promises a single dtype, or an empty string.

    It is empty if the finding fails no test.
    """
    fails = suite.declares_arrays() and suite.severity == ADVICE and not suite.one_dtype
    return f", or {_NO_PROMISE}" if fails else ""
