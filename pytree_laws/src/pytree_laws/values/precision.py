"""How exact numbers are: as the narrowest dtype on their way, of which P7 says whether it may be there."""

import contextlib
import functools
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from ..trace.jaxprs import equations
from .closeness import HALF_ROUNDINGS, Tolerance


def tolerated(suite: Any) -> Tolerance:
    """What a suite that declares no tolerance allows two computations of one number to differ by."""
    laws: Any = type(suite)
    dtype = suite.narrowest or narrowest_of(laws)
    is_narrow = dtype is not None and jnp.finfo(dtype).bits < 32
    return HALF_ROUNDINGS * float(jnp.finfo(dtype).eps) if is_narrow else None


@functools.cache
def narrowest_of(laws: Any) -> str | None:
    """The narrowest dtype that the call computes in, of those that are no integers."""
    with contextlib.suppress(Exception, pytest.skip.Exception):  # other laws tell
        jaxpr = laws().traced_call().jaxpr
        held = [v.aval for each in equations(jaxpr) for v in each.outvars]
        found = [one.dtype for one in held if _is_inexact(one)]
        if found:
            return str(max(found, key=lambda one: float(jnp.finfo(one).eps)))
    return None


def _is_inexact(aval: Any) -> bool:
    dtype = getattr(aval, "dtype", jax.dtypes.float0)
    return jnp.issubdtype(dtype, jnp.inexact)
