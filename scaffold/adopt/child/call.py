"""How an instance is called: the first method with arguments on which its outputs depend."""

import inspect
import re
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

from pytree_laws.inspect.arrays import is_array, is_inexact
from pytree_laws.inspect.trees import combine, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES, is_variable

from . import names
from .annotations import ARRAYS, EMPTY, is_shaped, required
from .build import instances
from .built import Failure
from .depends import is_empty, used_inputs
from .domains import apart
from .fixed import fixed_arguments
from .kinds import is_nnx
from .methods import is_promised, methods_of, parameters_of_method
from .plain import Context, array, arrays, tuple_of
from .search import Budget, combinations
from .sizes import Sizes, foreign_sizes, held_sizes, named_sizes, shapes_of
from .sources import Source
from .values import values_for

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
NUMBERS = (bool, int, float, complex)


FURTHER = 60
"""How many arguments of another method are tried, where one works."""


@dataclass(frozen=True)
class Called:
    """A call that works: the method, its arguments, and what its outputs depend on."""

    method: str
    """Empty for the call of the instance itself."""
    arguments: Mapping[str, Source]
    keywords: tuple[str, ...] = ()
    """Which of them are given by name."""
    by_parameters: bool = True
    by_arguments: bool = True
    by_values: bool = True
    """Whether arrays are all that it returns."""
    fixed: tuple[str, ...] = ()
    """The arguments that no tracer can be: an int that decides a shape, a word."""
    merit: float = 0.0
    """How much speaks for it as what the class is for."""
    is_meaningful: bool = True
    """Whether it computes, of arguments or of most of what the instance holds."""
    also: str = ""
    """Another shape that it takes as well, where the answer is ambiguous."""

    @property
    def guesses(self) -> list[str]:
        """The arguments whose shape is one that worked."""
        return [name for name, one in self.arguments.items() if one.told]

    @property
    def is_full(self) -> bool:
        """Whether what it returns are arrays that depend on the parameters and on the arguments."""
        return self.by_parameters and self.by_arguments and self.by_values


@dataclass(frozen=True)
class Trace:
    """What a trace of a call shows."""

    arrays: int
    """Outputs that are arrays with elements."""
    by_parameters: bool
    by_arguments: bool
    by_name: Mapping[str, bool]
    others: int = 0
    """Outputs that are neither arrays nor numbers, as functions."""
    share: float = 1.0
    """The share of the instance's floating leaves on which the outputs depend."""
    computes: bool = True
    """Whether an output is more than a leaf or an argument as it is."""
    edits: bool = False
    """Whether it returns an instance of the class: a copy with other values."""


@dataclass
class Subject:
    """An instance that is called, and what holds its state."""

    instance: Any
    owner: Any = None
    state: Any = None
    """The state that belongs to it, where it has one."""


def find_call(
    cls: type, subject: Subject, wished: str, said: Mapping[str, Source], budget: Budget, failure: Failure
) -> Called | None:
    """The call that is most what the class is for, whose outputs depend on arguments and parameters; or else on one of the two."""
    best: Called | None = None
    for name in [wished] if wished else methods_of(cls)[:12]:
        name = "" if name == "__call__" else name
        tries = budget.tries if best is None or not best.is_full else min(budget.tries, FURTHER)
        own = Budget(tries)
        found = try_method(subject, name, said, own, failure)
        budget.tries -= tries - max(0, own.tries)
        if found is not None and found.is_full and not name:
            return found
        best = max(filter(None, (best, found)), key=rank, default=None)
    return best


def rank(called: Called) -> tuple[bool, bool, float]:
    """What decides between two calls; of equal ones the first is taken."""
    return called.is_full, called.is_meaningful, called.merit


def try_method(
    subject: Subject, name: str, said: Mapping[str, Source], budget: Budget, failure: Failure
) -> Called | None:
    parameters = parameters_of_method(type(subject.instance), name or "__call__")
    if parameters is None:
        return None
    wanted = [*required(parameters), *(one for one in parameters if is_wanted(one, said))]
    for _ in range(2):
        found = search(subject, name, wanted, said, budget, failure)
        if found is not None:
            return found
        told = {word for text in failure.messages for word in re.findall(r"\w{2,}", text)}
        further = [one for one in parameters if one.name in told and one not in wanted]
        if not further:
            return None
        wanted = [*wanted, *further[:2]]
    return None


