"""Suites of objects that a call may update in place, and whose arrays lie in Variables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from .suite import Suite


class MutableSuite(Suite):
    """A suite of an object that a call may update in place."""

    updates: ClassVar[Sequence[str]] = ()  # paths of the Variables that a call updates
    map_variables: ClassVar[Callable[..., Any] | None] = None  # the object's own helper
    tied: ClassVar[Sequence[str]] = ()  # paths of the Variables that are held twice

    noun, nouns, instance_noun, structure_noun = "Variable", "Variables", "module", "graph definition"
    is_mutable = True
    variable_types: ClassVar[Callable[..., list[type]]]
    """List the types of Variables, with the type of parameters among them."""
    variable_type: ClassVar[type]
    """Base class of Variables. `param_type` is the base class of parameters."""
    param_type: ClassVar[type]
    containers: ClassVar[tuple[type, ...]]
    """Types that only hold other objects, in a row or by name."""
    streams_given: ClassVar[Callable[..., list[Any]]]
    """List the streams of keys among the inputs of the constructor."""
    placed_variables: ClassVar[Callable[..., list[tuple[str, Any]]]]
    """List every Variable with each of its paths."""
    round_trips: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """Yield the object rebuilt in each way, with the name of that way."""
    wrong_states: ClassVar[Callable[..., Mapping[str, Any]]]
    """Return states with other paths, types, shapes or dtypes, by the fault that each has."""
    with_values: ClassVar[Callable[..., Any]]
    """Return a state with other values by path."""
    retyped: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """Yield copies of the object with a Variable of another type at a path, with that path."""
    state_of: ClassVar[Callable[..., Any]]
    """Return the state, which holds the Variables of the object themselves."""

    statistics_of: ClassVar[Callable[..., list[str]]]
    """List the paths of the object's own statistics over the data that it has seen."""

    def updated(self) -> Sequence[str]:
        """Return the paths that a call updates, as declared or inferred."""
        raise NotImplementedError

    def decides_itself(self, path: str, part: Any) -> bool:
        """Whether a sub-module or a stream of keys decides when the part in it is updated."""
        raise NotImplementedError

    def mapped(self, functions: Mapping[type, Callable[..., Any]], tree: Any) -> dict[str, Any]:
        """Apply `map_variables` to an object or a state, and return the Variables by path."""
        raise NotImplementedError

    def overwritten(self, instance: Any) -> Any:
        """Assign other values to the Variables of the object, and return the object."""
        raise NotImplementedError

    def snapshot(self, instance: Any) -> Any:
        """Copy the state by the class's own `snapshot`."""
        raise NotImplementedError

    def restore(self, instance: Any, state: Any) -> None:
        """Restore a state by the class's own `restore`."""
        raise NotImplementedError

    def left_by_first_call(self) -> list[str]:
        """List the places of tracers that a first compiled call leaves in a new object."""
        raise NotImplementedError
