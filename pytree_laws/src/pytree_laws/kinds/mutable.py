"""Objects that a call may update in place, as subjects of laws: their arrays lie in Variables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from .suite import Suite


class MutableSuite(Suite):
    """A suite of such objects, with what laws ask of them besides."""

    updates: ClassVar[Sequence[str]] = ()  # paths of the Variables that a call updates
    map_variables: ClassVar[Callable[..., Any] | None] = None  # the object's own helper
    tied: ClassVar[Sequence[str]] = ()  # paths of the Variables that are held twice

    noun, nouns, instance_noun, structure_noun = "Variable", "Variables", "module", "graph definition"
    is_mutable = True
    variable_types: ClassVar[Callable[..., list[type]]]
    """The types of Variables, the one of parameters among them."""
    variable_type: ClassVar[type]
    """The base of these types, and that of parameters."""
    param_type: ClassVar[type]
    containers: ClassVar[tuple[type, ...]]
    """The types that only hold others in a row or by name."""
    streams_given: ClassVar[Callable[..., list[Any]]]
    """The streams of keys among the inputs of the constructor."""
    placed_variables: ClassVar[Callable[..., list[tuple[str, Any]]]]
    """Every Variable under each of its paths."""
    round_trips: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """The object again, taken apart and put together in each way."""
    wrong_states: ClassVar[Callable[..., Mapping[str, Any]]]
    """By what is wrong with them, states with other paths, types, shapes or dtypes."""
    with_values: ClassVar[Callable[..., Any]]
    """A state with other values by path."""
    retyped: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """By path, copies of the object with a Variable of another type there."""
    state_of: ClassVar[Callable[..., Any]]
    """The state, which holds the very Variables of the object."""

    statistics_of: ClassVar[Callable[..., list[str]]]
    """The paths of what an object keeps of its own to sum up what it has seen."""

    def updated(self) -> Sequence[str]:
        """The paths of what a call updates, as they are declared or found."""
        raise NotImplementedError

    def decides_itself(self, path: str, part: Any) -> bool:
        """Whether the sub-module or the stream of keys that holds a part says when it is updated."""
        raise NotImplementedError

    def mapped(self, functions: Mapping[type, Callable[..., Any]], tree: Any) -> dict[str, Any]:
        """The Variables that `map_variables` makes of an object or a state, by path."""
        raise NotImplementedError

    def overwritten(self, instance: Any) -> Any:
        """The object itself, with other values in its Variables."""
        raise NotImplementedError

    def snapshot(self, instance: Any) -> Any:
        """A copy of the state, by the class's own `snapshot`."""
        raise NotImplementedError

    def restore(self, instance: Any, state: Any) -> None:
        """Takes over a state, by the class's own `restore`."""
        raise NotImplementedError

    def left_by_first_call(self) -> list[str]:
        """The places of the tracers that a first compiled call left in the object."""
        raise NotImplementedError
