"""The constructor of a class as docstrings show it: its calls, and the values that classes of its family are given."""

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
    parameters_of,
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
"""How many constructors are tried as they are shown."""
MOST_VALUES = 3
"""How many values of one argument are tried that other classes are given."""
SIMPLE = (int, float, bool, complex, type(None))


def examples_for(cls: type) -> tuple[Example, ...]:
    """The calls in all docstrings of the package of a class."""
    return package_examples(cls.__module__.partition(".")[0])


@functools.cache
def called_by(source: Source) -> Any:
    """What is called, by its name; None where it has none."""
    try:
        return source.value(0) if all(map(str.isidentifier, source.text.split("."))) else None
    except Exception:
        return None


def ways_shown(cls: type, budget: Budget, failure: Failure) -> Iterator[Built]:
    """The ways to build a class that docstrings show, that work and that are not heavy."""
    for shown in constructors_shown(cls):
        for way in (*with_sizes_apart(shown), shown):
            if budget.take() and builds(cls, way, failure) and weight_of(built := with_state(way)) <= HEAVY:
                yield built


def with_sizes_apart(shown: Built) -> list[Built]:
    """The same with a size of its own for each argument, where several are shown with one: of a square matrix a transpose goes unnoticed."""
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
    """The calls of a class, and of its class methods, that docstrings show: those of its own first."""
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
    """The context in which parts are built otherwise than docstrings show, which a class may refuse; the same where none is shown."""
    kinds = (kind for parameter in parameters for kind in union_members(parameter.annotation))
    is_shown = any(isinstance(kind, type) and constructors_shown(kind) for kind in kinds)
    if context.unlike_shown or not is_shown:
        return context
    instances = functools.partial(context.instances, as_shown=False)
    return replace(context, instances=instances, unlike_shown=True)


def built_as_shown(cls: type, called: Any, example: Example) -> Built:
    """A call of a class, or of a method of it, with its arguments by name where it takes them so."""
    reference = refer(cls)
    maker = reference if called is cls else reference.but(f"{reference.text}.{example.method}")
    names = names_by_position(called, cls, len(example.by_position))
    positional = 0 if names is not None else len(example.by_position)
    names = names or [f"argument_{place}" for place in range(positional)]
    return Built(maker, {**dict(zip(names, example.by_position, strict=True)), **example.by_name}, positional)


def names_by_position(function: Any, cls: type, count: int) -> list[str] | None:
    """The names of the first parameters, where these may be given by name."""
    try:
        parameters = parameters_of(function, cls)[:count]
    except (TypeError, ValueError):
        return None
    by_name = [part for part in parameters if part.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return [part.name for part in by_name] if len(by_name) == count else None


def values_shown(cls: type, parameters: Sequence[inspect.Parameter]) -> Mapping[str, list[Source]]:
    """The values that docstrings give for arguments of the same name and annotation of classes that share a base."""
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
    """The annotations of the constructor of a class of a family; none of anything else."""
    if not isinstance(called, type) or family.isdisjoint(called.__mro__):
        return {}
    try:
        return {part.name: part.annotation for part in parameters_of(called, called)}
    except (TypeError, ValueError):
        return {}


def family_of(cls: type) -> frozenset[type]:
    """A class and its bases of the same package."""
    package = cls.__module__.partition(".")[0]
    return frozenset(base for base in cls.__mro__ if base.__module__.partition(".")[0] == package)


def is_simple(annotation: Any) -> bool:
    """Whether values of an annotation are plain: what somebody else was given says nothing of them."""
    return annotation in OPEN or all(
        member in SIMPLE or is_array_type(member) or is_shaped(member) or is_callable_type(member)
        for member in union_members(annotation)
    )
