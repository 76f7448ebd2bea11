"""Search for the method and the arguments by which an instance is called."""

import dis
import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..building.budget import Budget, combinations
from ..building.build import instances
from ..building.built import Failure
from ..building.hints import alternatives, words_of
from ..classes.call_text import ARITHMETIC, MATMUL
from ..classes.documented import documented, is_promised
from ..classes.kinds import is_nnx
from ..classes.methods import is_override, methods_of, parameters_of_method
from ..values import names
from ..values.annotations import EMPTY, OPEN, required, union_members, with_count
from ..values.candidates import values_for
from ..values.context import Context
from ..values.domains import apart, shapes_drawn
from ..values.sizes import DIM, Sizes, held_sizes, shapes_of
from ..values.sources import STATE_OF_SUITE, Source
from .as_shown import calls_shown
from .called import Called, Subject, Trace
from .dims import columns_first, dims_of, last_dims_of, sizes_of_dims
from .hints import NO_HINTS, PICTURES, Hints, hints_of, wants_pictures, with_hints
from .invoke import UNBOUND, over_batch
from .of_samples import like_samples
from .own_sizes import with_alternative, with_size_known
from .static_arguments import static_arguments
from .trace import trace_call

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


NONE = "NoneType"
"""Type name in Python's errors about a value that is None."""
FURTHER = 60
"""Tries for another method, once a call works."""
ROUNDS = 4
"""Rounds of learning from errors, since each error may name only a single missing entry of a dict."""
FEW_PICTURES = 16
"""Tries for a call that may be meant for pictures."""
MOST_METHODS = 24
"""Maximum number of methods of a class to try."""
PATIENCE = 24
"""Tries with the same error that end a search, times the square of the number of arguments."""
OTHER = 10
"""Distance between the seeds of an instance and of the second operand of a sum."""
FEW = 8
"""Choices of sizes for the dims of docstrings, and tries with each choice."""


def find_call(
    cls: type, subject: Subject, wished: str, said: Mapping[str, Source], budget: Budget, failure: Failure
) -> Called | None:
    """Find the best call: outputs depend on arguments and parameters, or else on either of them."""
    best: Called | None = None
    for name in [wished] if wished else methods_of(cls)[:MOST_METHODS]:
        name = "" if name == "__call__" else name
        # A call that works, but is not full, has used up all tries.
        tries = budget.tries if best is None else (min if best.is_full else max)(budget.tries, FURTHER)
        method_budget = Budget(tries)
        called = try_method(subject, name, said, method_budget, failure)
        failure.parts += [name] * (called is not None and not called.computes)
        budget.tries -= tries - method_budget.tries
        if called is not None and called.is_full and not name:
            return called
        best = max(filter(None, (best, called)), key=rank, default=None)
    return best


def rank(called: Called) -> tuple[bool, bool, float]:
    """Return the key that compares calls. Of equal calls the first is taken."""
    return called.is_full, called.is_meaningful, called.merit


def try_method(
    subject: Subject,
    name: str,
    said: Mapping[str, Source],
    budget: Budget,
    failure: Failure,
    *,
    as_shown: bool = True,
) -> Called | None:
    cls = type(subject.instance)
    parameters = parameters_of_method(cls, name or "__call__")
    if name in ARITHMETIC:  # with an instance of the class, since the meaning of an array is not known
        operands = [source.later(OTHER) for source in instances(cls)[:1]]
        if not operands or not parameters:
            return None
        said = {parameters[0].name: operands[0]}
    best = as_docstrings_show(subject, name, budget, failure) if as_shown and not said else None
    for signature in signatures(parameters) if parameters is not None and not is_full(best) else ():
        called = try_signature(subject, name, signature, said, budget, failure)
        if called is not None:
            return max(filter(None, (best, called)), key=rank)
    return best


def as_docstrings_show(subject: Subject, name: str, budget: Budget, failure: Failure) -> Called | None:
    """Try calls as docstrings show them, until the outputs of a call depend on everything."""
    best: Called | None = None
    for shown, chosen in calls_shown(type(subject.instance), name):
        called = try_call(subject, name, shown, chosen, failure) if budget.take() else None
        if called is not None:
            best = max(filter(None, (best, replace(called, merit=called.merit + 1))), key=rank)
        if is_full(best):
            break
    return best


def is_full(called: Called | None) -> bool:
    """Whether a call exists and returns arrays that depend on its arguments and the parameters."""
    return called is not None and called.is_full


def signatures(parameters: Sequence[inspect.Parameter]) -> Iterator[Sequence[inspect.Parameter]]:
    """Yield the parameters, then with one and two values for `*args` if no parameter is required."""
    yield parameters
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.VAR_POSITIONAL in kinds and not required(parameters):
        yield from (with_count(parameters, count) for count in (1, 2))


