"""Running traced configurations, with other values in their leaves, and what their calls leave unused."""

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
    """The instance of a configuration; what is built anew has random values: drawing them as the constructor does takes long."""
    configuration = trial.configuration
    return randomize(trial.instance, 2) if configuration.inputs or not configuration.size else trial.instance


def run_traced(suite: Any, trial: TracedConfiguration) -> list[Any]:
    """The arrays that a configuration gives when it is called."""
    with warnings.catch_warnings(action="ignore"):
        call, arguments = call_function(trial.suite, trial.configuration.given)
        tree, back = suite.to_tree(with_other_values(trial))
        return numbers_of(call(back(tree), arguments))


def evaluated(trials: Sequence[TracedConfiguration]) -> list[Any]:
    """The arrays that configurations give when their traces are evaluated, or an error.

    They are traced anew: what is held twice in one instance need not be so in one with other values.
    """
    with warnings.catch_warnings(action="ignore"):
        calls = ((each.suite, with_other_values(each), each.configuration.given) for each in trials)
        traces = [trace_call(*call) for call in calls]
    programs = ((jax.extend.core.jaxpr_as_fun(closed), inputs) for (closed, _), inputs in traces)
    return run_batched([(program, [value for _, value in inputs]) for program, inputs in programs])


def of_generic(trials: Sequence[TracedConfiguration]) -> list[Any]:
    """The arrays that configurations give where floats are positive and differ, by their traces; or an error."""
    programs: list[tuple[Any, list[Any]]] = []
    for trial in trials:
        drawn = randomize([value for _, value in trial.inputs], 2)
        inputs = [new if name.startswith("0.") else v for new, (name, v) in zip(drawn, trial.inputs)]
        programs.append((jax.extend.core.jaxpr_as_fun(trial.trace[0]), inputs))
    return run_batched(programs)


@once_per_session
@or_else(FAULT)
def severity_of_values(suite: Any) -> str:
    """How much a value matters that is computed of the example: of one whose outputs have NaN, the class may not allow the values."""
    instance, arguments = suite.cached_example()
    outcome = suite.compiled_ways()[0](instance, *arguments)
    return ADVICE if any(map(has_nan, arrays_of(suite.output_of(outcome)))) else FAULT


def of_one_sign(arguments: Any) -> bool:
    """Whether floats are among the arguments, and each array of them has one sign: zeros may be no numbers for them."""
    floats = [np.asarray(value) for value in arrays_of(arguments) if is_floating(value)]
    return bool(floats) and all(map(has_one_sign, floats))


@once_per_session
def unused_arguments(suite: Any) -> tuple[str, ...]:
    """The arguments of the call, by name, on which nothing depends that it returns or updates, in any configuration."""
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
    """How a suite, and the spec of a generated one, say that arguments are unused."""
    listed = ", ".join(map(repr, names))
    in_spec = ", ".join(f'"{name}"' for name in names)
    return f"`ignored = ({listed},)` says that this is so on purpose, and in a spec `[test]` with `unused = [{in_spec}]`"


def is_of_a_base(suite: Any, name: str) -> bool:
    """Whether a base has a method of this name, so that its arguments are no choice of the class."""
    cls = type(suite.cached_instance())
    return [owner for owner in cls.__mro__ if name in vars(owner)] != [cls]


def _used(trial: TracedConfiguration, names: set[str]) -> set[str]:
    """The arguments that a configuration uses: any of these, where that cannot be seen."""
    changes = trial.configuration.given
    try:
        (closed, _), inputs = trace_call(trial.suite, trial.instance, changes, by_name=True, after=True)
    except ANY_ERROR:
        return names
    if not inputs:  # the call goes by values, and the trace has none
        return names
    marks = zip(inputs, inputs_reaching(closed.jaxpr))
    return {name.split(".")[1] for (name, _), mark in marks if mark and name[0] == "1"}
