"""Options of the parts of a class, such as its configuration, that errors of the class name."""

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from ..values.annotations import EMPTY, known_parameters, union_members
from ..values.context import Context
from .built import Failure


def asking_parts(context: Context, failure: Failure, parameters: Sequence[inspect.Parameter]) -> Context:
    """Return a context whose parts are built with the options that errors name."""
    options = options_of_parts(failure, parameters)
    if {*options} <= {*context.of_parts}:
        return context
    return replace(context, of_parts=options, instances=partial(context.instances, options=options))


def options_of_parts(failure: Failure, parameters: Sequence[inspect.Parameter]) -> tuple[str, ...]:
    """Return the arguments with defaults that errors name and that the types of arguments accept."""
    own = {parameter.name for parameter in parameters}
    words = {word for text in failure.messages for word in re.findall(r"[a-z]\w+", text)} - own
    kinds = [kind for parameter in parameters for kind in union_members(parameter.annotation)]
    parts = [kind for kind in kinds if isinstance(kind, type)]
    return tuple(dict.fromkeys(name for part in parts for name in own_options(part, sorted(words))))


def own_options(cls: type, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a class accepts as arguments with defaults."""
    optional = {part.name for part in known_parameters(cls, cls) if part.default is not EMPTY}
    return tuple(name for name in names if name in optional)
