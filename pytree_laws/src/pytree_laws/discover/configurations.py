"""Configurations of a class: each flag, option and optional argument at each of its values.

Values are read off the signatures of the constructor and the call, and off the arguments of the example. Each
configuration is traced once, for cheap laws that inspect the traces.
"""

import dataclasses
import functools
import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax.extend.core
import jax.numpy as jnp
import numpy as np

from ..engine.first_use import example_call
from ..errors import raises_deliberately
from ..inspect.arrays import copied, is_array, is_inexact
from ..inspect.call_recorder import EMPTY, Invocation
from ..inspect.parameter_values import other_values, takes_arrays, value_text
from ..inspect.trees import named_leaves, replace_leaves
from ..report import ANY_ERROR
from ..session import once_per_session
from ..trace.programs import compiled
from .invocation import asks_of_instances, build_with, configured, example_construction, trace_call

MAX_CONFIGURATIONS = 24  # configurations of a class that are tried
QUIET = {
    **dict.fromkeys(("inference", "deterministic", "is_inference", "evaluating"), True),
    **dict.fromkeys(("training", "train", "is_training", "stochastic"), False),
}
"""Values of flags, by their usual names, at which a class draws no random numbers."""
OF_FUNCTIONS = ("has_aux",)
"""Flags, by jax's names, that describe the result of a function argument.

The example's function fits one value.
"""
Factor = tuple[str, str, Sequence[Any]]
"""Place of a value (`inputs`, `given` or `leaves`), its name, and its other values."""


def changes_as_text(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value_text(value)}" for name, value in changes.items())


