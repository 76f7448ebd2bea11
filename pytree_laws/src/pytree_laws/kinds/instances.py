"""Functions of an instance, which the adapter of each kind provides."""

import copy
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ..inspect.references import snapshot
from .declarations import Declarations


class InstanceAnswers(Declarations):
    """Functions that open, compare, copy and edit an instance."""

    to_tree: ClassVar[Callable[..., tuple[Any, Callable[[Any], Any]]]]
    """Return a pytree of what the instance holds, and a function from such a tree to an instance."""
    named: ClassVar[Callable[..., dict[str, Any]]]
    """Return the arrays of the instance by path."""
    form_of: ClassVar[Callable[..., tuple[Any, dict[str, Any]]]]
    """Return what a trace depends on: the static part, and shape, dtype and weak type by path."""
    snapshot_of: ClassVar[Callable[..., Any]] = staticmethod(snapshot)
    """Return all that the instance holds, for comparison with `==`."""
    remembered: ClassVar[Callable[..., Any]] = staticmethod(functools.partial(snapshot, identity=True))
    """Return what no method may change, for comparison with `==`."""
    changed_in_place: ClassVar[Callable[..., Any]] = staticmethod(lambda instance: [])
    """Return what a method may have changed in place."""
    tracers_beside: ClassVar[Callable[..., list[str]]]
    """List the places of tracers that the instance holds outside of its arrays."""
    read_array: ClassVar[Callable[..., Any]] = staticmethod(getattr)
    """Read the array under a name, even if a property computes it."""
    copied: ClassVar[Callable[..., Any]]
    """Copy the instance, so that a method may change the copy."""
    with_array: ClassVar[Callable[..., Any]]
    """Copy the instance with another array at a path."""
    with_static: ClassVar[Callable[..., Any]]
    """Copy the instance with another static value at a path."""
    with_arrays_of: ClassVar[Callable[..., Any]]
    """Copy the instance with the arrays of another instance."""
    assign_array: ClassVar[Callable[..., None]]
    """Assign another array to the instance in place, or raise if the class refuses the assignment."""
    twins: ClassVar[Callable[..., Iterator[Any]]]
    """Yield instances of second classes with the leaves of an instance."""
    parts_of: ClassVar[Callable[..., dict[str, Any]]]
    """Return the parts that a suite declares singly, by path: leaves, or Variables."""
    value_of: ClassVar[Callable[..., Any]] = staticmethod(lambda part: part)
    """Return the array in a part of `parts_of`."""
    outside_of: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """Yield places and values that the instance refers to outside of its parts."""
    static_parts: ClassVar[Callable[..., Iterable[tuple[str, Any]]]]
    """Yield places and values of the static part."""
    parts_of_libraries: ClassVar[Callable[..., Iterable[tuple[str, Any]]]] = staticmethod(lambda instance: ())
    """Yield places and static values of a library's nodes, which `static_parts` leaves out."""
    own_nodes: ClassVar[Callable[..., Iterable[tuple[str, Any]]]] = staticmethod(
        lambda instance: [("", instance)]
    )
    """Yield places and nodes whose properties belong to the instance."""
    functions_of: ClassVar[Callable[..., Iterable[Any]]]
    """Return the functions that the instance holds."""
    comparable: ClassVar[Callable[..., Any]] = staticmethod(lambda instance: instance)
    """Return the instance in a form that `==` compares outside of any trace."""
    deepcopied: ClassVar[Callable[..., Any]] = staticmethod(copy.deepcopy)
    pickled: ClassVar[Callable[..., Any]]
    """Pass the instance through pickle and back."""
    check_copy: ClassVar[Callable[..., None]]
    """Check that a copy has all that the instance has."""
