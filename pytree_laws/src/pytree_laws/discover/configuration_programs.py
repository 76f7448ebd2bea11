"""Keys, dtypes and NaN in the programs of traced configurations."""

from collections.abc import Collection, Sequence
from typing import Any

import jax

from ..declare.methods import has_method_beside
from ..engine.first_use import called_method, example_call
from ..inspect.arrays import has_dtype, is_array, is_inexact, is_key
from ..inspect.classes import is_state
from ..report import ADVICE
from ..session import once_per_session
from ..trace.dependencies import (
    handed_to_stop,
    inputs_computed_with,
    inputs_reaching,
    inputs_read,
    stopped_inputs,
)
from .configurations import TracedConfiguration, traced_configurations
from .evaluation import severity_of_values
from .invocation import trace_call


def is_float(value: Any) -> bool:
    return is_array(value) and has_dtype(value, "float")


def has_other_keys(traced: TracedConfiguration) -> bool:
    """Whether an error comes from a dict with changed keys that met a dict with the usual keys.

    An example is the dict of gradients.
    """
    words = ("structure", "pytree", "children")
    message = str(traced.error).lower()
    return traced.configuration.changes_a_dict and any(word in message for word in words)


def lacks_its_state(suite: Any, traced: TracedConfiguration) -> bool:
    """Whether a configuration keeps arrays in `eqx.nn.State` that the state of the example lacks."""
    is_given = any(map(is_state, suite.arguments(0)))
    return isinstance(traced.error, KeyError) and bool(traced.configuration.inputs) and is_given


def lacks_its_key(suite: Any, traced: TracedConfiguration) -> bool:
    """Whether a configuration leaves out a key, so that the call may fail in any way."""
    use = example_call(suite)
    changes = traced.configuration.given.items()
    return use is not None and any(v is None and is_key(use.given[name]) for name, v in changes)


def dtypes_of(traced: TracedConfiguration) -> list[Any]:
    return [out.dtype for out in jax.tree.leaves(traced.trace[1])] if traced.trace else []


def is_of_dtypes(traced: TracedConfiguration) -> bool:
    """Whether a configuration changes an argument such as `dtype`, and thereby chooses its dtypes."""
    return any("dtype" in name for name in {**traced.configuration.inputs, **traced.configuration.given})


def leaves_reached(traced: TracedConfiguration, gradients: bool) -> dict[str, bool]:
    """Map the path of each inexact leaf to whether outputs depend on it, or whether `gradients` reach it."""
    if traced.trace is None:
        return {}
    return marks_by_path(traced, inputs_reaching(traced.trace[0].jaxpr, gradients))


def leaves_stopped(traced: TracedConfiguration) -> dict[str, bool]:
    """Map the path of each inexact leaf to whether `stop_gradient` keeps all gradients from it."""
    return marks_by_path(traced, stopped_inputs(traced.trace[0].jaxpr)) if traced.trace else {}


def leaves_behind_stops(traced: TracedConfiguration) -> dict[str, bool]:
    """Map the path of each inexact leaf to whether the call reads it only behind `stop_gradient`."""
    return marks_by_path(traced, handed_to_stop(traced.trace[0].jaxpr, of_reads=all)) if traced.trace else {}


def leaves_read(traced: TracedConfiguration) -> dict[str, bool]:
    """Map the path of each inexact leaf to whether the call reads it."""
    return marks_by_path(traced, inputs_read(traced.trace[0].jaxpr)) if traced.trace else {}


def marks_by_path(traced: TracedConfiguration, marks: Sequence[bool]) -> dict[str, bool]:
    """Map the path of each inexact leaf of the instance to its mark among the inputs of the trace."""
    pairs = zip(traced.inputs, marks)
    return {name[2:]: mark for (name, v), mark in pairs if name.startswith("0.") and is_inexact(v)}


def is_optional(subject: Any, path: str, gradients: bool = False) -> bool:
    """Whether the call uses an array at another value of one of its own options, such as `noon=True`."""
    options = (traced for traced in traced_configurations(subject) if traced.configuration.given)
    at_options = (traced for traced in options if not traced.configuration.inputs)
    return any(leaves_reached(traced, gradients).get(path, False) for traced in at_options)


@once_per_session
def stored_paths(suite: Any) -> frozenset[str]:
    """Return the paths of arrays that gradients of a later call reach through updates of this call."""
    usual, handed_on = traced_configurations(suite)[0], suite.handed_on()
    if not (handed_on and usual.inputs):
        return frozenset()
    (closed, (_, after)), _ = trace_call(usual.suite, usual.instance, {}, after=True)
    variables = zip(sorted(after), closed.jaxpr.outvars[len(closed.jaxpr.outvars) - len(after) :])
    updated = [variable for path, variable in variables if path in handed_on]
    marks = inputs_computed_with(closed.jaxpr.replace(outvars=updated), gradients=True)
    return frozenset(path for path, mark in marks_by_path(usual, marks).items() if mark)


def whole_program(subject: Any, traced: TracedConfiguration) -> Any:
    """Return the jaxpr of a configuration, with the updates of a mutable instance among its outputs."""
    if not subject.is_mutable:
        return traced.trace[0].jaxpr
    given = traced.configuration.given
    return trace_call(traced.suite, traced.instance, given, after=True)[0][0].jaxpr


def severity_of_idle(subject: Any, paths: Collection[str], gradients: bool = False) -> str:
    """Return how severe it is that edits of these arrays do not show, or that their gradients are zero.

    If the call computes with the arrays, the example may be to blame. For instance, a mask hides values, or a
    comparison has no slope. An array that is read only behind `stop_gradient` is stopped on purpose. If the
    example calls one of several methods, another method may use the array.
    """
    usual = traced_configurations(subject)[0]
    reached = leaves_reached(usual, gradients=False)
    stopped, meant = (leaves_stopped(usual), leaves_behind_stops(usual)) if gradients else ({}, {})
    is_computed_with = any(reached.get(path, False) and not stopped.get(path, False) for path in paths)
    is_meant = all(meant.get(path, False) for path in paths)
    is_advice = is_computed_with or is_meant or calls_a_part(subject)
    return ADVICE if is_advice else severity_of_values(subject)


def calls_a_part(subject: Any) -> bool:
    """Whether the example calls a method in place of `__call__`, or one of several methods.

    Another method may use the leaves that this method does not.
    """
    called = called_method(subject)
    return bool(called) and has_method_beside(type(subject.cached_instance()), called)


def is_cut_off(subject: Any, paths: Collection[str]) -> bool:
    """Whether `stop_gradient` keeps all gradients of the call from some of these leaves."""
    stopped = leaves_stopped(traced_configurations(subject)[0])
    return any(stopped.get(path, False) for path in paths)
