"""The configurations of a class: each flag, option and argument that may be None at each of its values.

They are read off the signatures of the constructor and the call, with what the example gives them,
and each is traced once: the laws that cost little look at the traces.
"""

import dataclasses
import functools
import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax.extend.core

from ..inspect.arrays import copied, is_inexact, is_key
from ..inspect.call_recorder import EMPTY, Invocation
from ..inspect.errors import is_refusal
from ..inspect.parameter_values import choices, shown, takes_arrays
from ..inspect.trees import arrays_of, named_leaves, numbers_of, put
from ..report import ANY_ERROR
from ..trace.dependencies import reaching
from ..trace.programs import at_once
from ..values.randomize import generic
from .invocation import built_with, call_of, construction, traced, use_of

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
            value is QUIET.get(name.rpartition(".")[2], EMPTY)
            for name, value in changes
        )

    @property
    def stage(self) -> str:
        return "constructor" if self.instance is None else "call"


def factors(suite: Any) -> Iterator[Factor]:
    """What can be another, and its other values."""
    laws: Any = type(suite)
    for where, found in (("inputs", construction(laws)), ("given", use_of(laws))):
        yield from _of_signature(where, found)
    yield from _present(suite, construction(laws))
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


def _present(suite: Any, found: Invocation | None) -> Iterator[Factor]:
    """Optional arrays that the example leaves out, as they are held where they were not given."""
    if found is None:
        return
    annotations, held = found.annotations(), suite.named(suite.specimen())
    for name in found.varied():
        left_out = found.given[name] is None and is_inexact(held.get(name))
        if left_out and takes_arrays(annotations.get(name, EMPTY)):
            yield "inputs", name, [copied(held[name])]


def alone(suite: Any, held: Sequence[Factor]) -> list[Configuration]:
    """Those that are declared, and each value of each factor alone."""
    declared = [
        Configuration(inputs=dict(one), is_declared=True) for one in suite.absent
    ]
    single = [
        _changed({where: {name: one}}) for where, name, values in held for one in values
    ]
    named = {
        one.name: one for one in [*single, *declared]
    }  # what is declared is demanded
    return list(named.values())


def _changed(places: Mapping[str, Mapping[str, Any]]) -> Configuration:
    """A configuration by the places where something is changed."""
    empty: Mapping[str, Any] = {}
    inputs, given, leaves = (
        places.get(one, empty) for one in ("inputs", "given", "leaves")
    )
    return Configuration(inputs, given, leaves)


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
        yield _changed(own)


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


@functools.cache
def accepted(laws: Any) -> tuple[Trial, ...]:
    """The example at each value that its constructor is declared to accept."""
    suite = laws()
    return tuple(tried(suite, Configuration(inputs=one)) for one in suite.accepted)


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
        trial.error = error
        trial.refused = is_refusal(error, cls) or is_left_out(suite, trial)
    return trial


def is_left_out(suite: Any, trial: Trial) -> bool:
    """Whether an argument is left out that no annotation lets be None, and what was raised is about another one.

    The default says that it is not given, and what is given instead may then mean something else.
    """
    laws: Any = type(suite)
    own = trial.configuration
    pairs = (own.inputs, construction(laws)), (own.given, use_of(laws))
    nones = [(n, use) for one, use in pairs for n, v in one.items() if v is None]
    return (
        bool(nones)
        and "None" not in str(trial.error)
        and not any(use is None or n in use.annotations() for n, use in nones)
    )


def _instance(suite: Any, configuration: Configuration) -> Any:
    held = configuration.inputs
    built = built_with(suite, held) if held else suite.specimen()
    return _with_leaves(built, configuration.leaves)


def _with_leaves(built: Any, leaves: Mapping[str, Any]) -> Any:
    names = [name for name, _ in named_leaves(built)]
    places = {names.index(name): v for name, v in leaves.items() if name in names}
    return put(built, places) if places else built


def with_other_values(trial: Trial) -> Any:
    """The instance of a configuration; what is built anew has random values: drawing them as the constructor does takes long."""
    own = trial.configuration
    return generic(trial.instance, 2) if own.inputs or not own.size else trial.instance


def run(suite: Any, trial: Trial) -> list[Any]:
    """The arrays that a configuration gives when it is called."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call, given = call_of(suite, trial.configuration.given)
        tree, back = suite.apart(with_other_values(trial))
        return numbers_of(call(back(tree), given))


def evaluated(suite: Any, found: Sequence[Trial]) -> list[Any]:
    """The arrays that configurations give when their traces are evaluated, or an error.

    They are traced anew: what is held twice in one instance need not be so in one with other values.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traces = [
            traced(suite, with_other_values(one), one.configuration.given)
            for one in found
        ]
    return at_once(
        [
            (jax.extend.core.jaxpr_as_fun(closed), [value for _, value in inputs])
            for (closed, _), inputs in traces
        ]
    )


def of_generic(found: Sequence[Trial]) -> list[Any]:
    """The arrays that configurations give where floats are positive and differ, by their traces; or an error."""
    return at_once(
        [
            (jax.extend.core.jaxpr_as_fun(one.trace[0]), _generic_inputs(one))
            for one in found
        ]
    )


def _generic_inputs(trial: Trial) -> list[Any]:
    names = [name for name, _ in trial.inputs]
    tree = generic([value for _, value in trial.inputs], 2)
    return [
        new if name.startswith("0.") else value
        for name, new, (_, value) in zip(names, tree, trial.inputs)
    ]


@functools.cache
def unused_arguments(laws: Any) -> tuple[str, ...]:
    """The arguments of the call, by name, on which nothing depends that it returns, in any configuration."""
    suite, use = laws(), use_of(laws)
    if use is None or _is_of_a_base(suite, use):
        return ()
    if trials(laws)[0].trace is None:  # what no trace shows may still matter
        return ()
    names = {name for name, v in use.given.items() if _may_matter(v) and name[0] != "_"}
    for trial in trials(laws):
        if names and trial.trace is not None:
            names -= _used(suite, trial, names)
    return tuple(name for name in use.given if name in names)


def on_purpose(names: Sequence[str]) -> str:
    """How a suite, and the spec of a generated one, say that arguments are unused."""
    listed = ", ".join(map(repr, names))
    in_spec = ", ".join(f'"{name}"' for name in names)
    return f"`ignored = ({listed},)` says that this is so on purpose, and in a spec `[test]` with `unused = [{in_spec}]`"


def _is_of_a_base(suite: Any, use: Invocation) -> bool:
    """Whether a base has a method of this name, so that its arguments are no choice of the class."""
    cls = type(suite.specimen())
    return [one for one in cls.__mro__ if use.name in vars(one)] != [cls]


def _may_matter(value: Any) -> bool:
    arrays = arrays_of(value)
    return any(v.size for v in arrays) and not any(map(is_key, arrays))


def _used(suite: Any, trial: Trial, names: set[str]) -> set[str]:
    """The arguments that a configuration uses: any of these, where that cannot be seen."""
    changes = trial.configuration.given
    try:
        (closed, _), inputs = traced(suite, trial.instance, changes, by_name=True)
    except ANY_ERROR:
        return names
    if not inputs:  # the call goes by values, and the trace has none
        return names
    marks = zip(inputs, reaching(closed.jaxpr))
    return {name.split(".")[1] for (name, _), mark in marks if mark and name[0] == "1"}
