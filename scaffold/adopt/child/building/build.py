"""Construction of a class by its constructor or another maker, with the first arguments that work."""

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from pytree_laws.inspect.arrays import is_array
from pytree_laws.inspect.references import reachable
from pytree_laws.inspect.trees import arrays_of

from ..classes.documented import documented
from ..classes.heirs import import_heirs
from ..classes.kinds import kind_of
from ..classes.uses.entries import arguments_given, entries_read
from ..classes.uses.lookalikes import subclasses
from ..classes.uses.parts_by_use import parts_by_use
from ..values.annotations import ARRAYS, EMPTY, parameters_of, required, union_members, with_count
from ..values.candidates import values_for
from ..values.context import Context
from ..values.domains import DOMAINS, apart, shapes_drawn, within
from ..values.plain import modules
from ..values.sources import Source, has_name, name_private
from .as_shown import unlike_shown, values_shown, ways_shown
from .budget import Budget, combinations
from .built import Built, Failure, builds, holds_arrays, instance_of, once, with_state
from .hints import (
    PATIENCE,
    alternatives,
    asks_for_numbers,
    asks_for_shape,
    is_of_others,
    may_be_filled,
    missing,
    named_by,
    names_others,
    taught,
)
from .makers import makers_of, named
from .members import all_members_work
from .options_of_parts import asking_parts, own_options
from .sizes.allowed import of_one_configuration, with_allowed_values
from .sizes.divisible import with_divisors, with_multiples
from .sizes.neutral import shapes_beside, with_telling
from .sizes.shared_sizes import dims_named_by, shared_sizes
from .sizes.static_arrays import with_static_of_numpy
from .unsharded import asks_for_mesh, unsharded

REPEATED = 3
"""Number of first choices that are repeated in each domain."""
WAYS = 5
"""Largest number of working constructions for a set of arguments of a maker."""
ROUNDS = 5
"""Number of rounds in which a maker is tried again with the arguments that its errors name."""
MOST_BELOW = 24
"""Largest number of classes tried for an argument, the annotated class included."""
NO_SIZES: Mapping[str, int] = {}
_BUSY: list[type] = []
_REFUSED: dict[type, str] = {}
_MISSED: list[type] = []  # busy classes that parts have asked for
_BUILT: dict[tuple[Any, ...], tuple["Built | None", set[type]]] = {}
"""Construction of each part, or None and the busy classes by which it failed, as long as they are busy."""


def ways_to_build(
    cls: type,
    said: Mapping[str, Source],
    budget: Budget,
    failure: Failure,
    similar: Sequence[type] = (),
    known: Mapping[str, int] = NO_SIZES,
    options: Sequence[str] = (),
    *,
    as_shown: bool = True,
) -> Iterator[Built]:
    """Yield the constructions of a class that work, from its constructor, methods and factories.

    `known` gives sizes of documented dims that the holder of the instance names too. `options` names
    arguments with defaults to pass anyway.
    """
    if as_shown and not said:
        yield from ways_shown(cls, budget, failure)
    entries, arities, makers = entries_read(cls), arguments_given(cls), [*makers_of(cls)]
    for name, maker, sizes in makers:
        try:
            parameters = parameters_of(maker, cls)
        except (TypeError, ValueError):
            continue
        is_last = name == makers[-1][0]
        of_maker = budget if is_last else budget.half()
        parameters = [part.replace(default=EMPTY) if part.name in sizes else part for part in parameters]
        every = [parameter.name for parameter in parameters]
        of_texts = documented(cls, every, name or "__init__")
        context = Context(
            shapes=shapes_beside(cls, parameters),
            sizes=shared_sizes(cls, parameters, of_texts.dims, known),
            said=said,
            instances=instances if as_shown else partial(instances, as_shown=False),
            unlike_shown=not as_shown,
            options=options,
            documented=replace(of_texts, types={**parts_by_use(cls, parameters), **of_texts.types}),
            lookalikes=similar,
            others=every,
            entries=entries,
            arities=arities,
            shown=values_shown(cls, parameters) if as_shown else {},
            has_both_arrays=all(kind in [part.annotation for part in parameters] for kind in ARRAYS),
        )
        for signature in (*with_several(parameters), parameters):
            ways = ways_of_maker(cls, signature, named(cls, name, maker), context, of_maker, failure)
            ways = with_arrays_first(ways)
            while (built := next_way(cls, ways)) is not None:
                yield from with_telling(cls, with_static_of_numpy(cls, built))
        budget.tries += 0 if is_last else of_maker.tries


def with_several(parameters: Sequence[inspect.Parameter]) -> Iterator[list[inspect.Parameter]]:
    """Replace `*layers` by two arguments if no argument is required: an empty instance shows nothing."""
    takes_several = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters)
    hands_on = any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD or parameter.name == "args"
        for parameter in parameters
    )
    if not takes_several or hands_on or required(parameters):
        return
    yield with_count(parameters, 2)


