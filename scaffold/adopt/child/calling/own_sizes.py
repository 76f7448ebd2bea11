"""The size that an instance names for its features, in the place of another one that a call takes as well."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..values import names
from ..values.sizes import foreign_sizes, held_sizes, named_sizes
from ..values.sources import Source
from .called import Called, Subject
from .trace import trace_call

_SHAPE = re.compile(r"(?<=sample\()(seed(?: \+ \d+)?, )\(([\d, ]*)\)")


def with_own_size(subject: Subject, called: Called) -> Called:
    """The call with the size of the instance, where its arguments end with one that the instance does not hold."""
    named = named_sizes(subject.instance).items()
    sizes = {
        size for name, size in named if names.FEATURES.search(name) and not names.NO_FEATURES.search(name)
    }
    drawn = [axes for source in called.arguments.values() for axes in shapes_in(source)]
    ends = {axes[-1] for axes in drawn if axes}
    foreign = ends & {*foreign_sizes(held_sizes(subject.instance, subject.state))}
    if len(sizes) != 1 or len(foreign) != 1 or sizes & ends:
        return called
    [size], [end] = sizes, foreign
    arguments = {name: resized(source, end, size) for name, source in called.arguments.items()}
    try:
        trace = trace_call(subject, called.method, arguments, called.keywords, called.axis)
    except Exception:
        return called
    return replace(called, arguments=arguments) if trace.arrays and trace.by_arguments else called


def shapes_in(source: Source) -> Sequence[tuple[int, ...]]:
    """The shapes of what is drawn in a value."""
    return [tuple(map(int, re.findall(r"\d+", match[2]))) for match in _SHAPE.finditer(source.text)]


def resized(source: Source, size: int, other: int) -> Source:
    """The value with axes of another size."""

    def with_other(match: re.Match[str]) -> str:
        axes = re.sub(rf"\b{size}\b", str(other), match[2])
        return f"{match[1]}({axes})"

    return source.but(_SHAPE.sub(with_other, source.text))
