"""Values of the keys that a program draws from and splits, so that reuse shows however a key is computed."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import jax
import numpy as np

from ..inspect.arrays import raw
from ..inspect.trees import named_arrays
from ..report import result_or_error
from .equation_steps import Known, Step, steps
from .jaxprs import inner_jaxprs, is_key_type, is_variable, numbered
from .programs import compiled

DRAW, SPLIT = "random_bits", "random_split"


class KeyUse(NamedTuple):
    """The data of the keys that an equation uses, and the shape drawn from each key."""

    primitive: str
    shape: tuple[int, ...]
    data: Any


def trace_named(build: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    """Trace a function, and return the jaxpr of the arrays in its result and their paths."""
    trace = jax.make_jaxpr(lambda *values: dict(named_arrays(build(*values))), return_shape=True)
    closed, shapes = trace(*arguments)
    return closed, sorted(shapes)


def keys_used(programs: Sequence[tuple[Any, Sequence[Any]]]) -> list[Any]:
    """Return the uses of keys in each program, a jaxpr and its inputs, or the error that it raises.

    Computations that programs share are compiled once.
    """
    together = result_or_error(_computed_keys, programs)
    if not isinstance(together, Exception):
        return together
    return [result_or_error(lambda program=program: _computed_keys([program])[0]) for program in programs]


def _computed_keys(programs: Sequence[tuple[Any, Sequence[Any]]]) -> list[list[KeyUse]]:
    distinct, places = _distinct([inputs for _, inputs in programs])
    uses: list[list[KeyUse]] = [[] for _ in programs]

    @compiled
    def run(arrays: Sequence[Any]) -> list[list[Any]]:
        known: Known = {}
        for (closed, _), own_places, noted in zip(programs, places, uses):
            noted.clear()
            for step in steps(closed.jaxpr, closed.consts, [arrays[place] for place in own_places], known):
                noted += _uses_in(step)
        return [[use.data for use in noted] for noted in uses]

    return [[use._replace(data=data) for use, data in zip(*pair)] for pair in zip(uses, run(distinct))]


def _distinct(inputs: Sequence[Sequence[Any]]) -> tuple[list[Any], list[list[int]]]:
    """Return the distinct arrays among all inputs, and the positions in them of each input."""
    first: dict[tuple[Any, ...], tuple[int, Any]] = {}

    def place(value: Any) -> int:
        content = type(value), str(getattr(value, "dtype", "")), np.shape(value), raw(value).tobytes()
        return first.setdefault(content, (len(first), value))[0]

    places = [[place(array) for array in arrays] for arrays in inputs]
    return [array for _, array in first.values()], places


def repeated_keys(uses: Sequence[KeyUse]) -> list[tuple[int, int]]:
    """List the pairs of uses that share a key, where at least one use is a draw."""
    served: dict[bytes, int] = {}
    repeated: list[tuple[int, int]] = []
    for place, use in enumerate(uses):
        rows = np.asarray(use.data).reshape(-1, use.data.shape[-1])
        for row in rows:
            earlier = served.setdefault(row.tobytes(), place)
            # To split a key twice is no fault: what is drawn from the parts tells.
            is_first = earlier == place and np.sum(np.all(rows == row, axis=-1)) == 1
            if not is_first and DRAW in (uses[earlier].primitive, use.primitive):
                repeated.append((earlier, place))
    return repeated


def text_of(uses: Sequence[KeyUse], repeated: Iterable[tuple[int, int]]) -> str:
    """Describe pairs of uses that share a key."""
    texts = [f"{_text(uses[earlier])} and {_text(uses[later])}" for earlier, later in repeated]
    return "; ".join(dict.fromkeys(texts))


def drawn_with_one_key(jaxpr: Any, names: Sequence[str]) -> str:
    """Return the names of outputs drawn with a repeated key, as the end of a sentence."""
    used = numbered(jaxpr).used
    return drawn_names(jaxpr, {i for i, key in enumerate(used) if used.count(key) > 1}, names)


def gives_drawn_key(jaxpr: Any) -> bool:
    """Whether a jaxpr returns a key that it has drawn from, so that a caller would repeat the draw."""
    numbering = numbered(jaxpr)
    keys = [atom for atom in jaxpr.outvars if is_variable(atom) and is_key_type(atom.aval)]
    return any(numbering.number(atom) in numbering.drawn for atom in keys)


def is_one_draw(jaxpr: Any, names: Sequence[str], pair: tuple[str, str]) -> bool:
    """Whether two outputs come from the same draws, so that one is a copy of the other."""
    draws = dict(zip(names, _draws_behind(jaxpr, count())))
    first, second = (draws.get(name, set()) for name in pair)
    return bool(first) and first == second


def drawn_names(jaxpr: Any, places: set[int], names: Sequence[str]) -> str:
    """Return the names of outputs that are computed from these draws, as the end of a sentence."""
    drawn = [f"`{name}`" for name, draws in zip(names, _draws_behind(jaxpr, count())) if draws & places]
    return f", for {', '.join(drawn)}" if drawn else ""


def _draws_behind(jaxpr: Any, places: Iterator[int], *known: set[int]) -> list[set[int]]:
    """Return for each output the draws behind it, as positions among all uses of keys."""
    origins: dict[Any, set[int]] = dict(zip(jaxpr.invars, known))

    def behind(atoms: Iterable[Any]) -> list[set[int]]:
        return [origins.get(atom, set()) if is_variable(atom) else set() for atom in atoms]

    for equation in jaxpr.eqns:
        name, inputs = equation.primitive.name, behind(equation.invars)
        if name in ("jit", "pjit"):
            results = _draws_behind(inner_jaxprs(equation)[0], places, *inputs)
        else:
            drawn = {next(places)} if name in (DRAW, SPLIT) else set[int]()
            # A key that is split hands on nothing of what was drawn.
            results = [set() if name == SPLIT else drawn.union(*inputs)] * len(equation.outvars)
        origins.update(zip(equation.outvars, results))
    return behind(jaxpr.outvars)


def drawn_in_part(closed: Any, uses: Sequence[KeyUse]) -> list[bool]:
    """Flag the outputs that have more elements than the draws behind them."""
    drawn = [math.prod(use.data.shape[:-1]) * math.prod(use.shape) for use in uses]
    sizes = [sum(drawn[place] for place in places) for places in _draws_behind(closed.jaxpr, count())]
    return [0 < size < output.size for size, output in zip(sizes, closed.out_avals)]


def _uses_in(step: Step) -> Iterator[KeyUse]:
    """Yield the use of keys if the equation draws from a key or splits it."""
    name = step.equation.primitive.name
    if name in (DRAW, SPLIT):
        keys = step.inputs[0]
        shape = step.equation.outvars[0].aval.shape[len(keys.shape) :]
        yield KeyUse(name, shape, jax.random.key_data(keys))


def _text(use: KeyUse) -> str:
    return "a split" if use.primitive == SPLIT else f"a draw of shape {use.shape}"
