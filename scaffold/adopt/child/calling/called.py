"""A call that works, and its trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..values.sources import KIND, Source
from .invoke import Axis


@dataclass(frozen=True)
class Called:
    """A call that works: the method, its arguments, and the dependence of its outputs."""

    method: str
    """Name of the method, empty for `__call__`."""
    arguments: Mapping[str, Source]
    keywords: tuple[str, ...] = ()
    """Arguments that are passed by name."""
    by_parameters: bool = True
    by_arguments: bool = True
    by_values: bool = True
    """True if all outputs are arrays or numbers."""
    computes: bool = True
    """True if some output is more than a leaf of the instance or an argument."""
    static: tuple[str, ...] = ()
    """Arguments that cannot be tracers, such as an int that decides a shape, or a string."""
    merit: float = 0.0
    """Rating of the call as the purpose of the class."""
    is_meaningful: bool = True
    """True if the call computes something from arguments, or from most of the instance."""
    ignores_key: bool = False
    """True if the call takes a key, and no output depends on the key."""
    axis: Axis | None = None
    """Axis of the batch, for a method that names a batch axis."""
    also: str = ""
    """Note on another shape that works as well, if the choice is ambiguous."""

    @property
    def guesses(self) -> list[str]:
        """Arguments whose shape or kind was guessed."""
        return [name for name, source in self.arguments.items() if source.told]

    @property
    def is_unknown(self) -> bool:
        """Whether the kind of some argument was guessed."""
        return any(KIND in source.told for source in self.arguments.values())

    @property
    def is_full(self) -> bool:
        """Whether the call returns arrays that depend on the parameters and on the arguments."""
        return self.by_parameters and self.by_arguments and self.by_values


@dataclass(frozen=True)
class Trace:
    """Outputs of a traced call, and their dependence on its inputs."""

    arrays: int
    """Number of outputs that are arrays with elements."""
    by_parameters: bool
    by_arguments: bool
    by_name: Mapping[str, bool]
    others: int = 0
    """Number of outputs that are neither arrays nor numbers, such as functions."""
    share: float = 1.0
    """Share of the instance's inexact leaves that some output depends on."""
    computes: bool = True
    """True if some output is more than an unchanged leaf or argument."""
    moves: bool = False
    """True if the call only selects, reorders or converts elements."""
    edits: bool = False
    """True if the call returns an instance of its class, as a copy with other values."""
    forms: Sequence[tuple[Any, Any]] = ()
    """Shape and dtype of each output."""
    reads: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of places read along the last axis, by argument, for arguments of a single array."""


@dataclass
class Subject:
    """An instance to call, and an owner that makes the same instance and its state for each seed."""

    instance: Any
    owner: Any = None
    state: Any = None
    """State that belongs to the instance, or None."""
    axis_name: str = ""
    """Batch axis that the method names, or an empty text."""
