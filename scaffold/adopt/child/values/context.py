"""What is known where values are asked for: sizes and shapes, what errors have asked for, and what docstrings say."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .sizes import Sizes
from .sources import Source

SHAPES = ((3,), (), (2, 3), (3, 3), (2, 3, 5))


def no_instances(_: type, sizes: Mapping[str, int], options: Sequence[str] = ()) -> list[Source]:
    """No values of a class: what asks for one has to do without."""
    return []


@dataclass(frozen=True)
class Documented:
    """What docstrings and comments say of arguments, by name."""

    dims: dict[str, str] = field(default_factory=dict[str, str])
    """The dims of arrays, `n p`; none of a scalar."""
    dtypes: dict[str, str] = field(default_factory=dict[str, str])
    """Of arrays of no floats: `int` of indices, `bool` of masks."""
    ascending: tuple[str, ...] = ()
    """Arrays whose numbers ascend."""
    domains: dict[str, str] = field(default_factory=dict[str, str])
    """Of arrays of positive numbers or of probabilities, the function that makes such ones."""
    types: dict[str, Any] = field(default_factory=dict[str, Any])
    """Of arguments without an annotation, what stands for one."""
    limits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """The least and the greatest number that a class allows, by the name of a parameter."""
    matrices: frozenset[str] = frozenset()
    """Names of one letter that are matrices, as code or a docstring says."""
    upper: frozenset[str] = frozenset()
    """Of numbers that lie above others: an upper bound."""
    objects: frozenset[str] = frozenset()
    """Of what is an object or a function by its docstring."""
    static: frozenset[str] = frozenset()
    """Fields that a class marks as static."""
    weights: frozenset[str] = frozenset()
    """Names of weights that `@` multiplies with inputs: of vectors it would make numbers."""


FLOATS = ("0.25", "0.5", "0.75", "0.375", "0.625")
"""Numbers for arguments that are floats: distinct ones between 0 and 1."""


@dataclass
class Context:
    """What is known where values are asked for."""

    sizes: Sizes = field(default_factory=Sizes)
    shapes: Sequence[tuple[int, ...]] = SHAPES
    """Of arrays without dims."""
    said: Mapping[str, Source] = field(default_factory=dict[str, Source])
    instances: Callable[..., list[Source]] = no_instances
    """Values of a class, whose arrays have these sizes where docstrings name them, and which are given these `options`."""
    options: Sequence[str] = ()
    """Arguments with defaults that are given all the same."""
    of_parts: Sequence[str] = ()
    """Those of the instances, which errors have named."""
    unlike_shown: bool = False
    """Whether these are made otherwise than docstrings show."""
    words: Sequence[str] = ()
    """Strings that an error has named."""
    numbers: Sequence[int] = ()
    """Numbers that an error has named."""
    lookalikes: Sequence[type] = ()
    """Classes that have the attributes for which an error has asked."""
    lengths: Sequence[int] = ()
    """How many parts an error has asked for."""
    dtypes: Sequence[str] = ()
    """Of arrays, where an error has asked for some."""
    wanted_shapes: Sequence[tuple[int, ...]] = ()
    """Of arrays, where an error has asked for some."""
    leading: tuple[int, ...] = ()
    """Axes before those that an annotation names."""
    documented: Documented = field(default_factory=Documented)
    """What docstrings say of arguments."""
    wants_parts: bool = False
    """Whether an error has asked for the parts of a number."""
    wants_arrays: bool = False
    """Whether an error has asked for an array in the place of a number."""
    as_documented: bool = False
    """Whether an array of which a docstring says the shape has no other one."""
    others: Sequence[str] = ()
    """The names of all arguments."""
    entries: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """The entries that a class reads by name of an argument which is a dict."""
    arities: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many arguments a class gives its functions, by name."""
    shown: Mapping[str, Sequence[Source]] = field(default_factory=dict[str, Sequence[Source]])
    """What docstrings give for arguments of this name."""
    index_below: int = 2
    is_call: bool = False
    """Whether the arguments are those of a call, which are arrays for the most part."""
    of_optimiser: bool = False
    """Whether the arguments are those of an optimiser: rates are numbers of Python, and masks flags."""
    has_state: bool = False
    """Whether the suite keeps a state for the class."""
    has_both_arrays: bool = False
    """Whether the class annotates some arrays as NumPy's and others as jax's, and so does different things with them."""
    aliases: tuple[Any, ...] = ()
    """The aliases of types of whose parts these are."""
    floats: Iterator[str] = field(default_factory=lambda: itertools.cycle(FLOATS))
