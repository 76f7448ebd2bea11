"""Evaluation of traced configurations at other values of their leaves, and unused arguments of calls."""

import warnings
from collections.abc import Sequence
from typing import Any

import jax.extend.core
import numpy as np

from ..engine.first_use import example_call
from ..inspect.arrays import is_floating, is_key
from ..inspect.trees import arrays_of, numbers_of
from ..report import ADVICE, ANY_ERROR, FAULT, or_else
from ..session import once_per_session
from ..trace.dependencies import inputs_reaching
from ..trace.programs import run_batched
from ..values.edge_values import has_nan
from ..values.randomize import has_one_sign, randomize
from .configurations import TracedConfiguration, traced_configurations
from .invocation import call_function, trace_call


def with_other_values(trial: TracedConfiguration) -> Any:
    """Return the instance of a configuration, with random values if it is built anew or is the example.

    Random values are cheaper than those that the constructor draws.
    """
    configuration = trial.configuration
    return randomize(trial.instance, 2) if configuration.inputs or not configuration.size else trial.instance


def run_traced(suite: Any, trial: TracedConfiguration) -> list[Any]:
    """Call a configuration, and return the arrays of its result."""
    with warnings.catch_warnings(action="ignore"):
        call, arguments = call_function(trial.suite, trial.configuration.given)
        tree, back = suite.to_tree(with_other_values(trial))
        return numbers_of(call(back(tree), arguments))


def evaluated(trials: Sequence[TracedConfiguration]) -> list[Any]:
    """Evaluate configurations, and return the arrays of each or its error.

    Each is traced anew, because two leaves may be one object in the traced instance only.
    """
    with warnings.catch_warnings(action="ignore"):
        calls = ((each.suite, with_other_values(each), each.configuration.given) for each in trials)
        traces = [trace_call(*call) for call in calls]
    programs = ((jax.extend.core.jaxpr_as_fun(closed), inputs) for (closed, _), inputs in traces)
    return run_batched([(program, [value for _, value in inputs]) for program, inputs in programs])


def of_generic(trials: Sequence[TracedConfiguration]) -> list[Any]:
    """Evaluate traces with distinct positive floats in the instances, and return arrays or errors."""
    programs: list[tuple[Any, list[Any]]] = []
    for trial in trials:
        drawn = randomize([value for _, value in trial.inputs], 2)
        inputs = [new if name.startswith("0.") else v for new, (name, v) in zip(drawn, trial.inputs)]
        programs.append((jax.extend.core.jaxpr_as_fun(trial.trace[0]), inputs))
    return run_batched(programs)


@once_per_session
@or_else(FAULT)
def severity_of_values(suite: Any) -> str:
    """Return the severity of a wrong value: advice if the example gives NaN, since it may be illegal."""
    instance, arguments = suite.cached_example()
    outcome = suite.compiled_ways()[0](instance, *arguments)
    return ADVICE if any(map(has_nan, arrays_of(suite.output_of(outcome)))) else FAULT


def of_one_sign(arguments: Any) -> bool:
    """Whether floats are among the arguments, and each array has one sign, so that zeros may be illegal."""
    floats = [np.asarray(value) for value in arrays_of(arguments) if is_floating(value)]
    return bool(floats) and all(map(has_one_sign, floats))


@once_per_session
def unused_arguments(suite: Any) -> tuple[str, ...]:
    """Return the arguments of the call on which no result or update depends, in any configuration."""
    use = example_call(suite)
    if use is None or is_of_a_base(suite, use.name):
        return ()
    if traced_configurations(suite)[0].trace is None:  # what no trace shows may still matter
        return ()
    arrays = {name: arrays_of(value) for name, value in use.given.items() if name[0] != "_"}
    names = {n for n, own in arrays.items() if any(v.size for v in own) and not any(map(is_key, own))}
    for trial in traced_configurations(suite):
        if names and trial.trace is not None:
            names -= _used(trial, names)
    return tuple(name for name in use.given if name in names)


def on_purpose(names: Sequence[str]) -> str:
    """Return the hint that declares arguments as unused, in a suite and in a spec."""
    listed = ", ".join(map(repr, names))
    in_spec = ", ".join(f'"{name}"' for name in names)
    return f"`ignored = ({listed},)` says that this is so on purpose, and in a spec `[test]` with `unused = [{in_spec}]`"


def is_of_a_base(suite: Any, name: str) -> bool:
    """Whether a base has a method of this name, so that the class does not choose its arguments."""
    cls = type(suite.cached_instance())
    return [owner for owner in cls.__mro__ if name in vars(owner)] != [cls]


def _used(trial: TracedConfiguration, names: set[str]) -> set[str]:
    """Return the arguments that a configuration uses, or all of them if no trace shows this."""
    changes = trial.configuration.given
    try:
        (closed, _), inputs = trace_call(trial.suite, trial.instance, changes, by_name=True, after=True)
    except ANY_ERROR:
        return names
    if not inputs:  # the call goes by values, and the trace has none
        return names
    marks = zip(inputs, inputs_reaching(closed.jaxpr))
    return {name.split(".")[1] for (name, _), mark in marks if mark and name[0] == "1"}
