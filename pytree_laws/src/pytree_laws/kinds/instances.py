"""Functions of an instance, which the adapter of each kind gives."""

import copy
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ..inspect.references import snapshot
from .declarations import Declarations


class InstanceAnswers(Declarations):
    """How an instance is opened, compared, copied and edited."""

    to_tree: ClassVar[Callable[..., tuple[Any, Callable[[Any], Any]]]]
    """A tree of what it holds, with its paths, and the way back."""
    named: ClassVar[Callable[..., dict[str, Any]]]
    """The arrays that it holds, by path."""
    form_of: ClassVar[Callable[..., tuple[Any, dict[str, Any]]]]
    """What a trace of it depends on: its static part, and shapes, dtypes and weak types by path."""
    snapshot_of: ClassVar[Callable[..., Any]] = staticmethod(snapshot)
    """All that it holds, to compare with ==."""
    remembered: ClassVar[Callable[..., Any]] = staticmethod(functools.partial(snapshot, identity=True))
    """What no method may change, to compare with ==."""
    changed_in_place: ClassVar[Callable[..., Any]] = staticmethod(lambda instance: [])
    """What a method may have changed in place."""
    tracers_beside: ClassVar[Callable[..., list[str]]]
    """The places of the tracers that it holds outside of its arrays."""
    read_array: ClassVar[Callable[..., Any]] = staticmethod(getattr)
    """The array under a name, stored there or not."""
    copied: ClassVar[Callable[..., Any]]
    """A copy that a method may change."""
    with_array: ClassVar[Callable[..., Any]]
    """A copy with another array at a path."""
    with_static: ClassVar[Callable[..., Any]]
    """A copy with another static value at a path."""
    with_arrays_of: ClassVar[Callable[..., Any]]
    """A copy with the arrays of another instance, and all else as it was."""
    assign_array: ClassVar[Callable[..., None]]
    """Puts another array into the instance itself; raises where the class refuses that."""
    twins: ClassVar[Callable[..., Iterator[Any]]]
    """Instances of second classes with the leaves of an instance."""
    parts_of: ClassVar[Callable[..., dict[str, Any]]]
    """The parts that are declared one by one, by path: leaves, or Variables."""
    value_of: ClassVar[Callable[..., Any]] = staticmethod(lambda part: part)
    """The array in such a part."""
    outside_of: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """What an instance holds on to outside of its parts, with its places."""
    static_parts: ClassVar[Callable[..., Iterable[tuple[str, Any]]]]
    """What its static part is made of, with its places."""
    parts_of_libraries: ClassVar[Callable[..., Iterable[tuple[str, Any]]]] = staticmethod(lambda instance: ())
    """What is static in parts of a library that belong to no static part of the instance, with its places."""
    own_nodes: ClassVar[Callable[..., Iterable[tuple[str, Any]]]] = staticmethod(
        lambda instance: [("", instance)]
    )
    """The nodes whose properties are its own, with their places."""
    functions_of: ClassVar[Callable[..., Iterable[Any]]]
    """The functions that an instance holds."""
    comparable: ClassVar[Callable[..., Any]] = staticmethod(lambda instance: instance)
    """An instance to compare with `==` outside of any trace."""
    deepcopied: ClassVar[Callable[..., Any]] = staticmethod(copy.deepcopy)
    pickled: ClassVar[Callable[..., Any]]
    """An instance through pickle and back."""
    check_copy: ClassVar[Callable[..., None]]
    """Holds a copy to have all that the instance has."""