def is_wanted(one: inspect.Parameter, said: Mapping[str, Source]) -> bool:
    """Whether an argument with a default is given all the same: a key, or what is said."""
    return one.default is not EMPTY and (names.KEY.search(one.name) is not None or one.name in said)


def search(
    subject: Subject,
    name: str,
    wanted: Sequence[inspect.Parameter],
    said: Mapping[str, Source],
    budget: Budget,
    failure: Failure,
) -> Called | None:
    """The first arguments that work and on which the outputs depend, or the first that work."""
    fallback: Called | None = None
    for context in contexts(subject, wanted, said):
        lists = [values_for(one.name, one.annotation, context) for one in wanted]
        failure.unknown = [one.name for one, found in zip(wanted, lists, strict=True) if not found]
        for places in combinations(lists, 400):
            if not budget.take():
                return fallback
            chosen = {one.name: found[place] for one, found, place in zip(wanted, lists, places, strict=True)}
            found = try_call(subject, name, wanted, apart(chosen), failure)
            if found is not None:
                if found.is_full:
                    return with_alternative(subject, found, wanted, context)
                fallback = fallback or found
    return fallback


def contexts(
    subject: Subject, wanted: Sequence[inspect.Parameter], said: Mapping[str, Source]
) -> Iterator[Context]:
    """What is known for the call: with each choice of sizes for the dims that only its annotations name."""
    instance, has_state = subject.instance, subject.state is not None
    held, known = held_sizes(instance, subject.state), named_sizes(instance)
    foreign, below = foreign_sizes(held), min(held, default=2)
    shapes = shapes_of(held)
    dims = [dim for dim in dims_of(wanted) if dim not in known]
    lists = [list(dict.fromkeys([foreign[place % 6], *held, *foreign[:3]])) for place in range(len(dims))]
    for places in combinations(lists, 100) if dims else [()]:
        chosen = {dim: found[place] for dim, found, place in zip(dims, lists, places, strict=True)}
        sizes = Sizes({**known, **chosen}, held)
        yield Context(sizes, shapes, said, instances, index_below=below, is_call=True, has_state=has_state)


def dims_of(wanted: Sequence[inspect.Parameter]) -> list[str]:
    """The dims that annotations name, in order."""
    found: list[str] = []
    for one in wanted:
        for kind in typing.get_args(one.annotation) or (one.annotation,):
            text = kind.dim_str if is_shaped(kind) else ""
            found += [
                word for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"[*#?]\w+", "", text)) if word != "_"
            ]
    return list(dict.fromkeys(found))


def try_call(
    subject: Subject,
    name: str,
    wanted: Sequence[inspect.Parameter],
    chosen: Mapping[str, Source],
    failure: Failure,
) -> Called | None:
    """The call with these arguments, where it works; without a key that it does not use."""
    keywords = tuple(one.name for one in wanted if one.kind not in BY_POSITION or one.default is not EMPTY)
    try:
        trace = traced(subject, name, chosen, keywords)
    except Exception as error:
        failure.note(error)
        return None
    if not trace.arrays or not (trace.by_parameters or trace.by_arguments):
        return None
    idle = [
        one.name
        for one in wanted
        if one.default is not EMPTY and names.KEY.search(one.name) and not trace.by_name.get(one.name, True)
    ]
    kept = {key: value for key, value in chosen.items() if key not in idle}
    keywords = tuple(one for one in keywords if one not in idle)
    fixed = fixed_arguments(subject, name, kept, keywords)
    takes = any(trace.by_name.values())
    promised = not name or is_promised(type(subject.instance), name)
    merit = 2.0 * promised + takes + trace.share - 1.5 * trace.edits
    is_meaningful = promised or (trace.computes and (takes or (trace.share > 0.5 and not trace.edits)))
    by = trace.by_parameters, trace.by_arguments, not trace.others
    return Called(name, kept, keywords, *by, fixed, merit, is_meaningful)


