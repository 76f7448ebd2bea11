"""How exact numbers are: the narrowest dtype that a suite allows on their way, and the tolerances that follow from it."""

from typing import Any

import jax.numpy as jnp
import pytest

from ..inspect.arrays import is_inexact_dtype
from ..report import or_else
from ..session import once_per_session
from ..trace.jaxprs import equations
from .closeness import HALF_ROUNDINGS, Tolerance


def tolerated(suite: Any) -> Tolerance:
    """What a suite that declares no tolerance allows two computations of one number to differ by."""
    dtype = suite.narrowest or narrowest_of(suite)
    return HALF_ROUNDINGS * float(jnp.finfo(dtype).eps) if is_half(dtype) else None


def is_half(dtype: str | None) -> bool:
    """Whether a dtype has 16 bits or fewer, in which small steps are lost."""
    return dtype is not None and jnp.finfo(dtype).bits < 32


@once_per_session
@or_else(None, Exception, pytest.skip.Exception)  # other laws tell
def narrowest_of(suite: Any) -> str | None:
    """The narrowest dtype that the call computes in, of those that are no integers."""
    arrays = [v.aval for each in equations(suite.traced_call().jaxpr) for v in each.outvars]
    dtypes = [getattr(array, "dtype", None) for array in arrays]
    float_dtypes = [dtype for dtype in dtypes if is_inexact_dtype(dtype)]
    return str(max(float_dtypes, key=lambda dtype: float(jnp.finfo(dtype).eps))) if float_dtypes else None
