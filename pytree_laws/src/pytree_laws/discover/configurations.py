"""The configurations of a class: each flag, option and argument that may be None at each of its values.

They are read off the signatures of the constructor and the call, with what the example gives them,
and each is traced once: the laws that cost little look at the traces.
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
"""The value of a flag, by its usual names, at which nothing is random."""
OF_FUNCTIONS = ("has_aux",)
"""Flags that say what a function returns which is given beside them, by jax's names: the one of the example returns no other."""
Factor = tuple[str, str, Sequence[Any]]
"""Where a value is given (`inputs`, `given` or `leaves`), its name, and its other values."""


def changes_as_text(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value_text(value)}" for name, value in changes.items())


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What is another than in the example."""

    inputs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Of the constructor."""
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Of the call."""
    leaves: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """By path, or by the end of several paths, leaves that are no arrays."""
    is_declared: bool = False

    @property
    def name(self) -> str:
        """As messages call it: `use_bias=False and call(key=None)`."""
        return " and ".join(filter(None, [self._built, self._called]))

    def place(self, label: str) -> str:
        """Where something is: `weight with use_bias=False`, `call(key=None) with use_bias=False`."""
        called = self._called if label == "call" else ""
        parts = [called, self._built] if called else [label, self.name]
        return " with ".join(filter(None, parts))

    @property
    def _built(self) -> str:
        return changes_as_text({**self.inputs, **self.leaves})

    @property
    def built_with(self) -> str:
        """What follows a name: ` with use_bias=False`; empty where it is built as the example is."""
        return f" with {self._built}" * bool(self._built)

    @property
    def _called(self) -> str:
        return f"call({changes_as_text(self.given)})" if self.given else ""

    @property
    def changes(self) -> dict[str, Any]:
        """Of the constructor, the call and the leaves together."""
        return {**self.inputs, **self.given, **self.leaves}

    @property
    def changes_options_alone(self) -> bool:
        """Whether flags and options alone are changed, and no array has another form.

        Some values print as an address, which is another one in each process.
        """
        numbers = any(is_array(v) or isinstance(v, float | complex) for v in self.changes.values())
        return not numbers and " at 0x" not in self.name

    @property
    def changes_a_dict(self) -> bool:
        """Whether a dict has other keys, or is another value of something."""
        return any(isinstance(value, dict) for value in self.changes.values())

    @property
    def leaves_out_alone(self) -> bool:
        """Whether it does nothing but leave out what the example gives, and no suite declares it."""
        return not self.is_declared and all(value is None for value in self.changes.values())

    @property
    def size(self) -> int:
        return len(self.inputs) + len(self.given) + len(self.leaves)


@dataclasses.dataclass
class TracedConfiguration:
    """A configuration, and what came of it."""

    configuration: Configuration
    suite: Any
    """The suite, with the inputs of the configuration where its arguments are made of an instance."""
    instance: Any = None
    """With any values in its arrays; None where it could not be built."""
    trace: Any = None
    """The jaxpr of the call on the arrays of the instance, and on those that it is given."""
    inputs: Sequence[tuple[str, Any]] = ()
    """What goes into the jaxpr: names, and arrays."""
    error: Exception | None = None
    refused: bool = False
    """Whether the class says itself that this is not allowed."""

    @functools.cached_property
    def program(self) -> Any:
        """The trace as a compiled function of what goes in."""
        return compiled(jax.extend.core.jaxpr_as_fun(self.trace[0]))

    @property
    def is_quiet(self) -> bool:
        """Whether a flag, and nothing else, says that nothing is random."""
        return self.configuration.size == 1 and all(
            value is QUIET.get(name.rpartition(".")[2], EMPTY)
            for name, value in self.configuration.changes.items()
        )

    @property
    def stage(self) -> str:
        return "constructor" if self.instance is None else "call"


def factors(suite: Any) -> Iterator[Factor]:
    """What can be another, and its other values."""
    for where, invocation in (("inputs", example_construction(suite)), ("given", example_call(suite))):
        yield from _of_signature(where, invocation)
    yield from _present(suite, example_construction(suite))
    flags = {name: leaf for name, leaf in named_leaves(suite.cached_instance()) if isinstance(leaf, bool)}
    for name in dict.fromkeys(_flag_of(path, flags) for path in flags):
        yield "leaves", name, [not next(flags[path] for path in flags if _is_at(name, path))]


def _flag_of(path: str, flags: Iterable[str]) -> str:
    """The name of flags that are set together, as `eqx.nn.inference_mode` does; the path of one that is alone."""
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
    """Optional arrays that the example leaves out, as they are held where they were not given."""
    if invocation is None:
        return
    annotations, leaves = invocation.annotations(), suite.named(suite.cached_instance())
    for name in invocation.varied():
        left_out = invocation.given[name] is None and is_inexact(leaves.get(name))
        if left_out and takes_arrays(annotations.get(name, EMPTY)):
            yield "inputs", name, [copied(leaves[name])]


def alone(suite: Any, known_factors: Sequence[Factor]) -> list[Configuration]:
    """Those that are declared, and each value of each factor alone."""
    declared = [Configuration(inputs=dict(path), is_declared=True) for path in suite.absent]
    places: list[dict[str, Any]] = [{where: {n: v}} for where, n, values in known_factors for v in values]
    single = [Configuration(**place) for place in places]
    named = {method.name: method for method in [*single, *declared]}  # what is declared is demanded
    return list(named.values())


def _pairs(known_factors: Sequence[Factor]) -> Iterator[Configuration]:
    """Configurations in which each two values of two factors meet."""
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
    """Each configuration, built and traced, the example itself first."""
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
    """Configurations whose traces are others than that of the example; those of the call first."""
    usual, *others = traced_configurations(suite)
    if usual.trace is None:  # P6 or P7 says why
        return []
    single = [traced for traced in others if traced.trace is not None and traced.configuration.size == 1]
    single.sort(key=lambda trial: len(trial.configuration.inputs))
    text = str(usual.trace[0])
    return [trial for trial in single if trial.inputs and str(trial.trace[0]) != text]


@once_per_session
def accepted_configurations(suite: Any) -> tuple[TracedConfiguration, ...]:
    """The example at each value that its constructor is declared to accept."""
    return tuple(trace_configuration(suite, Configuration(inputs=inputs)) for inputs in suite.accepted)


def _without(wrong: Sequence[Configuration], where: str, name: str, values: Sequence[Any]) -> list[Any]:
    """The values that work alone."""
    refused = [getattr(each, where).get(name, wrong) for each in wrong if each.size == 1]
    return [value for value in values if not any(value is refused_value for refused_value in refused)]


def working_configurations(
    suite: Any, configurations: Iterable[Configuration]
) -> tuple[TracedConfiguration, ...]:
    """Those that can be built, and called where the class is."""
    trials = (trace_configuration(suite, configuration) for configuration in configurations)
    return tuple(trial for trial in trials if trial.error is None)


def trace_configuration(suite: Any, configuration: Configuration) -> TracedConfiguration:
    """A configuration, as far as it can be built and traced."""
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
    """Whether it raises that it has no entry of a key which a dict has there, as of a parameter that it does not know."""
    dicts = (value for value in trial.configuration.changes.values() if isinstance(value, dict))
    keys = {key for given in dicts for key in given}
    return isinstance(trial.error, KeyError) and not keys.isdisjoint(trial.error.args)


def is_left_out(suite: Any, trial: TracedConfiguration) -> bool:
    """Whether an argument is left out that no annotation lets be None, and what was raised is about another one.

    The default says that it is not given, and what is given instead may then mean something else.
    """
    configuration = trial.configuration
    pairs = ((configuration.inputs, example_construction(suite)), (configuration.given, example_call(suite)))
    nones = [(n, use) for changes, use in pairs for n, v in changes.items() if v is None]
    return (
        bool(nones)
        and "None" not in str(trial.error)
        and not any(use is None or n in use.annotations() for n, use in nones)
    )


def _instance(suite: Any, configuration: Configuration) -> Any:
    inputs = configuration.inputs
    if not inputs:
        return _with_leaves(suite.cached_instance(), configuration.leaves)
    # An index or a factor of a hash that is 0 hides what is done with it.
    built = with_arrays_of(suite, build_with(suite, inputs), suite.cached_instance(), jnp.integer)
    return _with_leaves(built, configuration.leaves)


def with_arrays_of(suite: Any, instance: Any, other: Any, kind: Any = np.generic) -> Any:
    """An instance of another configuration with the arrays of an instance, those of a kind, as far as it has such."""
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
