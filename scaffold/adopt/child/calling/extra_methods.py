"""Methods beside the call for which the search finds arguments as well."""

from collections.abc import Iterator, Mapping

from ..building.budget import Budget
from ..building.built import Failure
from ..classes.methods import methods_of, parameters_of_method
from ..values.annotations import required
from ..values.sources import Source
from .call import try_method
from .called import Called, Subject
from .trace import trace_call

TRIES = 60
"""Tries for the arguments of a method."""
MOST = 8
"""Maximum number of methods of a class to try."""


def extra_methods(
    cls: type, subject: Subject, called: Called | None, said: Mapping[str, Source]
) -> Iterator[Called]:
    """Yield calls of further methods whose outputs depend on their arguments and the parameters."""
    main = called.method if called is not None else None
    names = [name for name in methods_of(cls) if name and name != main and needs_arguments(cls, name)]
    for name in names[:MOST]:
        call = try_method(subject, name, said, Budget(TRIES), Failure(), as_shown=False)
        if call is not None and call.is_full and is_traced(subject, call):
            yield call


def needs_arguments(cls: type, name: str) -> bool:
    """Whether a method has required arguments. The laws find other methods by themselves."""
    return bool(required(parameters_of_method(cls, name) or ()))


def is_traced(subject: Subject, called: Called) -> bool:
    """Whether a method takes tracers. A method that branches on values is left to the author."""
    return bool(trace_call(subject, called.method, called.arguments, called.keywords).by_name)
