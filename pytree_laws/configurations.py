"""The configurations of a class: each flag, option and argument that may be None at each of its values.

They are read off the signatures of the constructor and the call, with what the example gives them,
and each is traced once: the laws that cost little look at the traces.
"""

import dataclasses
import functools
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax

from .guard import first_build, first_call
from .look.arrays import is_array
from .look.choices import choices, shown
from .look.invocations import EMPTY, Invocation, called, constructed
from .look.jaxprs import NEEDS_VALUES
from .look.refusals import is_refusal
from .look.trees import avals, flatten, merge, named_leaves, put, split, structure
from .report import ANY_ERROR

MOST = 24  # configurations of a class that are tried
QUIET = {
    **dict.fromkeys(("inference", "deterministic", "is_inference", "evaluating"), True),
    **dict.fromkeys(("training", "train", "is_training", "stochastic"), False),
}
"""The value of a flag, by its usual names, at which nothing is random."""
Factor = tuple[str, str, Sequence[Any]]
"""Where a value is given (`inputs`, `given` or `leaves`), its name, and its other values."""


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What is another than in the example."""

    inputs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Of the constructor."""
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Of the call."""
    leaves: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """By path, leaves that are no arrays."""
    is_declared: bool = False

    @property
    def name(self) -> str:
        """As messages call it: `use_bias=False, the call's key=None`."""
        own = [
            f"{name}={shown(value)}"
            for name, value in {**self.inputs, **self.leaves}.items()
        ]
        call = [f"{name}={shown(value)}" for name, value in self.given.items()]
        return " and ".join(
            [", ".join(own)] * bool(own)
            + [f"in the call {', '.join(call)}"] * bool(call)
        )

    @property
    def size(self) -> int:
        return len(self.inputs) + len(self.given) + len(self.leaves)


@dataclasses.dataclass
class Trial:
    """A configuration, and what came of it."""

    configuration: Configuration
    instance: Any = None
    """With any values in its arrays; None where it could not be built."""
    trace: Any = None
    """The jaxpr of the call on the arrays of the instance, and on those that it is given."""
    inputs: Sequence[tuple[str, Any]] = ()
    """What goes into the jaxpr: names, and arrays."""
    error: Exception | None = None
    refused: bool = False
    """Whether the class says itself that this is not allowed."""

    @property
    def is_quiet(self) -> bool:
        """Whether a flag, and nothing else, says that nothing is random."""
        own = self.configuration
        changes = {**own.inputs, **own.given, **own.leaves}.items()
        return own.size == 1 and all(
            value is QUIET.get(name.rpartition(".")[2]) for name, value in changes
        )

    @property
    def stage(self) -> str:
        return "constructor" if self.instance is None else "call"


@functools.cache
def construction(laws: Any) -> Invocation | None:
    """The constructor or the factory that the example calls, where it is the one of the inputs."""
    suite = laws()
    if first_build(laws).error is not None:
        return None
    inputs = suite.inputs(0)
    cls = type(suite.specimen())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = constructed(cls, lambda: suite.build(**inputs))
    if takes_any_input(suite):
        return next((one for one in found if inputs.keys() <= one.given.keys()), None)
    return next((one for one in found if _builds_the_same(suite, cls, one)), None)


def takes_any_input(suite: Any) -> bool:
    """Whether `build` hands on whatever it is given by name."""
    takes = inspect.signature(suite.build).parameters.values()
    return any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes)


def _builds_the_same(suite: Any, cls: type, one: Invocation) -> bool:
    """Whether a constructor alone makes what the example has."""
    try:
        again = _make(cls, one, {})
    except ANY_ERROR:
        return False
    first = suite.specimen()
    return structure(again) == structure(first) and avals(again) == avals(first)


def _make(cls: type, one: Invocation, changes: Mapping[str, Any]) -> Any:
    positional, named = one.bound(changes)
    maker = getattr(cls, one.name, cls)
    return maker(*positional, **named)


@functools.cache
def use_of(laws: Any) -> Invocation | None:
    """The method that the example calls, with what it is given."""
    suite = laws()
    if not suite.called() or first_call(laws).error is not None:
        return None
    instance, arguments = suite.make(0), suite.arguments(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return called(instance, lambda: suite.call(instance, *arguments))


def built_with(suite: Any, changes: Mapping[str, Any]) -> Any:
    """An instance with some inputs changed, and any values in its arrays."""
    laws, inputs = type(suite), suite.inputs(0)
    takes = inspect.signature(suite.build).parameters
    if takes_any_input(suite) or changes.keys() <= takes.keys():
        return suite.built_abstractly({**inputs, **changes})
    constructor, cls = construction(laws), type(suite.specimen())
    assert constructor is not None  # for type checkers: the changes come from it
    return _make(cls, constructor, changes)


def factors(suite: Any) -> Iterator[Factor]:
    """What can be another, and its other values."""
    laws: Any = type(suite)
    for where, found in (("inputs", construction(laws)), ("given", use_of(laws))):
        yield from _of_signature(where, found)
    for name, leaf in named_leaves(suite.specimen()):
        if isinstance(leaf, bool):
            yield "leaves", name, [not leaf]


def _of_signature(where: str, found: Invocation | None) -> Iterator[Factor]:
    if found is None:
        return
    annotations = found.annotations()
    for name, parameter in found.varied().items():
        given, default = found.given[name], parameter.default
        others = choices(annotations.get(name, EMPTY), default, given)
        if others and not name.startswith("_"):
            yield where, name, others


def alone(suite: Any, held: Sequence[Factor]) -> list[Configuration]:
    """Those that are declared, and each value of each factor alone."""
    declared = [
        Configuration(inputs=dict(one), is_declared=True) for one in suite.absent
    ]
    single = [
        Configuration(**{where: {name: one}})
        for where, name, values in held
        for one in values
    ]
    named = {
        one.name: one for one in [*single, *declared]
    }  # what is declared is demanded
    return list(named.values())


def _pairs(held: Sequence[Factor]) -> Iterator[Configuration]:
    """Configurations in which each two values of two factors meet."""
    left = {
        (i, a, j, b)
        for (i, one), (j, other) in itertools.combinations(enumerate(held), 2)
        for a in range(len(one[2]))
        for b in range(len(other[2]))
    }
    while left:
        chosen: dict[int, int] = {}
        for i, a, j, b in sorted(left):
            if chosen.get(i, a) == a and chosen.get(j, b) == b:
                chosen |= {i: a, j: b}
                left -= {(i, a, j, b)}
        own: dict[str, dict[str, Any]] = {}
        for i, a in chosen.items():
            where, name, values = held[i]
            own.setdefault(where, {})[name] = values[a]
        yield Configuration(**own)


@functools.cache
def trials(laws: Any) -> tuple[Trial, ...]:
    """Each configuration, built and traced, the example itself first."""
    suite = laws()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = list(factors(suite))
        found = [tried(suite, one) for one in [Configuration(), *alone(suite, held)]]
        wrong = [one.configuration for one in found if one.error is not None]
        fine = [
            (where, name, _without(wrong, where, name, values))
            for where, name, values in held
        ]
        further = itertools.islice(_pairs(fine), max(0, MOST - len(found)))
        return (*found, *(tried(suite, one) for one in further))


def _without(
    wrong: Sequence[Configuration], where: str, name: str, values: Sequence[Any]
) -> list[Any]:
    """The values that work alone."""
    refused = [getattr(one, where).get(name, wrong) for one in wrong if one.size == 1]
    return [value for value in values if not any(value is one for one in refused)]


def tried(suite: Any, configuration: Configuration) -> Trial:
    """A configuration, as far as it can be built and traced."""
    trial, cls = Trial(configuration), type(suite.specimen())
    try:
        trial.instance = _instance(suite, configuration)
        if suite.called():
            found = traced(suite, trial.instance, configuration.given)
            trial.trace, trial.inputs = found
    except ANY_ERROR as error:
        trial.error, trial.refused = error, is_refusal(error, cls)
    return trial


def _instance(suite: Any, configuration: Configuration) -> Any:
    built = (
        built_with(suite, configuration.inputs)
        if configuration.inputs
        else suite.specimen()
    )
    names = [name for name, _ in named_leaves(built)]
    places = {
        names.index(name): v
        for name, v in configuration.leaves.items()
        if name in names
    }
    return put(built, places) if places else built


def traced(
    suite: Any,
    instance: Any,
    changes: Mapping[str, Any],
    fit: Callable[[Any], Any] = lambda given: given,
) -> Any:
    """The jaxpr of the call with its outputs, and what goes in; what the call is given is made to `fit`."""
    call, given = call_of(suite, changes)
    given = fit(given)
    tree, back = suite.apart(instance)
    static, arrays = split((tree, given))

    def run(values: Sequence[Any]) -> Any:
        held, rest = merge(static, values)
        return call(back(held), rest)

    named = [
        (name, leaf) for name, leaf in named_leaves((tree, given)) if is_array(leaf)
    ]
    try:
        return jax.make_jaxpr(run, return_shape=True)(arrays), named
    except NEEDS_VALUES:
        return jax.make_jaxpr(lambda: run(arrays), return_shape=True)(), ()


def call_of(suite: Any, changes: Mapping[str, Any]) -> tuple[Callable[..., Any], Any]:
    """A call as a function of an instance and a tree of what it is given, and that tree."""
    laws: Any = type(suite)
    use = use_of(laws)
    if not changes or use is None:
        return lambda instance, given: suite.apply(instance, *given), suite.arguments(0)
    kept = {name: v for name, v in use.given.items() if name not in changes}

    def call(instance: Any, given: Any) -> Any:
        positional, named = use.bound({**given, **changes})
        return getattr(instance, use.name)(*positional, **named)

    leaves, treedef = flatten(kept)
    return call, treedef.unflatten(leaves)
