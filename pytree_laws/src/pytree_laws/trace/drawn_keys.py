"""The keys that a program draws from and splits, as values: two that are one are seen, however each is computed."""

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
    """The keys that one equation uses, as data, and the shape of what it draws from each."""

    primitive: str
    shape: tuple[int, ...]
    data: Any


def trace_named(build: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    """The jaxpr of the arrays of what a function gives, and their paths."""
    trace = jax.make_jaxpr(lambda *values: dict(named_arrays(build(*values))), return_shape=True)
    closed, shapes = trace(*arguments)
    return closed, sorted(shapes)


def keys_used(programs: Sequence[tuple[Any, Sequence[Any]]]) -> list[Any]:
    """The uses of keys in jaxprs that get these inputs, in lists; where one raises, its error is in their place.

    What several of them compute alike is compiled once.
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
    """The arrays that differ in what they hold, and the places in them of all."""
    first: dict[tuple[Any, ...], tuple[int, Any]] = {}

    def place(value: Any) -> int:
        content = type(value), str(getattr(value, "dtype", "")), np.shape(value), raw(value).tobytes()
        return first.setdefault(content, (len(first), value))[0]

    places = [[place(array) for array in arrays] for arrays in inputs]
    return [array for _, array in first.values()], places


def repeated_keys(uses: Sequence[KeyUse]) -> list[tuple[int, int]]:
    """Where one key serves a draw and something else: the places of both uses."""
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
    """The uses of keys that serve twice."""
    texts = [f"{_text(uses[earlier])} and {_text(uses[later])}" for earlier, later in repeated]
    return "; ".join(dict.fromkeys(texts))


def drawn_with_one_key(jaxpr: Any, names: Sequence[str]) -> str:
    """The outputs, by name, that are drawn with a key of another draw, as the end of a sentence."""
    used = numbered(jaxpr).used
    return drawn_names(jaxpr, {i for i, key in enumerate(used) if used.count(key) > 1}, names)


def gives_drawn_key(jaxpr: Any) -> bool:
    """Whether a key is among the outputs of a jaxpr from which it draws: the next draw of who takes it on is the same."""
    numbering = numbered(jaxpr)
    keys = [atom for atom in jaxpr.outvars if is_variable(atom) and is_key_type(atom.aval)]
    return any(numbering.number(atom) in numbering.drawn for atom in keys)


def is_one_draw(jaxpr: Any, names: Sequence[str], pair: tuple[str, str]) -> bool:
    """Whether two outputs, by name, come from the same draws, so that the one is a copy of the other."""
    draws = dict(zip(names, _draws_behind(jaxpr, count())))
    first, second = (draws.get(name, set()) for name in pair)
    return bool(first) and first == second


def drawn_names(jaxpr: Any, places: set[int], names: Sequence[str]) -> str:
    """The outputs, by name, that are computed from draws at these places, as the end of a sentence."""
    drawn = [f"`{name}`" for name, draws in zip(names, _draws_behind(jaxpr, count())) if draws & places]
    return f", for {', '.join(drawn)}" if drawn else ""


def _draws_behind(jaxpr: Any, places: Iterator[int], *known: set[int]) -> list[set[int]]:
    """For each output of a jaxpr the draws that it is computed from, by their places among all uses of keys."""
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
    """For each output of a jaxpr whether it has more elements than what is drawn for it."""
    drawn = [math.prod(use.data.shape[:-1]) * math.prod(use.shape) for use in uses]
    sizes = [sum(drawn[place] for place in places) for places in _draws_behind(closed.jaxpr, count())]
    return [0 < size < output.size for size, output in zip(sizes, closed.out_avals)]


def _uses_in(step: Step) -> Iterator[KeyUse]:
    """The use of keys that one equation is, if it is one."""
    name = step.equation.primitive.name
    if name in (DRAW, SPLIT):
        keys = step.inputs[0]
        shape = step.equation.outvars[0].aval.shape[len(keys.shape) :]
        yield KeyUse(name, shape, jax.random.key_data(keys))


def _text(use: KeyUse) -> str:
    return "a split" if use.primitive == SPLIT else f"a draw of shape {use.shape}"
