"""P19: the call computes what its author knows, by a reference or by invariants."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...declare.invariants import both_sides, slack_of
from ...engine.applicability import CALLED, Condition, declares
from ...engine.registry import Checks
from ...inspect.arrays import real_dtype, wide_in_numpy
from ...inspect.classes import is_state
from ...inspect.trees import map_arrays
from ...kinds.suite import Suite
from ...report import ANY_ERROR, Law, check, doing
from ...values.closeness import in_64_bits, tolerance_of
from ...values.comparison import check_compared
from ...values.dtypes import SEEDS, compiled_call, dtype_of, example_in, example_name
from ...values.randomize import randomize

LAW = Law(
    number="P19",
    name="numbers",
    statement="Outputs, gradients and what methods give are those that were last recorded, on fixed examples and with flags at their other values; the call gives the values and dtypes of its reference in NumPy, on examples and on random values, in each dtype that is declared.",
    protects="Results that change while shapes and dtypes stay, such as a flipped sign or a wrong axis: the first run records them, later runs compare.",
    mistake="A sign, a transposition, an axis or a factor that is another than in the formula, or a promotion that the formula does not have.",
    fix="Compare both line by line at the first element that differs; record what is right anew; `tolerance` allows more rounding.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p07_outputs_are"),
    rests_there_on=("test_",),  # what is wrong there changes the numbers as well
)
CHECKS = Checks(LAW)

REFERENCE = Condition(
    "no reference is declared", lambda suite: type(suite).reference is not Suite.reference, "reference"
)
STEPS = 16  # by how many roundings of one number a few sums of several may differ


@CHECKS.register(declares("invariants", "no invariants are declared"), CALLED)
def test_p19_invariants_hold(subject: Suite) -> None:
    for dtype in (None, *subject.dtypes):
        for seed in range(SEEDS):
            with example_in(subject, dtype, seed) as example:
                for said in subject.invariants:
                    check_invariant(subject, said, example, dtype, seed)


def check_invariant(subject: Suite, said: str, example: Any, dtype: str | None, seed: int) -> None:
    value, wanted = both_sides(subject, said, *example)
    value, wanted = np.broadcast_arrays(value, wanted)
    usual = tolerance_of(dtype or real_dtype("float"), subject.tolerance)
    largest = float(np.abs(wanted).max(initial=1.0))
    allowed = STEPS * usual * largest + slack_of(said) * largest
    wrong = np.argwhere(~(np.abs(value - wanted) <= allowed))
    where = example_name(dtype, seed)
    message = f"`{said}` does not hold, with {where}"
    if len(wrong):
        first = tuple(map(int, wrong[0]))
        message += f": {value[first]:.6g} should be {wanted[first]:.6g}"
        message += f" at {first}" if first else ""
    check(not len(wrong), "call", message, "what the call does beside what it says")


@CHECKS.register(REFERENCE, CALLED)
def test_p19_outputs_are_those_of_the_reference(subject: Suite) -> None:
    call = compiled_call(subject)
    for dtype in (None, *subject.dtypes):
        for seed in range(SEEDS):
            where = example_name(dtype, seed)
            with example_in(subject, dtype, seed) as (instance, arguments):
                with doing("reference", f"the reference on {where}"):
                    wanted = _reference_of(subject, instance, arguments)
                _check_numbers(subject, where, call(instance, *arguments), wanted)


@CHECKS.register(REFERENCE, CALLED)
def test_p19_random_values_give_those_of_the_reference(subject: Suite) -> None:
    call = compiled_call(subject)
    for seed in range(1, 1 + 2 * SEEDS):
        # Signs are other ones as well for an odd seed.
        instance, arguments = randomize((subject.cached_instance(seed), subject.arguments(seed)), seed)
        try:
            wanted = _reference_of(subject, instance, arguments)
            got = call(instance, *arguments)
        except ANY_ERROR:
            continue  # what they compute is not defined for these values
        if all(np.isfinite(v).all() for v in jax.tree.leaves(wanted)):
            _check_numbers(subject, f"random values of seed {seed}", got, wanted)


def _reference_of(subject: Suite, instance: Any, arguments: Any) -> Any:
    """Run the reference, and return arrays in the dtypes that the call has to return."""
    usual = dtype_of((instance, arguments))
    call_arguments = map_arrays(wide_in_numpy, arguments)
    with in_64_bits(), np.errstate(all="ignore"):
        result = subject.reference(subject.in_numpy(instance), *call_arguments)
        return jax.tree.map(lambda value: as_the_call_has_it(value, usual), result)


def _check_numbers(subject: Suite, where: str, got: Any, wanted: Any) -> None:
    message = f"with {where} it is not what the reference gives"
    check_compared("call", message, without_state(got), wanted, subject.tolerance)


def as_the_call_has_it(value: Any, usual: Any) -> np.ndarray:
    """Cast a result of the reference to the precision of the call.

    The reference computes in 64 bits. A narrower result is cast there on purpose, and stays.
    """
    array = np.asarray(value)
    if array.dtype.name in ("float64", "complex128") and usual is not None:
        parts = jnp.finfo(usual).dtype
        complex_dtype = np.complex128 if parts.itemsize == 8 else np.complex64
        return array.astype(complex_dtype if array.dtype == np.complex128 else parts)
    return array.astype(jax.dtypes.canonicalize_dtype(array.dtype))


def without_state(result: Any) -> Any:
    """Return a result without the next `equinox.nn.State`, which no reference covers."""
    if type(result) is not tuple or not any(map(is_state, result)):
        return result
    rest = tuple(part for part in result if not is_state(part))
    return rest[0] if len(rest) == 1 else rest
