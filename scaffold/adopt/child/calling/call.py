"""How an instance is called: the first method with arguments on which its outputs depend."""

import inspect
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..building.budget import Budget, combinations
from ..building.build import instances
from ..building.built import Failure
from ..classes.lookalikes import lacking_attributes, lookalikes
from ..classes.methods import is_promised, methods_of, parameters_of_method
from ..values import names
from ..values.annotations import ARRAYS, EMPTY, is_shaped, required
from ..values.candidates import values_for
from ..values.domains import apart
from ..values.plain import Context, array, arrays, tuple_of
from ..values.sizes import Sizes, foreign_sizes, held_sizes, named_sizes, shapes_of
from ..values.sources import STATE_OF_SUITE, Source
from .called import Called, Subject
from .invoke import UNBOUND, over_batch
from .static_arguments import static_arguments
from .trace import instead, shape_in, trace_call

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


FURTHER = 60
"""How many arguments of another method are tried, where one works."""


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
    subject = replace(subject)  # this method alone is mapped over a batch where it names the axis of one
    start, similar = len(failure.messages), list[type]()
    for _ in range(2):
        found = search(subject, name, wanted, said, budget, failure, similar)
        if found is not None:
            return found
        told = {word for text in failure.messages for word in re.findall(r"\w{2,}", text)}
        further = [one for one in parameters if one.name in told and one not in wanted]
        similar = lookalikes(type(subject.instance), lacking_attributes(failure.messages[start:]))
        if not (further or similar):
            return None
        wanted = [*wanted, *further[:2]]
        budget.tries = max(budget.tries, FURTHER if similar else 0)
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
    similar: Sequence[type] = (),
) -> Called | None:
    """The first arguments that work and on which the outputs depend, or the first that work."""
    fallback: Called | None = None
    for context in contexts(subject, wanted, said):
        context.lookalikes = similar
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
    given, axis = chosen, None
    if subject.axis_name:
        given, axis = over_batch(chosen, keywords, subject.axis_name)
    try:
        trace = trace_call(subject, name, given, keywords, axis)
    except Exception as error:
        failure.note(error)
        if (unbound := UNBOUND.search(str(error))) and not subject.axis_name:
            subject.axis_name = unbound[1]
            return try_call(subject, name, wanted, chosen, failure)
        return None
    if not trace.arrays or not (trace.by_parameters or trace.by_arguments):
        return None
    idle = [
        one.name
        for one in wanted
        if one.default is not EMPTY and names.KEY.search(one.name) and not trace.by_name.get(one.name, True)
    ]
    kept = {key: value for key, value in given.items() if key not in idle}
    keywords = tuple(one for one in keywords if one not in idle)
    static = static_arguments(subject, name, kept, keywords, axis)
    takes = any(trace.by_name.values())
    promised = not name or is_promised(type(subject.instance), name)
    merit = 2.0 * promised + takes + trace.share - 1.5 * trace.edits
    is_meaningful = promised or (trace.computes and (takes or (trace.share > 0.5 and not trace.edits)))
    is_meaningful = is_meaningful and passes_state(subject, kept)
    by = trace.by_parameters, trace.by_arguments, not trace.others
    keys = [trace.by_name[one] for one in kept if names.KEY.search(one) and one in trace.by_name]
    ignores_key = bool(keys) and not any(keys)
    return Called(name, kept, keywords, *by, static, merit, is_meaningful, ignores_key, axis)


def passes_state(subject: Subject, arguments: Mapping[str, Source]) -> bool:
    """Whether the state of the instance goes through the call, where it has one."""
    return subject.state is None or any(STATE_OF_SUITE in one.text for one in arguments.values())


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
