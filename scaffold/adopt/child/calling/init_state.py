"""States that a method such as `init(...)` returns, and another method of the instance takes."""

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp

from ..building.budget import Budget, combinations
from ..building.built import Failure
from ..classes.methods import is_base, methods_of, parameters_of_method, takes_self
from ..values.annotations import EMPTY, SILENT, required, signature_of
from ..values.candidates import values_for
from ..values.domains import apart
from ..values.sources import Source, merged
from .call import contexts, try_method
from .called import Called, Subject
from .static_arguments import is_number
from .trace import forms_of, instead, shape_in, trace_call

BEGINS = re.compile(r"^(init|initial|initiali[sz]e|begin|start|create)(_|$)|_init$")
HOLDS = re.compile(r"(^|_)(state|carry|hidden|memory|cache)$|^h$")
BATCH = re.compile(r"^batch(_?size)?$")
EACH = 8
"""Tries for a method that takes the state. Its other arguments are mostly known from `init`."""
WAYS = 8
"""Maximum number of initial states with which to try the other methods."""


@dataclass(frozen=True)
class InitialState:
    """A state as an expression over the suite, and the arguments of the method that returns it."""

    state: Source
    arguments: Mapping[str, Source]


@dataclass(frozen=True)
class Taken:
    """An argument that may be a state. With `is_said`, its annotation or its name says so."""

    name: str
    is_said: bool


def find_with_state(
    cls: type, subject: Subject, said: Mapping[str, Source], budget: Budget, failure: Failure
) -> Called | None:
    """Find a call that takes the state of another method. Both methods get equal arguments by name."""
    begin = init_methods(cls)
    others = [method for method in methods_of(cls)[:12] if method not in begin]
    for name in begin:
        result = result_of(getattr(cls, name))
        takers = [(method, taken) for method in others if (taken := takes(cls, method, result))]
        for begun in ways_to_init(cls, subject, name, said, budget, failure) if takers else ():
            for method, taken in takers:
                known = {**begun.arguments, taken.name: begun.state, **said}
                called = try_method(subject, method, known, Budget(EACH), failure)
                is_sure = taken.is_said or (called is not None and gives_back(subject, called, begun.state))
                if called is not None and called.is_full and is_sure:
                    return of_batch(subject, called, begun)
    return None


def of_batch(subject: Subject, called: Called, begun: InitialState) -> Called:
    """Give guessed arguments the batch size of the state, if the call still works.

    Without it, the call may work only because the state broadcasts.
    """
    sources = begun.arguments.items()
    sizes = [int(each.text) for name, each in sources if BATCH.search(name) and each.text.isdigit()]
    for name in called.guesses:
        shape = shape_in(called.arguments[name])
        if sizes and shape is not None:
            batched = Source(f"sample(seed, {(*sizes, *shape)})")
            called = instead(subject, called, name, batched) or called
    return called


def gives_back(subject: Subject, called: Called, state: Source) -> bool:
    """Whether a call returns arrays with the shapes and dtypes of the state that it takes."""
    trace = trace_call(subject, called.method, called.arguments, called.keywords, called.axis)
    taken = Counter(forms_of([*map(jnp.asarray, jax.tree.leaves(state.value(0, subject.owner)))]))
    return bool(taken) and not taken - Counter(trace.forms)


def may_have_state(cls: type, called: Called) -> bool:
    """Whether a call may need another state.

    The call may be an init method itself, take plain numbers as a state, or have guessed arguments.
    """
    begin = init_methods(cls)
    states = [source.text for name, source in called.arguments.items() if HOLDS.search(name)]
    is_plain = any(re.fullmatch(r"[\d\s.,()\[\]]+", text) for text in states)
    return is_plain or called.method in begin or (bool(called.guesses) and bool(begin))


def init_methods(cls: type) -> list[str]:
    """Return the methods whose names say that they return a state, such as `init_carry`."""
    owners = [owner for owner in cls.__mro__ if not is_base(owner)]
    names = [name for owner in owners for name, value in vars(owner).items() if takes_self(value)]
    return [
        name
        for name in dict.fromkeys(names)
        if BEGINS.search(name) and parameters_of_method(cls, name) is not None
    ]


def ways_to_init(
    cls: type, subject: Subject, name: str, said: Mapping[str, Source], budget: Budget, failure: Failure
) -> Iterator[InitialState]:
    """Yield states that a method returns, from the first arguments with which it works."""
    wanted = required(parameters_of_method(cls, name) or ())
    count = 0
    for context in contexts(subject, name, wanted, said):
        lists = [values_for(parameter.name, parameter.annotation, context) for parameter in wanted]
        for places in combinations(lists, 60):
            if not budget.take() or count >= WAYS:
                return
            chosen = {
                parameter.name: each[place]
                for parameter, each, place in zip(wanted, lists, places, strict=True)
            }
            state = init_state_from(name, wanted, apart(chosen))
            try:
                value = state.value(0, subject.owner)
            except Exception as error:
                failure.note(error)
                continue
            count += 1
            if is_of_arrays(value):
                yield InitialState(state, apart(chosen))


def init_state_from(name: str, wanted: Sequence[inspect.Parameter], chosen: Mapping[str, Source]) -> Source:
    """Return the expression of the state that a method of a new instance returns."""
    by_name = [parameter.name for parameter in wanted if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    texts = [f"{key}={source.text}" if key in by_name else source.text for key, source in chosen.items()]
    return replace(merged(f"self.make(seed).{name}({', '.join(texts)})", list(chosen.values())), told="")


def is_of_arrays(value: Any) -> bool:
    """Whether `jax.jit` takes a state, since all its leaves are arrays or numbers.

    A state without leaves needs a class of its own, such as the state of an optimiser that remembers nothing.
    """
    leaves = jax.tree.leaves(value)
    return all(map(is_number, leaves)) and (bool(leaves) or type(value).__module__ != "builtins")


def result_of(method: Any) -> Any:
    """Return the return annotation of a method, or EMPTY if there is none."""
    annotation = getattr(method, "__annotations__", {}).get("return", EMPTY)
    return annotation if annotation is not None and signature_of(method) else EMPTY


def takes(cls: type, method: str, result: Any) -> Taken | None:
    """Return the argument of a method for the state: by annotation, by name, or the last if not annotated."""
    parameters = required(parameters_of_method(cls, method or "__call__") or ())
    by_type = [
        parameter.name for parameter in parameters if result is not EMPTY and parameter.annotation == result
    ]
    by_name = [parameter.name for parameter in parameters if HOLDS.search(parameter.name)]
    at_last = [parameter.name for parameter in parameters[1:] if parameter.annotation in SILENT][-1:]
    said = [*by_type, *by_name]
    return next((Taken(name, name in said) for name in [*said, *at_last]), None)
