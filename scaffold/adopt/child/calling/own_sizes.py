"""Replacement of guessed sizes by sizes that the instance names, or that the call reads."""

import inspect
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..values import names
from ..values.annotations import ARRAYS
from ..values.context import Context
from ..values.domains import apart
from ..values.plain import array, arrays, tuple_of
from ..values.sizes import LARGEST, foreign_sizes, held_sizes, named_sizes, safe
from ..values.sources import Source
from .called import Called, Subject, Trace
from .trace import instead, shape_in, trace_call

AMBIENT = "ambient_dim"
"""Name of the size of a manifold's points in the space around it."""
_SHAPE = re.compile(r"(?<=sample\()(seed(?: \+ \d+)?, )\(([\d, ]*)\)")


def with_size_known(subject: Subject, called: Called) -> Called:
    """Use the sizes that the instance names, or that the call reads."""
    return with_places_read(subject, with_own_size(subject, called))


def with_own_size(subject: Subject, called: Called) -> Called:
    """Replace a guessed last dim of the arguments by the feature size of the instance."""
    sizes = feature_sizes(subject.instance)
    drawn = [axes for source in called.arguments.values() for axes in shapes_in(source)]
    ends = {axes[-1] for axes in drawn if axes}
    foreign = ends & {*foreign_sizes(held_sizes(subject.instance, subject.state))}
    if len(sizes) != 1 or len(foreign) != 1 or sizes & ends:
        return called
    [size], [end] = sizes, foreign
    arguments = {name: resized(source, end, size) for name, source in called.arguments.items()}
    resized_call = replace(called, arguments=arguments)
    trace = traced(subject, resized_call)
    return resized_call if trace.arrays and trace.by_arguments else called


def feature_sizes(instance: Any) -> set[int]:
    """Return the input sizes that an instance gives by an attribute, by its `shape`, or by a part."""
    named = {**properties_of(instance), **named_sizes(instance)}
    if AMBIENT in named:
        return {named[AMBIENT]}
    sizes = {size for name, size in named.items() if is_feature(name)}
    shape = safe(instance, "shape")
    if not sizes and isinstance(shape, tuple) and len(shape) == 2 and type(shape[-1]) is int:
        return {shape[-1]}
    parts = getattr(instance, "__dict__", {}).values() if not sizes else ()
    return sizes or {
        size for part in parts if AMBIENT in (each := properties_of(part)) for size in [each[AMBIENT]]
    }


def properties_of(instance: Any) -> dict[str, int]:
    """Return the feature sizes that properties of an instance give."""
    owners = type(instance).__mro__
    names_of = [
        name for owner in owners for name, value in vars(owner).items() if isinstance(value, property)
    ]
    values = {name: safe(instance, name) for name in names_of if is_feature(name)}
    return {name: value for name, value in values.items() if type(value) is int and 0 < value < LARGEST}


def is_feature(name: str) -> bool:
    """Whether a name means a number of features."""
    return names.FEATURES.search(name) is not None and not names.NO_FEATURES.search(name)


def with_places_read(subject: Subject, called: Called) -> Called:
    """Shorten vectors of a guessed size to the places that the call reads."""
    reads = traced(subject, called).reads
    foreign = {*foreign_sizes(held_sizes(subject.instance, subject.state))}
    arguments = dict(called.arguments)
    for name in called.guesses:
        ends = {axes[-1] for axes in shapes_in(called.arguments[name]) if axes}
        if len(ends) == 1 and ends <= foreign and 1 < reads.get(name, 0) < min(ends):
            arguments[name] = resized(called.arguments[name], min(ends), reads[name])
    resized_call = replace(called, arguments=apart(arguments))
    trace = traced(subject, resized_call)
    return resized_call if trace.arrays and trace.by_arguments else called


def traced(subject: Subject, called: Called) -> Trace:
    """Trace a call. If tracing fails, return a trace without outputs."""
    try:
        return trace_call(subject, called.method, called.arguments, called.keywords, called.axis)
    except Exception:
        return Trace(0, by_parameters=False, by_arguments=False, by_name={})


def shapes_in(source: Source) -> Sequence[tuple[int, ...]]:
    """Return the shapes of all samples in an expression."""
    return [tuple(map(int, re.findall(r"\d+", match[2]))) for match in _SHAPE.finditer(source.text)]


def resized(source: Source, size: int, other: int) -> Source:
    """Replace `size` by `other` in the shapes of all samples."""

    def with_other(match: re.Match[str]) -> str:
        axes = re.sub(rf"\b{size}\b", str(other), match[2])
        return f"{match[1]}({axes})"

    return source.but(_SHAPE.sub(with_other, source.text))


def with_alternative(
    subject: Subject, called: Called, wanted: Sequence[inspect.Parameter], context: Context
) -> Called:
    """Replace a guessed vector of two by a pair, or note a larger shape that works as well."""
    of_arrays = [parameter.name for parameter in wanted if parameter.annotation in ARRAYS]
    for name in called.guesses:
        shape = shape_in(called.arguments[name])
        if shape == (2,) and name not in of_arrays:
            pairs = [
                tuple_of([source, source])
                for source in arrays(name, context)
                if len(shape_in(source) or ()) == 1
            ]
            called = next(
                (alternative for pair in pairs if (alternative := instead(subject, called, name, pair))),
                called,
            )
        elif shape:
            larger = (foreign_sizes(held_sizes(subject.instance))[3], *shape)
            if instead(subject, called, name, array(name, larger, "float", context)):
                return replace(called, also=f"{name} may be {larger} as well")
    return called
