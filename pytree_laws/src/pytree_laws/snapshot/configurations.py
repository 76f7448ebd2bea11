"""Record of leaves and outputs in configurations, and with options, that the example does not use."""

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.extend.core
import numpy as np

from ..discover.configurations import (
    Configuration,
    TracedConfiguration,
    accepted_configurations,
    changes_as_text,
    trace_configuration,
    traced_configurations,
)
from ..discover.invocation import call_function, given_to_constructor, trace_call, trace_inputs
from ..discover.likely import likely_configurations
from ..discover.method_programs import arrays_given, the_call, usable
from ..discover.method_uses import example_use
from ..inspect.arrays import is_array, is_floating, is_key
from ..inspect.trees import axis_sizes, bfloat16, changed, named_numbers, structure
from ..session import once_per_session
from ..trace.jaxprs import loops_by_values
from ..trace.programs import jit_all
from ..values.edge_values import FAR, is_finite
from .format import Entry, entries, finite_entries
from .methods import OPTIONS, numbers_of_methods

CONFIGURED = "in other configurations"
ACCEPTED = "at values that it accepts"
AFTER = "after "
MAX_RECORDED = 12  # configurations whose outputs are recorded
ABSENT = Entry("absent", (), ())


class Called(NamedTuple):
    """A configuration, its name, an instance with other numbers, and the trace of its call."""

    trial: TracedConfiguration
    where: str
    instance: Any
    trace: Any
    inputs: Sequence[Any]
    """Arrays that the trace takes."""
    changes: bool
    """Whether the call may change the instance in place."""

    @property
    def given(self) -> Mapping[str, Any]:
        """Arguments of the call that differ from the example."""
        return self.trial.configuration.given


def of_configurations(suite: Any) -> dict[str, Entry]:
    """Return entries of the leaves and outputs of each configuration that differ from the example."""
    usual, *_ = traced_configurations(suite)
    result: dict[str, Entry] = {}
    for configuration in _other_ways(suite):
        result |= _other_forms(suite, usual, configuration)
    result |= entries(outputs(suite)[CONFIGURED])
    return dict(sorted(result.items()))


def of_accepted(suite: Any) -> dict[str, Entry]:
    """Return entries of the outputs at the values that the constructor is declared to accept."""
    return finite_entries(outputs(suite)[ACCEPTED]) if suite.called() else {}


@once_per_session
def outputs(suite: Any) -> dict[str, dict[str, Any]]:
    """Return the outputs of the call by section, with other numbers than at the start, from one program."""
    more = [*_the_other(suite), *_one_more_of_each(suite)]
    places = {
        CONFIGURED: [*_called_otherwise(suite, _other_ways(suite)), *more],
        ACCEPTED: _called_otherwise(suite, accepted_configurations(suite)),
        OPTIONS: _called_otherwise(suite, likely_configurations(suite)),
    }
    with warnings.catch_warnings(action="ignore"):
        called: dict[str, list[Called]] = {section: [] for section in places}
        for section, trials in places.items():
            for trial, where in trials:
                with contextlib.suppress(Exception):
                    called[section].append(_called(suite, trial, where))
        results = list(_results(suite, [call for calls in called.values() for call in calls]))
    names = {id(call): section for section, calls in called.items() for call in calls}
    recorded: dict[str, dict[str, Any]] = {section: {} for section in called}
    for traced_call, moved, result in results:
        recorded[names[id(traced_call)]] |= _by_name(suite, traced_call, moved, result)
    return recorded


def _other_ways(suite: Any) -> list[TracedConfiguration]:
    """List the configurations that work and change only flags and options."""
    _, *others = traced_configurations(suite)
    return [each for each in others if each.error is None and each.configuration.changes_options_alone]


def _called_otherwise(
    suite: Any, trials: Sequence[TracedConfiguration]
) -> list[tuple[TracedConfiguration, str]]:
    """List the configurations whose call traces differently from the example, with their names."""
    usual, *_ = traced_configurations(suite)
    if usual.trace is None:
        return []
    text = str(usual.trace[0])
    works = (traced for traced in trials if traced.error is None and traced.trace is not None)
    # Of several changes, one may undo another.
    called = [trial for trial in works if trial.configuration.size > 1 or str(trial.trace[0]) != text]
    return [(traced, traced.configuration.built_with) for traced in called[:MAX_RECORDED]]


def _the_other(suite: Any) -> list[tuple[TracedConfiguration, str]]:
    """List the configuration that the suite declares as `other`, if it works and is not traced yet."""
    if suite.other is None or not suite.called():
        return []
    text = repr(dict(suite.other))
    if any(repr(traced.configuration.inputs) == text for traced in traced_configurations(suite)):
        return []
    trial = trace_configuration(suite, Configuration(inputs=suite.other))
    return [(trial, f" with another {', '.join(suite.other)}")] * (trial.error is None)


def _one_more_of_each(suite: Any) -> Iterator[tuple[TracedConfiguration, str]]:
    """Yield configurations with one more of each count in the constructor.

    A wrong order that two parts hide may show with three.
    """
    if not suite.called():
        return
    axes = axis_sizes(suite.arguments(0))
    for name, count in given_to_constructor(suite).items():
        if type(count) is int and count > 0 and count not in axes:
            trial = trace_configuration(suite, Configuration(inputs={name: count + 1}))
            if trial.error is None and name not in (suite.other or {}):
                yield trial, trial.configuration.built_with