def next_way(cls: type, ways: Iterator[Built]) -> Built | None:
    """Return the next construction, with the class marked busy so that it cannot be its own part."""
    _BUSY.append(cls)
    try:
        return next(ways, None)
    finally:
        _BUSY.pop()


def with_arrays_first(ways: Iterator[Built]) -> Iterator[Built]:
    """Yield constructions with arrays first, since an instance without arrays shows nothing."""
    without = list[Built]()
    for built in ways:
        if holds_arrays(built):
            yield built
        else:
            without.append(built)
    yield from without


def ways_of_maker(
    cls: type,
    parameters: Sequence[inspect.Parameter],
    written: Source,
    context: Context,
    budget: Budget,
    failure: Failure,
) -> Iterator[Built]:
    """Yield constructions from the required arguments, then also from arguments that errors name."""
    optional = [parameter for parameter in parameters if parameter.default is not EMPTY]
    # Without streams of its own, each call of an NNX module needs some.
    needed = (*context.said, *context.options, "rngs")
    wanted = required(parameters) + [parameter for parameter in optional if parameter.name in needed]
    filled: list[str] = []
    sets = [wanted]
    for _ in range(ROUNDS):
        is_built, is_bare = False, False
        for chosen in sets:
            lists = {part.name: values_for(part.name, part.annotation, context) for part in chosen}
            failure.unknown = [name for name, sources in lists.items() if not sources]
            failure.of_part = failure.of_part or refusal_of(chosen, failure.unknown)
            others = [part.name for part in optional if part not in chosen or chosen is not sets[-1]]
            for built in that_build(cls, written, chosen, lists, others, context, budget, failure):
                is_built, is_bare = True, is_bare or not arrays_of(instance_of(built.source))
                spare = [
                    parameter.name
                    for parameter in chosen
                    if parameter in optional and parameter.name not in (*needed, *filled)
                ]
                yield least(cls, built, spare)
            if is_built:
                break
        further = missing(named_by(failure, parameters), wanted)
        after = asking_parts(taught(context, failure, parameters), failure, parameters)
        after = with_divisors(after, failure, cls)
        if not is_built and not further and after == context:
            after = unlike_shown(context, wanted)
        if not further and after == context:  # nothing is named: what may be left out is perhaps needed
            further = sorted(missing(optional, wanted), key=lambda parameter: parameter.default is not None)[
                :2
            ]
        if is_bare and not filled:  # without its optional parts there is nothing to see
            further = [part for part in missing(optional, wanted) if may_be_filled(part, context)]
            is_built = False
            filled = [parameter.name for parameter in further]
        maker, written = written, unsharded(written, failure.messages)
        if is_built or not (further or after != context or maker != written):
            return
        sets = alternatives(wanted, further[:4], has_numbers=after.numbers != context.numbers)
        wanted, context = [*wanted, *further[:4]], after


def least(cls: type, built: Built, optional: Sequence[str]) -> Built:
    """Drop the optional arguments that the construction does not need, starting from the last."""
    for name in reversed(optional):
        fewer = replace(
            built, arguments={key: source for key, source in built.arguments.items() if key != name}
        )
        if builds(cls, fewer, Failure()):
            built = fewer
    return built


def that_build(
    cls: type,
    written: Source,
    wanted: Sequence[inspect.Parameter],
    lists: Mapping[str, list[Source]],
    others: Sequence[str],
    context: Context,
    budget: Budget,
    failure: Failure,
) -> Iterator[Built]:
    """Yield the combinations that build an instance.

    A combination that hides a guessed array comes only if no other works and the array's kind is known.
    """
    positional = sum(parameter.kind is inspect.Parameter.POSITIONAL_ONLY for parameter in wanted)
    count, last, start = 0, list[Built](), len(failure.messages)
    for chosen in choices(lists, failure):
        messages = failure.messages[start:]
        asks = asks_for_shape(messages[PATIENCE:], context, lists) or asks_for_numbers(messages, context)
        asks = (asks or is_of_others(others, messages) or asks_for_mesh(messages)) and not (count or last)
        if asks or count >= WAYS or names_others(others, messages) or not budget.take():
            break
        built = Built(written, apart(chosen), positional)
        if not builds(cls, built, failure):
            continue
        if hides_a_guess(built):
            last.append(built)
        else:
            count += 1
            yield of_one_state_and_configuration(built)
    known = [built for built in last if not built.unknown]
    yield from map(of_one_state_and_configuration, known[:WAYS] if not count else ())
    if last and not (known or count):
        failure.note_unknown(last[0].unknown)


def of_one_state_and_configuration(built: Built) -> Built:
    return with_state(of_one_configuration(with_allowed_values(built)))