def traced(subject: Subject, name: str, chosen: Mapping[str, Source], keywords: Sequence[str]) -> Trace:
    """The trace of a call on the arrays of the instance and of the arguments."""
    static, held = taken_apart(subject.instance)
    values = {key: one.value(0, subject.owner) for key, one in chosen.items()}
    parts = {key: partition(value) for key, value in values.items()}

    def run(own: Any, given: Mapping[str, Any]) -> Any:
        every = {key: combine(parts[key][0], given[key]) for key in chosen}  # jax has sorted them
        method = getattr(put_together(static, own), name) if name else put_together(static, own)
        positional = [value for key, value in every.items() if key not in keywords]
        result = method(*positional, **{key: every[key] for key in keywords if key in every})
        leaves = jax.tree.leaves(result)
        found = [leaf for leaf in leaves if is_array(leaf) or hasattr(leaf, "aval")]
        others.append(sum(not isinstance(leaf, NUMBERS) for leaf in leaves) - len(found))
        edits.append(isinstance(result, type(subject.instance)))
        return found

    others, edits = list[int](), list[bool]()
    given = {key: arrays for key, (_, arrays) in parts.items()}
    try:
        closed, outputs = jax.make_jaxpr(run, return_shape=True)(held, given)
    except NEEDS_VALUES:
        outputs = run(held, given)
        full = [one for one in outputs if not is_empty(one)]
        return Trace(len(full), True, True, {}, others[-1], edits=edits[-1])
    return replace(read(closed, outputs, held, given), others=others[-1], edits=edits[-1])


def read(closed: Any, outputs: Any, held: Any, given: Mapping[str, Any]) -> Trace:
    used = iter(used_inputs(closed))
    own = [(is_inexact(leaf), next(used)) for leaf in jax.tree.leaves(held)]
    trained = [mark for floating, mark in own if floating]
    # jax takes the entries of a dict in the order of their keys.
    by_name = {key: [next(used) for _ in given[key]] for key in sorted(given)}
    every = [mark for marks in by_name.values() for mark in marks]
    full = [one for one in outputs if not is_empty(one)]
    flat = {key: any(marks) for key, marks in by_name.items() if marks}
    by_parameters = any(trained) or (not trained and (any(mark for _, mark in own) or any(every)))
    share = sum(trained) / len(trained) if trained else 1.0
    computes = any(one not in closed.jaxpr.invars for one in closed.jaxpr.outvars if is_variable(one))
    return Trace(len(full), by_parameters, any(every) or not every, flat, share=share, computes=computes)


def taken_apart(instance: Any) -> tuple[Any, Any]:
    """What is static of an instance, and its arrays."""
    if is_nnx(type(instance)):
        nnx: Any = sys.modules["flax.nnx"]
        return nnx.split(instance)
    return partition(instance)


def put_together(static: Any, arrays: Any) -> Any:
    nnx: Any = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(static, nnx.GraphDef):
        return nnx.merge(static, arrays, copy=True)
    return combine(static, arrays)


def with_alternative(
    subject: Subject, found: Called, wanted: Sequence[inspect.Parameter], context: Context
) -> Called:
    """The same with a pair where a vector of two was taken for one; with the word of another shape that works as well."""
    of_arrays = [one.name for one in wanted if one.annotation in ARRAYS]
    for name in found.guesses:
        shape = shape_in(found.arguments[name])
        if shape == (2,) and name not in of_arrays:
            pairs = [tuple_of([one, one]) for one in arrays(name, context) if len(shape_in(one) or ()) == 1]
            found = next((one for pair in pairs if (one := instead(subject, found, name, pair))), found)
        elif shape:
            larger = (foreign_sizes(held_sizes(subject.instance))[3], *shape)
            if instead(subject, found, name, array(name, larger, "float", context)):
                return replace(found, also=f"{name} may be {larger} as well")
    return found


def shape_in(source: Source) -> tuple[int, ...] | None:
    """The shape of a value that is one array of floats."""
    shape = re.fullmatch(r"sample\(seed(?: \+ \d+)?, (\([\d, ]*\))\)", source.text)
    return eval(shape[1]) if shape else None


def instead(subject: Subject, found: Called, name: str, other: Source) -> Called | None:
    """The call with another value of an argument, where it works."""
    others = {**found.arguments, name: replace(other, told="shape")}
    try:
        traced(subject, found.method, others, found.keywords)
    except Exception:
        return None
    return replace(found, arguments=others)
