"""Texts of programs, by which two of them are told apart."""

from typing import Any

from ..inspect.arrays import raw
from .jaxprs import equations, is_variable, without_dead


def constants_of(closed: Any) -> list[Any]:
    """List the arrays that a trace captures, including its inner traces."""
    inner = [c for e in equations(closed.jaxpr) for v in e.params.values() for c in getattr(v, "consts", ())]
    return [*closed.consts, *inner]


def program_text(closed: Any) -> str:
    """Return the text of a program with a digest of the constants that it reads.

    The text of a jaxpr leaves constants out, as the array of a setting.
    """
    read = {atom for equation in closed.jaxpr.eqns for atom in equation.invars if is_variable(atom)}
    read |= {atom for atom in closed.jaxpr.outvars if is_variable(atom)}
    unread = {id(value) for name, value in zip(closed.jaxpr.constvars, closed.consts) if name not in read}
    constants = (raw(constant) for constant in constants_of(closed) if id(constant) not in unread)
    return "\n".join([str(closed), *(str(hash(constant.tobytes())) for constant in constants)])


def live_text(closed: Any) -> str:
    """Return the text of the part of a program that its results need."""
    return program_text(closed.replace(jaxpr=without_dead(closed.jaxpr)))