def choices(lists: Mapping[str, list[Source]], failure: Failure) -> Iterator[dict[str, Source]]:
    """Yield values to try: the first few, these as multiples and in other domains, then the rest."""
    every = (
        {name: lists[name][place] for name, place in zip(lists, places, strict=True)}
        for places in combinations([*map(shapes_drawn, lists.values())], 150)
    )
    first = [*itertools.islice(every, PATIENCE)]
    count = len(failure.messages)
    yield from first
    if first and len(failure.messages) > count:
        yield from with_multiples(first[0], failure.messages[count], failure)
    others = (within(domain, chosen) for domain in DOMAINS for chosen in first[:REPEATED])
    yield from (chosen for chosen in others if chosen not in first)
    yield from every


def hides_a_guess(built: Built) -> bool:
    """Whether an instance keeps a guessed array outside its leaves, where another object belongs."""
    if not (built.guesses or {*modules()} & {*built.arguments.values()}):
        return False
    made = instance_of(built.source)
    try:
        reached_values = reachable(made, "", arrays_of(made))
        return any(is_array(value) for _, value in reached_values)
    except Exception:  # of a class whose attributes are computed
        return False


# -- values of classes, as arguments of others -------------------------------------------------------------------------


def instances(
    cls: type, sizes: Mapping[str, int] = NO_SIZES, options: Sequence[str] = (), *, as_shown: bool = True
) -> list[Source]:
    """Return at most three expressions for a class, or for subclasses that need few arguments."""
    known, given = subclasses(cls), (sizes, options, as_shown)
    built_classes = built_below([cls, *known], *given)
    if not built_classes:
        import_heirs(cls)
    if len(further := subclasses(cls)) > len(known):  # here, or for a part
        built_classes = built_below([cls, *further], *given)
    if not built_classes and name_private(cls):
        built_classes = built_below([cls], *given)
    if (
        built_classes and built_classes[0][0] is cls and not holds_arrays(built_classes[0][1])
    ):  # a base, which does nothing by itself
        built_classes.sort(key=lambda pair: not holds_arrays(pair[1]))
    return [once(each, built.source) for each, built in built_classes[:3] if not built.has_state]


def refusal_of(parameters: Sequence[inspect.Parameter], unknown: Sequence[str]) -> str:
    """Return an argument that no value fits and the error of its class, or an empty string."""
    kinds = [(part.name, kind) for part in parameters for kind in union_members(part.annotation)]
    classes = ((name, kind) for name, kind in kinds if name in unknown and isinstance(kind, type))
    return next((f"`{name}`: {_REFUSED[kind]}" for name, kind in classes if kind in _REFUSED), "")


def built_below(
    classes: Sequence[type], sizes: Mapping[str, int], options: Sequence[str], as_shown: bool
) -> list[tuple[type, Built]]:
    """Build each class, and pair the classes that can be built with their constructions."""
    pairs = [(each, built_once(each, sizes, options, as_shown)) for each in classes[:MOST_BELOW]]
    return [(each, built) for each, built in pairs if built is not None]


def first_that_works(ways: Iterator[Built]) -> Built | None:
    """Return the first construction whose members trace, or else the first, whose sizes may be wrong."""
    candidates = list(itertools.islice(ways, 4 * WAYS))
    working = (built for built in candidates if all_members_work(instance_of(built.source)))
    return next(iter(working if len(candidates) > 1 else candidates), None) or next(iter(candidates), None)


def built_once(
    cls: type, sizes: Mapping[str, int] = NO_SIZES, options: Sequence[str] = (), as_shown: bool = True
) -> Built | None:
    """Return the cached construction of a part, or None if the class is busy or cannot be built."""
    _MISSED.extend([cls] if cls in _BUSY else [])
    is_no_part = cls in _BUSY or len(_BUSY) > 3 or kind_of(cls).name in ("abstract", "function")
    if is_no_part or not has_name(cls):
        return None
    dims = dims_named_by(cls) if sizes else frozenset()
    known = {name: size for name, size in sizes.items() if name in dims}
    own = own_options(cls, options)
    key = cls, tuple(sorted(known.items())), own, as_shown
    built, blockers = _BUILT.get(key, (None, None))
    if blockers is None or not blockers <= {*_BUSY}:
        start, failure = len(_MISSED), Failure()
        with suppress(LookupError, ValueError, TypeError):
            ways = ways_to_build(cls, {}, Budget(60), failure, known=known, options=own, as_shown=as_shown)
            built = first_that_works(ways)
            _REFUSED[cls] = failure.why
        blockers = {*_BUSY}.intersection(_MISSED[start:] if built is None else ())
        _BUILT[key] = built, blockers
        del _MISSED[start:]
    _MISSED.extend(blockers)
    return built