def try_signature(
    subject: Subject,
    name: str,
    parameters: Sequence[inspect.Parameter],
    said: Mapping[str, Source],
    budget: Budget,
    failure: Failure,
) -> Called | None:
    """Try the required parameters, then further parameters that errors name."""
    wanted = [*required(parameters), *(parameter for parameter in parameters if is_wanted(parameter, said))]
    subject = replace(subject)  # since `axis_name` is set for this method alone
    start = len(failure.messages)
    called = search(subject, name, wanted, said, budget, failure)
    if called is not None:
        return called
    held = held_sizes(subject.instance, subject.state)
    known: Sequence[str] | None = None
    for _ in range(ROUNDS):
        hints = hints_of(type(subject.instance), failure.messages[start:], held)
        if known == hints.words:
            break
        known = hints.words
        called = taught_call(subject, name, parameters, wanted, said, hints, budget, failure)
        if called is not None:
            return called
    if wants_pictures(failure.messages[start:]):
        return search(subject, name, wanted, said, Budget(FEW_PICTURES), failure, Hints(shapes=PICTURES))
    return None


def taught_call(
    subject: Subject,
    name: str,
    parameters: Sequence[inspect.Parameter],
    wanted: Sequence[inspect.Parameter],
    said: Mapping[str, Source],
    hints: Hints,
    budget: Budget,
    failure: Failure,
) -> Called | None:
    """Try again with hints from errors, and with the optional parameters that errors name."""
    mentions = words_of(failure.messages)
    is_named = [part.name in mentions or (part.default is None and NONE in mentions) for part in parameters]
    further = [part for part in itertools.compress(parameters, is_named) if part not in wanted]
    for taught in hints.in_turn() if further or hints else ():
        for chosen in alternatives(wanted, further[:2]):
            is_alone = len(chosen) == len(wanted) + 1
            tries = FURTHER if hints or is_alone else 0
            called = search(subject, name, chosen, said, Budget(max(budget.tries, tries)), failure, taught)
            if called is not None:
                return called
    return None


def is_wanted(parameter: inspect.Parameter, said: Mapping[str, Source]) -> bool:
    """Whether to pass an optional argument, such as a key or a value that the user gives."""
    return parameter.default is not EMPTY and (
        names.KEY.search(parameter.name) is not None or parameter.name in said
    )


def search(
    subject: Subject,
    name: str,
    wanted: Sequence[inspect.Parameter],
    said: Mapping[str, Source],
    budget: Budget,
    failure: Failure,
    hints: Hints = NO_HINTS,
) -> Called | None:
    """Return the first call whose outputs depend on everything, or else the first call that works."""
    fallback: Called | None = None
    start, samples = len(failure.messages), like_samples(subject, name, [] if said else wanted)
    for plain in contexts(subject, name, wanted, said, hints.sizes):
        context = with_hints(plain, hints)
        lists = {
            part.name: [*samples.get(part.name, ()), *values_for(part.name, part.annotation, context)]
            for part in wanted
        }
        failure.unknown = [name for name, sources in lists.items() if not sources]
        lists = {part.name: lists[part.name] for part in wanted if lists[part.name] or part.default is EMPTY}
        for places in combinations(
            [*map(shapes_drawn, lists.values())], FEW if context.as_documented else 400
        ):
            if not budget.take() or raises_the_same(failure.messages[start:], len(lists)):
                return fallback
            chosen = {name: lists[name][place] for name, place in zip(lists, places, strict=True)}
            called = try_call(subject, name, wanted, apart(chosen), failure)
            if called is not None:
                if called.is_full:
                    called = with_alternative(subject, called, wanted, context)
                    return called if context.as_documented else with_size_known(subject, called)
                fallback = fallback or called
    return fallback


def raises_the_same(messages: Sequence[str], count: int) -> bool:
    """Whether all tries raised the same error, which may come from how the instance was built."""
    return len(messages) >= PATIENCE * count**2 and len({*messages}) == 1


def contexts(
    subject: Subject,
    name: str,
    wanted: Sequence[inspect.Parameter],
    said: Mapping[str, Source],
    further: Sequence[int] = (),
) -> Iterator[Context]:
    """Yield contexts with several sizes for dims, first with the shapes that docstrings give."""
    instance, has_state = subject.instance, subject.state is not None
    instance_sizes = (*further, *held_sizes(instance, subject.state))
    shapes = shapes_of(instance_sizes)
    if any(names.EDGES.search(parameter.name) for parameter in wanted):  # matrices first: nodes have features
        shapes = sorted(shapes, key=lambda shape: len(shape) != 2)
    every = [parameter.name for parameter in wanted]
    of_texts = documented(type(instance), every, name or "__call__")
    is_alike = any(part.annotation in OPEN and names.ALIKE.search(part.name) for part in wanted)
    plain = Context(
        Sizes(), shapes, said, instances, documented=of_texts, others=every,
        lookalikes=[type(instance)] * is_alike,
        index_below=min(instance_sizes, default=2), is_call=True, has_state=has_state,
    )  # fmt: skip
    annotated = dims_of(wanted)
    if of_texts.dims:
        words = columns_first([DIM.findall(dims) for dims in of_texts.dims.values()])
        choices = itertools.islice(sizes_of_dims(instance, instance_sizes, [*annotated, *words]), FEW)
        yield from (replace(plain, sizes=sizes, as_documented=True) for sizes in choices)
    yield from (
        replace(plain, sizes=sizes, documented=replace(of_texts, dims={}))
        for sizes in sizes_of_dims(instance, instance_sizes, annotated, last_dims_of(wanted))
    )


