"""S9: a step is a function of its state and its batch."""

import jax
import jax.numpy as jnp
import numpy as np

from ...engine.applicability import not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import is_inexact_dtype
from ...report import ANY_ERROR, Law, check
from ...trace.jaxprs import equations
from ...values.dtypes import is_half
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S9",
    name="reproducible",
    statement="From one state and one batch a step gives the same again, bit by bit, and nearly the same without `jax.jit`.",
    protects="A run that cannot be repeated from its seed, and a learning-rate schedule that was frozen when the step was traced.",
    mistake="A schedule or a switch in a variable of Python, which the trace reads once; randomness of NumPy.",
    fix="Keep in the state what a step depends on.",
)
CHECKS = Checks(LAW)

ROUNDINGS = 1e4  # that may add up in a step
HALF_ROUNDINGS = 16  # the same in 16 bits
ROUNDED_MORE = 10  # times more than by the last bits of a batch a step may be rounded on the way


@CHECKS.register()
def test_s9_a_step_is_reproducible(suite: StepSuite, step_run: StepRun) -> None:
    first, second = step_run.step_from_start(), step_run.step_from_start()
    for name in first:
        same = first[name].tobytes() == second[name].tobytes()
        check(same, name, "the same step from the same state gives another value")
    try:
        with jax.disable_jit():
            eager = step_run.step_from_start()
    except ANY_ERROR:
        not_applicable("the step does not run without jax.jit")
    allowed = _rounding(step_run)
    for name in first:
        message = f"compiled it is {_shown(first[name])}, without jax.jit it is {_shown(eager[name])}"
        hint = "a variable of Python that the step reads, and that differs by now"
        pair = first[name], eager[name]
        check(_close(*pair, allowed) or _is_rounding(step_run, name, *pair), name, message, hint)


def _is_rounding(run: StepRun, name: str, first: np.ndarray, eager: np.ndarray) -> bool:
    """Whether changes in the last bits of the batch move an array as far.

    For example, Adam makes a full step from a gradient that is zero but for rounding.
    """
    if not jnp.issubdtype(first.dtype, jnp.inexact):
        return False
    moved = max(float(np.abs(first - other[name]).max(initial=0.0)) for other in run.rounded_from_start)
    return float(np.abs(first - eager).max(initial=0.0)) <= ROUNDED_MORE * moved


def _rounding(run: StepRun) -> float:
    """Return the relative error that rounding may add up to, in the dtypes of the state, batch and step."""
    traced = () if isinstance(run.jaxpr, Exception) else equations(run.jaxpr.jaxpr)
    arrays = [*run.arrays.values(), *(v.aval for each in traced for v in each.outvars)]
    dtypes = {str(array.dtype) for array in arrays if is_inexact_dtype(getattr(array, "dtype", None))}
    counts = ((HALF_ROUNDINGS if is_half(dtype) else ROUNDINGS, jnp.finfo(dtype)) for dtype in dtypes)
    return max((count * float(info.eps) for count, info in counts), default=0.0)


def _close(array: np.ndarray, other: np.ndarray, allowed: float) -> bool:
    """Whether two arrays differ by at most a share of their largest element."""
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return bool(np.array_equal(array, other))
    wide = array.astype(np.complex128), other.astype(np.complex128)
    largest = float(np.abs(wide[0]).max(initial=1e-30))
    return np.allclose(*wide, rtol=0, atol=allowed * largest, equal_nan=True)


def _shown(value: np.ndarray) -> str:
    return np.array2string(value.ravel()[:4], precision=4)