@dataclasses.dataclass(frozen=True)
class Configuration:
    """Differences from the example."""

    inputs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Changed arguments of the constructor."""
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Changed arguments of the call."""
    leaves: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Changed leaves other than arrays, by path, or by the end that several paths share."""
    is_declared: bool = False

    @property
    def name(self) -> str:
        """Name in messages, such as `use_bias=False and call(key=None)`."""
        return " and ".join(filter(None, [self._built, self._called]))

    def place(self, label: str) -> str:
        """Return a place in messages, such as `weight with use_bias=False` or `call(key=None)`."""
        called = self._called if label == "call" else ""
        parts = [called, self._built] if called else [label, self.name]
        return " with ".join(filter(None, parts))

    @property
    def _built(self) -> str:
        return changes_as_text({**self.inputs, **self.leaves})

    @property
    def built_with(self) -> str:
        """Suffix of a name, such as ` with use_bias=False`, or empty for the instance of the example."""
        return f" with {self._built}" * bool(self._built)

    @property
    def _called(self) -> str:
        return f"call({changes_as_text(self.given)})" if self.given else ""

    @property
    def changes(self) -> dict[str, Any]:
        """Changes of the constructor, the call and the leaves together."""
        return {**self.inputs, **self.given, **self.leaves}

    @property
    def changes_options_alone(self) -> bool:
        """Whether only flags and options change, and no array gets another form.

        A value whose repr contains an address does not count, since the address differs in each process.
        """
        numbers = any(is_array(v) or isinstance(v, float | complex) for v in self.changes.values())
        return not numbers and " at 0x" not in self.name

    @property
    def changes_a_dict(self) -> bool:
        """Whether a changed value is a dict."""
        return any(isinstance(value, dict) for value in self.changes.values())

    @property
    def leaves_out_alone(self) -> bool:
        """Whether every change leaves out a value of the example, and the suite does not declare this."""
        return not self.is_declared and all(value is None for value in self.changes.values())

    @property
    def size(self) -> int:
        return len(self.inputs) + len(self.given) + len(self.leaves)


@dataclasses.dataclass
class TracedConfiguration:
    """A configuration with its instance, its trace or its error."""

    configuration: Configuration
    suite: Any
    """The suite, with the inputs of the configuration if its arguments are made from an instance."""
    instance: Any = None
    """Instance with arbitrary values in its arrays, or None if the constructor raised."""
    trace: Any = None
    """Jaxpr of the call, on the arrays of the instance and of the arguments, and the form of its result."""
    inputs: Sequence[tuple[str, Any]] = ()
    """Names and arrays that the jaxpr takes."""
    error: Exception | None = None
    refused: bool = False
    """Whether the class raises on purpose."""

    @functools.cached_property
    def program(self) -> Any:
        """Compiled function of the inputs of the trace."""
        return compiled(jax.extend.core.jaxpr_as_fun(self.trace[0]))

    @property
    def is_quiet(self) -> bool:
        """Whether the only change is a flag that turns randomness off."""
        return self.configuration.size == 1 and all(
            value is QUIET.get(name.rpartition(".")[2], EMPTY)
            for name, value in self.configuration.changes.items()
        )

    @property
    def stage(self) -> str:
        return "constructor" if self.instance is None else "call"


def factors(suite: Any) -> Iterator[Factor]:
    """Yield the inputs, arguments and flags that can vary, with their other values."""
    for where, invocation in (("inputs", example_construction(suite)), ("given", example_call(suite))):
        yield from _of_signature(where, invocation)
    yield from _present(suite, example_construction(suite))
    flags = {name: leaf for name, leaf in named_leaves(suite.cached_instance()) if isinstance(leaf, bool)}
    for name in dict.fromkeys(_flag_of(path, flags) for path in flags):
        yield "leaves", name, [not next(flags[path] for path in flags if _is_at(name, path))]


def _flag_of(path: str, flags: Iterable[str]) -> str:
    """Return the name of flags that `eqx.nn.inference_mode` sets together, or the path of a single flag."""
    name = path.rpartition(".")[2]
    return name if sum(_is_at(name, other) for other in flags) > 1 else path


def _is_at(name: str, path: str) -> bool:
    return f".{path}".endswith(f".{name}")


def _of_signature(where: str, invocation: Invocation | None) -> Iterator[Factor]:
    if invocation is None:
        return
    annotations = invocation.annotations()
    fixed = OF_FUNCTIONS if any(map(callable, invocation.given.values())) else ()
    for name, parameter in invocation.varied().items():
        argument, default = invocation.given[name], parameter.default
        if name in fixed:
            continue
        others = other_values(annotations.get(name, EMPTY), default, argument)
        if others and not name.startswith("_"):
            yield where, name, others


def _present(suite: Any, invocation: Invocation | None) -> Iterator[Factor]:
    """Yield optional arrays that the example leaves out, with the values that the instance stores instead."""
    if invocation is None:
        return
    annotations, leaves = invocation.annotations(), suite.named(suite.cached_instance())
    for name in invocation.varied():
        left_out = invocation.given[name] is None and is_inexact(leaves.get(name))
        if left_out and takes_arrays(annotations.get(name, EMPTY)):
            yield "inputs", name, [copied(leaves[name])]


def alone(suite: Any, known_factors: Sequence[Factor]) -> list[Configuration]:
    """List the declared configurations, and each value of each factor alone."""
    declared = [Configuration(inputs=dict(path), is_declared=True) for path in suite.absent]
    places: list[dict[str, Any]] = [{where: {n: v}} for where, n, values in known_factors for v in values]
    single = [Configuration(**place) for place in places]
    named = {method.name: method for method in [*single, *declared]}  # what is declared is demanded
    return list(named.values())


def _pairs(known_factors: Sequence[Factor]) -> Iterator[Configuration]:
    """Yield configurations that together contain each pair of values of any two factors."""
    left = {
        (i, a, j, b)
        for (i, factor), (j, other) in itertools.combinations(enumerate(known_factors), 2)
        for a in range(len(factor[2]))
        for b in range(len(other[2]))
    }
    while left:
        chosen: dict[int, int] = {}
        for i, a, j, b in sorted(left):
            if chosen.get(i, a) == a and chosen.get(j, b) == b:
                chosen |= {i: a, j: b}
                left -= {(i, a, j, b)}
        places: dict[str, Any] = {}
        for i, a in chosen.items():
            where, name, values = known_factors[i]
            places.setdefault(where, {})[name] = values[a]
        yield Configuration(**places)


@once_per_session
def traced_configurations(suite: Any) -> tuple[TracedConfiguration, ...]:
    """Build and trace each configuration, the example first."""
    with warnings.catch_warnings(action="ignore"):
        known_factors = list(factors(suite))
        trials = [
            trace_configuration(suite, each) for each in [Configuration(), *alone(suite, known_factors)]
        ]
        wrong = [traced.configuration for traced in trials if traced.error is not None]
        fine = [(where, name, _without(wrong, where, name, values)) for where, name, values in known_factors]
        if asks_of_instances(suite):
            # Another tree for an argument that is made of the example, as a state, fits no other configuration.
            trees = dict, list, tuple
            fine = [
                each for each in fine if each[0] != "given" or not any(isinstance(v, trees) for v in each[2])
            ]
        further = itertools.islice(_pairs(fine), max(0, MAX_CONFIGURATIONS - len(trials)))
        return (*trials, *(trace_configuration(suite, configuration) for configuration in further))


def other_programs(suite: Any) -> list[TracedConfiguration]:
    """List the single changes whose call traces differently from the example, changes of the call first."""
    usual, *others = traced_configurations(suite)
    if usual.trace is None:  # P6 or P7 says why
        return []
    single = [traced for traced in others if traced.trace is not None and traced.configuration.size == 1]
    single.sort(key=lambda trial: len(trial.configuration.inputs))
    text = str(usual.trace[0])
    return [trial for trial in single if trial.inputs and str(trial.trace[0]) != text]


@once_per_session
def accepted_configurations(suite: Any) -> tuple[TracedConfiguration, ...]:
    """Trace the example at each value that its constructor is declared to accept."""
    return tuple(trace_configuration(suite, Configuration(inputs=inputs)) for inputs in suite.accepted)


def _without(wrong: Sequence[Configuration], where: str, name: str, values: Sequence[Any]) -> list[Any]:
    """List the values that did not fail alone."""
    refused = [getattr(each, where).get(name, wrong) for each in wrong if each.size == 1]
    return [value for value in values if not any(value is refused_value for refused_value in refused)]


def working_configurations(
    suite: Any, configurations: Iterable[Configuration]
) -> tuple[TracedConfiguration, ...]:
    """Trace configurations, and drop each that raises an error."""
    trials = (trace_configuration(suite, configuration) for configuration in configurations)
    return tuple(trial for trial in trials if trial.error is None)


def trace_configuration(suite: Any, configuration: Configuration) -> TracedConfiguration:
    """Build and trace a configuration, and record the error that stops this."""
    cls = type(suite.cached_instance())
    trial = TracedConfiguration(configuration, configured(suite, configuration.inputs))
    try:
        trial.instance = _instance(suite, configuration)
        if suite.called():
            trial.trace, trial.inputs = trace_call(trial.suite, trial.instance, configuration.given)
    except ANY_ERROR as error:
        trial.error = error
        trial.refused = raises_deliberately(error, cls) or is_left_out(suite, trial) or asks_for_entry(trial)
    return trial


def asks_for_entry(trial: TracedConfiguration) -> bool:
    """Whether the error is a KeyError for a key of a changed dict, such as an unknown parameter."""
    dicts = (value for value in trial.configuration.changes.values() if isinstance(value, dict))
    keys = {key for given in dicts for key in given}
    return isinstance(trial.error, KeyError) and not keys.isdisjoint(trial.error.args)


def is_left_out(suite: Any, trial: TracedConfiguration) -> bool:
    """Whether unannotated arguments of a constructor are left out, and the error concerns another.

    A default of None only says that the argument is not given. The argument in its place may then mean
    something else.
    """
    names, use = [n for n, v in trial.configuration.inputs.items() if v is None], example_construction(suite)
    return (
        bool(names)
        and "None" not in str(trial.error)
        and not any(use is None or name in use.annotations() for name in names)
    )


def _instance(suite: Any, configuration: Configuration) -> Any:
    inputs = configuration.inputs
    if not inputs:
        return _with_leaves(suite.cached_instance(), configuration.leaves)
    # An index or a factor of a hash that is 0 hides what is done with it.
    built = with_arrays_of(suite, build_with(suite, inputs), suite.cached_instance(), jnp.integer)
    return _with_leaves(built, configuration.leaves)


def with_arrays_of(suite: Any, instance: Any, other: Any, kind: Any = np.generic) -> Any:
    """Return the instance with arrays of `other` in a dtype kind, where path, dtype and shape agree."""
    own = suite.named(instance)
    for path, value in suite.named(other).items():
        place = own.get(path)
        is_chosen = is_array(value) and jnp.issubdtype(value.dtype, kind)
        if is_chosen and is_array(place) and (place.dtype, place.shape) == (value.dtype, value.shape):
            instance = suite.with_array(instance, path, value)
    return instance


def _with_leaves(built: Any, leaves: Mapping[str, Any]) -> Any:
    paths = [path for path, _ in named_leaves(built)]
    places = {i: v for name, v in leaves.items() for i, path in enumerate(paths) if _is_at(name, path)}
    return replace_leaves(built, places) if places else built
