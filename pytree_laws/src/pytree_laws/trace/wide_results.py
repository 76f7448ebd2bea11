"""Where a computation in 16 bits gets a wider float: the line of the class, for a message."""

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
    """What follows a hint: `: affine.py:12: return x + shift`, or that nothing is computed; empty where no line of the class is known.

    `result` is the place of the output among all leaves that the function gives.
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
"""The operations of jax that take floats of 32 bits at least."""


def has_wide_operations(jaxpr: Any) -> bool:
    """Whether a program computes with what there is for floats of 32 bits alone, as `cholesky`."""
    return any(equation.primitive.name in _FOR_WIDE for equation in with_inner(jaxpr.eqns))


@or_else(False)
def is_wide_alone(function: Callable[..., Any], arguments: tuple[Any, ...], result: int) -> bool:
    """Whether an output is made of what has no form of 16 bits: parts of complex numbers, and factors of matrices."""
    jaxpr = jax.make_jaxpr(function)(*arguments).jaxpr
    behind = _wide_behind(jaxpr, jaxpr.outvars[result])
    outer = [equation for equation in jaxpr.eqns if id(equation) in behind]
    inner = [*with_inner(outer)]
    if any(equation.primitive.name in _FOR_WIDE for equation in inner):
        return True
    atoms = (atom for equation in inner for atom in equation.invars)
    return any(jnp.issubdtype(atom.aval.dtype, jnp.complexfloating) for atom in atoms)


def _line(outer: Any, inner: Any) -> str:
    """The line of an equation in a compiled function; of its call, where jax has traced that function at another one."""
    called = line_of(outer)
    frames = ((frame.file_name, frame.line_num) for frame in inner.source_info.traceback.frames)
    is_of_call = not called or any(line_of_class([frame]) == called for frame in frames)
    return line_of(inner) if is_of_call else called


def _widening(jaxpr: Any, variable: Any) -> list[Any]:
    """The first equation that makes something wide of what is not: what is wide from the start, before what a cast makes so.

    After one that calls a compiled function stands the one in that.
    """
    behind = _wide_behind(jaxpr, variable)
    sources = [equation for equation in jaxpr.eqns if id(equation) in behind and not behind[id(equation)]]
    first = min(sources, key=_is_promotion, default=None)
    return [] if first is None else [first, *_within(first)]


def _within(equation: Any) -> list[Any]:
    """The equation that makes something wide in the compiled function that one calls, if it calls any."""
    inner = inner_jaxprs(equation)
    if len(inner) != 1 or len(inner[0].outvars) != len(equation.outvars):
        return []
    results = (v for v, out in zip(inner[0].outvars, equation.outvars) if _is_wide(out))
    return next(filter(None, (_widening(inner[0], v) for v in results)), [])


def _wide_behind(jaxpr: Any, variable: Any) -> dict[int, list[Any]]:
    """By the id of each equation that a wide output comes from, those of its operands that are wide, and made by equations too."""
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
    """Whether another operand is the reason: it only makes wide what is narrow, or has no dtype of its own."""
    is_cast = equation.primitive.name == "convert_element_type"
    is_weak = any(getattr(out.aval, "weak_type", False) for out in equation.outvars)
    return is_weak or (is_cast and str(equation.invars[0].aval.dtype) in _NARROW)


def unless_promised(suite: Any) -> str:
    """What to declare of a class that computes in one dtype alone; nothing where that fails no test."""
    fails = suite.declares_arrays() and suite.severity == ADVICE and not suite.one_dtype
    return f", or {_NO_PROMISE}" if fails else ""