def try_call(
    subject: Subject,
    name: str,
    wanted: Sequence[inspect.Parameter],
    chosen: Mapping[str, Source],
    failure: Failure,
) -> Called | None:
    """Trace a call, without keys that its outputs ignore. Return None if the call fails."""
    keywords = tuple(
        parameter.name
        for parameter in wanted
        if parameter.kind not in BY_POSITION or parameter.default is not EMPTY
    )
    arguments, axis = chosen, None
    if subject.axis_name:
        arguments, axis = over_batch(chosen, keywords, subject.axis_name)
    try:
        trace = trace_call(subject, name, arguments, keywords, axis)
    except Exception as error:
        failure.note(error)
        if (unbound := UNBOUND.search(str(error))) and not subject.axis_name:
            subject.axis_name = unbound[1]
            return try_call(subject, name, wanted, chosen, failure)
        return None
    if not trace.arrays or not (trace.by_parameters or trace.by_arguments):
        if chosen and not trace.arrays:
            note_nothing_given(type(subject.instance), name, failure)
        return None
    unfelt = dict.fromkeys(unfelt_parts(wanted, trace.by_name), Source("None"))
    if unfelt and (called := try_call(subject, name, wanted, {**chosen, **unfelt}, failure)) is not None:
        return called
    idle = idle_keys(wanted, trace.by_name)
    kept = {key: value for key, value in arguments.items() if key not in idle}
    keywords = tuple(keyword for keyword in keywords if keyword not in idle)
    static = static_arguments(subject, name, kept, keywords, axis)
    takes = any(trace.by_name.values())
    is_maker = not takes and names.MAKES.search(name) is not None
    promised = name in ("", MATMUL) or (is_promised(type(subject.instance), name) and not is_maker)
    merit = 2.0 * promised + takes + merit_of(type(subject.instance), name, trace)
    is_meaningful = promised or (trace.computes and (takes or (trace.share > 0.5 and not trace.edits)))
    is_meaningful = is_meaningful and passes_state(subject, kept) and (takes or not trace.others)
    by = trace.by_parameters, trace.by_arguments, not trace.others, trace.computes
    keys = [
        trace.by_name[argument]
        for argument in kept
        if names.KEY.search(argument) and argument in trace.by_name
    ]
    ignores_key = bool(keys) and not any(keys)
    return Called(name, kept, keywords, *by, static, merit, is_meaningful, ignores_key, axis)


def note_nothing_given(cls: type, name: str, failure: Failure) -> None:
    """Note as the failure that the first method of the class works, but returns no arrays."""
    if [name] == methods_of(cls)[:1]:
        name = name or "__call__"
        code = getattr(inspect.unwrap(getattr(cls, name)), "__code__", None)
        stores = code is not None and any(step.opname == "STORE_ATTR" for step in dis.get_instructions(code))
        lost = ": under `jax.jit` what it stores on `self` is lost" if stores and not is_nnx(cls) else ""
        failure.first = f"`{name}` works, and gives no arrays back{lost}"


def merit_of(cls: type, name: str, trace: Trace) -> float:
    """Rate a method: an override counts for it, and an edit or a conversion counts against it."""
    converts = names.CONVERTS.search(name) is not None or trace.moves
    return trace.share + 0.5 * is_override(cls, name) - 1.5 * (trace.edits + converts)


def unfelt_parts(wanted: Sequence[inspect.Parameter], felt: Mapping[str, bool]) -> list[str]:
    """Return required arguments that may be None, and that no output depends on."""
    return [part.name for part in required(wanted) if may_be_none(part) and felt.get(part.name) is False]


def idle_keys(wanted: Sequence[inspect.Parameter], felt: Mapping[str, bool]) -> list[str]:
    """Return optional keys that no output depends on."""
    spare = [part.name for part in wanted if part.default is not EMPTY]
    return [name for name in spare if names.KEY.search(name) and not felt.get(name, True)]


def may_be_none(parameter: inspect.Parameter) -> bool:
    """Whether the annotation of a parameter allows None."""
    return type(None) in union_members(parameter.annotation)


def passes_state(subject: Subject, arguments: Mapping[str, Source]) -> bool:
    """Whether the instance has no state, or its state is among the arguments."""
    return subject.state is None or any(STATE_OF_SUITE in source.text for source in arguments.values())
