"""Knowledge from which candidate values are made: sizes, shapes, errors and docstrings."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .sizes import Sizes
from .sources import Source

SHAPES = ((3,), (), (2, 3), (3, 3), (2, 3, 5))


def no_instances(_: type, sizes: Mapping[str, int], options: Sequence[str] = ()) -> list[Source]:
    """Return no values, for a context in which no class can be built."""
    return []


@dataclass(frozen=True)
class Documented:
    """Properties of arguments, by name, that docstrings, comments and code tell."""

    dims: dict[str, str] = field(default_factory=dict[str, str])
    """Dims of an array, such as `n p`, or an empty string for a scalar."""
    dtypes: dict[str, str] = field(default_factory=dict[str, str])
    """Dtypes of arrays without floats: `int` for indices, `bool` for masks."""
    ascending: tuple[str, ...] = ()
    """Arrays whose numbers ascend."""
    domains: dict[str, str] = field(default_factory=dict[str, str])
    """Function that maps floats to an array's domain, such as `jnp.exp` for positive numbers."""
    types: dict[str, Any] = field(default_factory=dict[str, Any])
    """Types of arguments without an annotation."""
    limits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Least and greatest number that a class allows for a parameter."""
    matrices: frozenset[str] = frozenset()
    """Names that end in one capital letter and that code or a docstring treats as matrices."""
    upper: frozenset[str] = frozenset()
    """Upper bounds, whose numbers lie above others."""
    objects: frozenset[str] = frozenset()
    """Arguments that a docstring calls an object or a function."""
    static: frozenset[str] = frozenset()
    """Fields that a class marks as static."""
    weights: frozenset[str] = frozenset()
    """Weights that `@` multiplies with inputs. A vector would reduce the inputs to a number."""


FLOATS = ("0.25", "0.5", "0.75", "0.375", "0.625")
"""Distinct numbers between 0 and 1, for arguments that are floats."""


@dataclass
class Context:
    """Knowledge from which the candidate values of arguments are made."""

    sizes: Sizes = field(default_factory=Sizes)
    shapes: Sequence[tuple[int, ...]] = SHAPES
    """Shapes to try for arrays without dims."""
    said: Mapping[str, Source] = field(default_factory=dict[str, Source])
    instances: Callable[..., list[Source]] = no_instances
    """Callable that returns sources for a class, given sizes of documented dims and `options`."""
    options: Sequence[str] = ()
    """Arguments with defaults to pass anyway."""
    of_parts: Sequence[str] = ()
    """Options of parts that errors have named."""
    unlike_shown: bool = False
    """Whether parts are built other than docstrings show."""
    words: Sequence[str] = ()
    """Strings that errors have named."""
    numbers: Sequence[int] = ()
    """Numbers that errors have named."""
    lookalikes: Sequence[type] = ()
    """Classes with the attributes that an error has asked for."""
    lengths: Sequence[int] = ()
    """Lengths of tuples that an error has asked for."""
    dtypes: Sequence[str] = ()
    """Dtypes that an error has asked for."""
    wanted_shapes: Sequence[tuple[int, ...]] = ()
    """Shapes that an error has asked for."""
    leading: tuple[int, ...] = ()
    """Axes before the dims of an annotation, such as that of a sequence."""
    documented: Documented = field(default_factory=Documented)
    """Properties of arguments that docstrings tell."""
    wants_parts: bool = False
    """Whether an error has asked for a sequence in place of a number."""
    wants_arrays: bool = False
    """Whether an error has asked for an array in place of a number."""
    as_documented: bool = False
    """Whether an array with a documented shape is tried in no other shape."""
    others: Sequence[str] = ()
    """Names of all arguments."""
    entries: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Entries that a class reads from a dict argument, by the name of the argument."""
    arities: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of arguments that a class passes to a function it holds, by name."""
    shown: Mapping[str, Sequence[Source]] = field(default_factory=dict[str, Sequence[Source]])
    """Values that docstrings give for an argument, by name."""
    index_below: int = 2
    is_call: bool = False
    """Whether the arguments belong to a call, where most are arrays."""
    of_optimiser: bool = False
    """Whether the arguments belong to an optimiser: rates are Python numbers, and masks flags."""
    has_state: bool = False
    """Whether the suite keeps a state for the class."""
    has_both_arrays: bool = False
    """Whether the class annotates both NumPy and JAX arrays, and so treats the two differently."""
    aliases: tuple[Any, ...] = ()
    """Type aliases around the annotation, by which a recursive alias ends."""
    floats: Iterator[str] = field(default_factory=lambda: itertools.cycle(FLOATS))
