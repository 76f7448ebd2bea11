"""Numbers that a class computes on fixed examples: results, gradients, methods without arguments."""

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from ..declare.methods import is_action
from ..inspect.arrays import is_array, is_inexact, real_dtype, same_bits
from ..inspect.classes import is_of_library, needs_nothing
from ..inspect.trees import is_number, named_numbers
from ..report import ANY_ERROR
from ..session import once_per_session
from ..trace.jaxprs import loops_by_values
from ..values.edge_values import changed_pairs, is_finite, rounded
from .format import Entry, entries

Numbers = dict[str, Any]
OTHERWISE = "with other arguments"
SECTIONS = AS_BUILT, ELSEWHERE = "as it is built", "with other numbers"
"""Sections for a fresh instance, and for an instance with other parameters.

A bias of zeros, for example, hides its sign.
"""


def section_numbers(suite: Any, section: str) -> Numbers:
    """Return the numbers of one section."""
    instance, arguments = suite.cached_instance(), suite.arguments(0) if suite.called() else ()
    numbers = dict(suite.named(instance)) if section == AS_BUILT else {}
    if section == ELSEWHERE:
        instance = suite.elsewhere(instance)
    if suite.called():
        results = suite.called_with(instance, arguments)
        grads = suite.gradients(instance, arguments) if any(map(is_inexact, results.values())) else {}
        numbers |= {**results, **{f"gradient of {path}": grad for path, grad in grads.items()}}
    numbers |= _of_methods(suite, instance)
    return {name: _number(value) for name, value in numbers.items() if is_number(value)}


def with_other_arguments(suite: Any) -> dict[str, Entry]:
    """Return entries of the results of the call for tied, large and negative arguments."""
    if not suite.called():
        return {}
    numbers: Numbers = {}
    with contextlib.suppress(*ANY_ERROR), warnings.catch_warnings(action="ignore"):
        if loops_by_values(suite.traced_call().jaxpr):
            return {}  # by other numbers it might never end
        value, back = suite.to_arrays(suite.elsewhere(suite.cached_instance()))
        for where, [(moved, arguments)] in changed_pairs([(value, suite.arguments(0))]):
            results = suite.called_with(back(moved), arguments).items()
            numbers |= {f"{name}{where}": v for name, v in results if is_finite(v)}
    return entries({name: _number(v) for name, v in numbers.items() if is_number(v)})


def _of_methods(suite: Any, instance: Any) -> Numbers:
    """Return the results of properties and methods without arguments, except leaves of the instance."""
    leaves = list(suite.named(instance).values())
    result: Numbers = {}
    for name in sorted(without_arguments(type(instance))):
        # What it raises, or that it is not the same twice, is no number.
        with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
            first, second = (named_numbers(name, _evaluated(suite.copied(instance), name)) for _ in range(2))
            result |= {
                path: value
                for path, value in first.items()
                if same_bits(value, second[path]) and not any(same_bits(value, leaf) for leaf in leaves)
            }
    return result


def _evaluated(instance: Any, name: str) -> Any:
    attribute = getattr(instance, name)
    is_property = isinstance(inspect.getattr_static(type(instance), name), property)
    result = attribute if is_property else attribute()
    return () if type(result) is type(instance) else result


def without_arguments(cls: type) -> Iterator[str]:
    """Yield the properties of a class, and its methods that need no arguments."""
    owners = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    for name in dict.fromkeys(name for owner in owners for name in vars(owner)):
        value = inspect.getattr_static(cls, name)
        if name.startswith("_") or isinstance(value, type) or is_action(cls, name):
            continue
        if isinstance(value, property) or (callable(value) and needs_nothing(value)):
            yield name


def _number(value: Any) -> np.ndarray:
    if is_array(value):
        return np.asarray(value)
    return np.asarray(value, real_dtype(type(value).__name__))


PATTERNS = range(2)
"""Patterns of rounding to try. In a single pattern, changes may cancel."""


@once_per_session
def with_rounded_example(suite: Any, pattern: int) -> Any:
    """Return the suite with the last bits of every number changed that a program takes."""
    laws: Any = type(suite)

    def arguments(self: Any, seed: int) -> Any:
        with jax.ensure_compile_time_eval():  # a first call is made inside of a trace
            return rounded(laws.arguments(self, seed), pattern, by=2)

    def cached_instance(self: Any, seed: int = 0) -> Any:
        return _of_instance(self, laws.cached_instance(self, seed), pattern)

    def elsewhere(self: Any, instance: Any) -> Any:
        return _of_instance(self, laws.elsewhere(self, instance), pattern)

    changed: dict[str, Any] = {"cached_instance": cached_instance, "elsewhere": elsewhere}
    changed |= {"arguments": arguments} if suite.called() else {}  # by which a class is called
    return type(laws.__name__, (laws,), {"__module__": laws.__module__, "__doc__": laws.__doc__, **changed})()


def _of_instance(suite: Any, instance: Any, pattern: int) -> Any:
    value, back = suite.to_arrays(instance)
    return back(rounded(value, pattern))
