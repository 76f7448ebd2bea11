"""Constructor calls in docstrings, and the argument values that they show."""

import functools
import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..classes.examples import Example, package_examples
from ..values.annotations import (
    OPEN,
    is_array_type,
    is_callable_type,
    is_shaped,
    known_parameters,
    union_members,
)
from ..values.context import Context
from ..values.plain import is_count
from ..values.sizes import Sizes
from ..values.sources import Source, refer
from .budget import Budget
from .built import Built, Failure, builds, with_state
from .sizes.reduce import HEAVY, weight_of

MOST = 4
"""Largest number of shown constructor calls that are tried."""
MOST_VALUES = 3
"""Largest number of shown values that are tried for an argument."""
SIMPLE = (int, float, bool, complex, type(None))


def examples_for(cls: type) -> tuple[Example, ...]:
    """Return the calls in all docstrings of the package of a class."""
    return package_examples(cls.__module__.partition(".")[0])


@functools.cache
def called_by(source: Source) -> Any:
    """Return the object that a dotted name refers to, or None for any other expression."""
    try:
        return source.value(0) if all(map(str.isidentifier, source.text.split("."))) else None
    except Exception:
        return None


def ways_shown(cls: type, budget: Budget, failure: Failure) -> Iterator[Built]:
    """Yield the constructions that docstrings show, if they work and are not heavy."""
    for shown in constructors_shown(cls):
        for way in (*with_sizes_apart(shown), shown):
            if budget.take() and builds(cls, way, failure) and weight_of(built := with_state(way)) <= HEAVY:
                yield built


def with_sizes_apart(shown: Built) -> list[Built]:
    """Return a copy in which arguments that share a size get distinct sizes.

    A square matrix would hide a missing transpose. The list is empty if no two arguments share a size.
    """
    numbers = {name: source.text for name, source in shown.arguments.items() if source.text.isdecimal()}
    times = Counter(numbers.values())
    alike = [name for name, text in numbers.items() if times[text] > 1 and not is_count(name)]
    if len(alike) < 2:
        return []
    sizes = Sizes(taken=map(int, numbers.values()))
    return [
        replace(shown, arguments={**shown.arguments, **{name: Source(str(sizes.of(name))) for name in alike}})
    ]


def constructors_shown(cls: type) -> list[Built]:
    """Return the shown calls of a class and its class methods, from the class's own docstrings first."""
    own = {cls.__name__, *vars(cls)}
    found = list[tuple[bool, Built]]()
    for example in examples_for(cls):
        if cls.__name__ not in example.function.split("."):
            continue
        called = called_by(example.source)
        if called is cls or (getattr(called, "__self__", None) is cls and example.method):
            found.append((example.owner not in own, built_as_shown(cls, called, example)))
    ordered = (built for _, built in sorted(found, key=lambda pair: pair[0]))
    return list({built.source.text: built for built in ordered}.values())[:MOST]


def unlike_shown(context: Context, parameters: Sequence[inspect.Parameter]) -> Context:
    """Return a context whose parts are built other than docstrings show.

    A class may refuse the shown parts. The context is unchanged if docstrings show no part.
    """
    kinds = (kind for parameter in parameters for kind in union_members(parameter.annotation))
    is_shown = any(isinstance(kind, type) and constructors_shown(kind) for kind in kinds)
    if context.unlike_shown or not is_shown:
        return context
    instances = functools.partial(context.instances, as_shown=False)
    return replace(context, instances=instances, unlike_shown=True)


def built_as_shown(cls: type, called: Any, example: Example) -> Built:
    """Return a shown call as a construction, with arguments by name where the signature allows."""
    reference = refer(cls)
    maker = reference if called is cls else reference.but(f"{reference.text}.{example.method}")
    names = names_by_position(called, cls, len(example.by_position))
    positional = 0 if names is not None else len(example.by_position)
    names = names or [f"argument_{place}" for place in range(positional)]
    return Built(maker, {**dict(zip(names, example.by_position, strict=True)), **example.by_name}, positional)


def names_by_position(function: Any, cls: type, count: int) -> list[str] | None:
    """Return the names of the first `count` parameters, or None if some cannot be passed by name."""
    parameters = known_parameters(function, cls)[:count]
    by_name = [part for part in parameters if part.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return [part.name for part in by_name] if len(by_name) == count else None


def values_shown(cls: type, parameters: Sequence[inspect.Parameter]) -> Mapping[str, list[Source]]:
    """Map each argument to the values that docstrings of related classes give most often.

    A related class shares a base in the package. Its argument has the same name and annotation.
    """
    wanted = {part.name: part.annotation for part in parameters if not is_simple(part.annotation)}
    found: dict[str, dict[Source, int]] = {name: {} for name in wanted}
    for example in examples_for(cls) if wanted else ():
        if wanted.keys().isdisjoint(example.by_name):
            continue
        annotations = annotations_of(called_by(example.source), family_of(cls))
        for name, source in example.by_name.items():
            if name in wanted and annotations.get(name, ...) == wanted[name]:
                found[name][source] = found[name].get(source, 0) + 1
    return {
        name: sorted(counts, key=lambda source: -counts[source])[:MOST_VALUES]
        for name, counts in found.items()
        if counts
    }


def annotations_of(called: Any, family: frozenset[type]) -> Mapping[str, Any]:
    """Return the annotations of the constructor of a class in a family, or nothing for another object."""
    if not isinstance(called, type) or family.isdisjoint(called.__mro__):
        return {}
    return {part.name: part.annotation for part in known_parameters(called, called)}


def family_of(cls: type) -> frozenset[type]:
    """Return a class and its bases from the same package."""
    package = cls.__module__.partition(".")[0]
    return frozenset(base for base in cls.__mro__ if base.__module__.partition(".")[0] == package)


def is_simple(annotation: Any) -> bool:
    """Whether an annotation is plain, so that values shown for another class carry no information."""
    return annotation in OPEN or all(
        member in SIMPLE or is_array_type(member) or is_shaped(member) or is_callable_type(member)
        for member in union_members(annotation)
    )