def _other_forms(suite: Any, usual: TracedConfiguration, trial: TracedConfiguration) -> dict[str, Entry]:
    """Return entries of the arrays that a configuration adds, drops or changes in form.

    Their numbers are left out, since they depend on how this instance was built.
    """
    before, after = _forms(suite, usual), _forms(suite, trial)
    where = trial.configuration.built_with
    return {f"{name}{where}": after.get(name, ABSENT) for name in changed(before, after)}


def _forms(suite: Any, trial: TracedConfiguration) -> dict[str, Entry]:
    return {
        name: Entry("key" if is_key(v) else np.dtype(v.dtype).name, v.shape, ())
        for name, v in suite.named(trial.instance).items()
        if is_array(v)
    }


def _results(suite: Any, called: Sequence[Called]) -> Iterator[tuple[Called, str, Any]]:
    """Yield the result of each call for the example, and for other numbers with the suffix of its name."""
    run = jit_all([jax.extend.core.jaxpr_as_fun(call.trace[0]) for call in called])
    forms = [structure(call.trace[1]) for call in called]
    for value, form, arrays in zip(called, forms, run([call.inputs for call in called])):
        result = _eagerly(suite, value) if isinstance(arrays, Exception) else form.unflatten(arrays)
        yield value, "", result
    if any(loops_by_values(call.trace[0].jaxpr) for call in called):
        return  # by other numbers it might never end
    for moved, change in FAR.items():
        inputs = [trace_inputs(call.trial.suite, call.instance, call.given, change) for call in called]
        for value, form, arrays in zip(called, forms, run(inputs)):
            if not isinstance(arrays, Exception) and all(map(is_finite, arrays)):
                yield value, moved, form.unflatten(arrays)


def _by_name(suite: Any, traced_call: Called, moved: str, result: Any) -> dict[str, Any]:
    message = f"call({changes_as_text(traced_call.given)})"
    output, after = result if traced_call.changes else (result, {})
    after = {name: v for name, v in after.items() if name in suite.updated()}
    numbers = {**named_numbers(message, output), **named_numbers(f"{AFTER}{message}", after)}
    return {f"{n}{traced_call.where}{moved}": np.asarray(v) for n, v in numbers.items() if is_array(v)}


def _called(suite: Any, trial: TracedConfiguration, where: str) -> Called:
    """Return a configuration with its name, an instance with other numbers, and the inputs of its trace."""
    instance, arguments = suite.elsewhere(trial.instance), trial.configuration.given
    changes = bool(suite.changed_in_place(suite.copied(instance)))
    trace = trace_call(trial.suite, instance, arguments, after=True)[0] if changes else trial.trace
    inputs = trace_inputs(trial.suite, instance, arguments)
    return Called(trial, where, instance, trace, inputs, changes)


def _eagerly(suite: Any, traced_call: Called) -> Any:
    nothing: Any = ((), {}) if traced_call.changes else ()
    with contextlib.suppress(Exception):
        own_suite = traced_call.trial.suite
        call, arguments = call_function(own_suite, traced_call.given, in_place=traced_call.changes)
        tree, back = suite.to_tree(traced_call.instance)
        node = back(tree)
        result = call(node, arguments)
        return (result, suite.changed_in_place(node)) if traced_call.changes else result
    return nothing


def of_options(suite: Any) -> dict[str, Entry]:
    """Return entries of the call and of methods with other options, and of leaves built from integers."""
    of_call = outputs(suite)[OPTIONS] if suite.called() else {}
    numbers = finite_entries({**of_call, **numbers_of_methods(suite)[OPTIONS]})
    return dict(sorted({**numbers, **_of_integers(suite), **_beside_complex(suite)}.items()))


def _beside_complex(suite: Any) -> dict[str, Entry]:
    """Return the forms of results in bfloat16, for a class with complex arrays.

    Complex arrays have no such dtype, so they decide the dtype of results.
    """
    instance = suite.cached_instance()
    if not any(np.dtype(v.dtype).kind == "c" for v in suite.named(instance).values() if not is_key(v)):
        return {}
    methods = [method for method in usable(suite) if not method.found]
    entries_by_name: dict[str, Entry] = {}
    for method in [*methods, *([the_call(suite)] if suite.called() else [])]:
        with contextlib.suppress(Exception):  # there is no such operation in bfloat16
            run, given = arrays_given(suite, example_use(method, instance))
            forms = jax.eval_shape(run, *bfloat16(given))
            names = (f"{method.name} in bfloat16, output {i}" for i in range(len(forms)))
            entries_by_name |= {n: Entry(np.dtype(v.dtype).name, v.shape, ()) for n, v in zip(names, forms)}
    return entries_by_name


def _of_integers(suite: Any) -> dict[str, Entry]:
    """Return the form of each leaf if the constructor gets integers in place of its floats."""
    inputs = suite.inputs(0)
    whole = {name: _whole(v) for name, v in inputs.items() if type(v) is float or is_floating(v)}
    with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
        built = suite.named(suite.build(**{**inputs, **whole})) if whole else {}
        return {
            f"{name} of whole numbers": Entry(np.dtype(v.dtype).name, v.shape, ())
            for name, v in built.items()
            if is_array(v) and not is_key(v)
        }
    return {}  # it refuses them


def _whole(value: Any) -> Any:
    """Return a Python integer, or a NumPy array of integers, in place of a float."""
    return 1 if np.ndim(value) == 0 else np.ones(np.shape(value), int)
