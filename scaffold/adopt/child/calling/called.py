"""A call that works, and what a trace of it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..values.sources import KIND, Source
from .invoke import Axis


@dataclass(frozen=True)
class Called:
    """A call that works: the method, its arguments, and what its outputs depend on."""

    method: str
    """Empty for the call of the instance itself."""
    arguments: Mapping[str, Source]
    keywords: tuple[str, ...] = ()
    """Which of them are given by name."""
    by_parameters: bool = True
    by_arguments: bool = True
    by_values: bool = True
    """Whether arrays are all that it returns."""
    computes: bool = True
    """Whether it returns more than parts of the instance and what it is given."""
    static: tuple[str, ...] = ()
    """The arguments that no tracer can be: an int that decides a shape, a word."""
    merit: float = 0.0
    """How much speaks for it as what the class is for."""
    is_meaningful: bool = True
    """Whether it computes, of arguments or of most of what the instance holds."""
    ignores_key: bool = False
    """Whether it takes a key, and nothing that it returns depends on it."""
    axis: Axis | None = None
    """That of the batch over which it is called, where it names one."""
    also: str = ""
    """Another shape that it takes as well, where the answer is ambiguous."""

    @property
    def guesses(self) -> list[str]:
        """The arguments whose shape, or whose kind, is one that worked."""
        return [name for name, source in self.arguments.items() if source.told]

    @property
    def is_unknown(self) -> bool:
        """Whether nothing says what an argument is."""
        return any(KIND in source.told for source in self.arguments.values())

    @property
    def is_full(self) -> bool:
        """Whether what it returns are arrays that depend on the parameters and on the arguments."""
        return self.by_parameters and self.by_arguments and self.by_values


@dataclass(frozen=True)
class Trace:
    """What a trace of a call shows."""

    arrays: int
    """Outputs that are arrays with elements."""
    by_parameters: bool
    by_arguments: bool
    by_name: Mapping[str, bool]
    others: int = 0
    """Outputs that are neither arrays nor numbers, as functions."""
    share: float = 1.0
    """The share of the instance's floating leaves on which the outputs depend."""
    computes: bool = True
    """Whether an output is more than a leaf or an argument as it is."""
    moves: bool = False
    """Whether it only takes parts of arrays, or puts them in another order."""
    edits: bool = False
    """Whether it returns an instance of the class: a copy with other values."""
    forms: Sequence[tuple[Any, Any]] = ()
    """Shape and dtype of each output."""
    reads: Mapping[str, int] = field(default_factory=dict[str, int])
    """The arguments of one array whose last axis is read up to a place alone, and that place."""


@dataclass
class Subject:
    """An instance that is called, and what holds its state."""

    instance: Any
    owner: Any = None
    state: Any = None
    """The state that belongs to it, where it has one."""
    axis_name: str = ""
    """The axis of a batch, where its calls name one."""
