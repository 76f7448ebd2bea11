"""The keys that a program draws from and splits, as values: two that are one are seen, however each is computed."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import jax
import numpy as np

from ..inspect.trees import named_arrays
from .jaxprs import inner_jaxprs, is_key_type, is_variable, numbered

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


def program_of_keys(closed: Any) -> tuple[Callable[..., list[Any]], list[KeyUse]]:
    """A function of the inputs of a jaxpr that gives the keys used in it; their uses are noted when it is traced."""
    uses: list[KeyUse] = []

    def run(*arguments: Any) -> list[Any]:
        uses.clear()
        _evaluated(closed.jaxpr, closed.consts, arguments, uses)
        return [use.data for use in uses]

    return run, uses


def repeated_keys(uses: Sequence[KeyUse], keys: Sequence[Any]) -> list[tuple[int, int]]:
    """Where one key serves a draw and something else: the places of both uses."""
    served: dict[bytes, int] = {}
    repeated: list[tuple[int, int]] = []
    for place, (use, data) in enumerate(zip(uses, keys)):
        rows = np.asarray(data)
        for row in rows.reshape(-1, rows.shape[-1]):
            earlier = served.setdefault(row.tobytes(), place)
            # To split a key twice is no fault: what is drawn from the parts tells.
            is_first = earlier == place and _count(rows, row) == 1
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
    places = {i for i, key in enumerate(used) if used.count(key) > 1}
    return drawn_names(jaxpr, places, names)


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
    origins = _draws_behind(jaxpr, count())
    drawn = [f"`{name}`" for name, draws in zip(names, origins) if draws & places]
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


def drawn_in_part(closed: Any, uses: Sequence[KeyUse], keys: Sequence[Any]) -> list[bool]:
    """For each output of a jaxpr whether it has more elements than what is drawn for it."""
    drawn = [math.prod(data.shape[:-1]) * math.prod(use.shape) for use, data in zip(uses, keys)]
    sizes = [sum(drawn[place] for place in places) for places in _draws_behind(closed.jaxpr, count())]
    return [0 < size < output.size for size, output in zip(sizes, closed.out_avals)]


def _count(rows: np.ndarray, row: np.ndarray) -> int:
    return int(np.sum(np.all(rows.reshape(-1, rows.shape[-1]) == row, axis=-1)))


def _text(use: KeyUse) -> str:
    return "a split" if use.primitive == SPLIT else f"a draw of shape {use.shape}"


def _evaluated(jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any], uses: list[KeyUse]) -> list[Any]:
    """What a jaxpr gives; loops and branches are not looked into."""
    values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *arguments)))

    def read(atom: Any) -> Any:
        return values[atom] if is_variable(atom) else atom.val

    for equation in jaxpr.eqns:
        inputs = [read(atom) for atom in equation.invars]
        name = equation.primitive.name
        if name in (DRAW, SPLIT):
            key_shape = inputs[0].shape
            shape = equation.outvars[0].aval.shape[len(key_shape) :]
            uses.append(KeyUse(name, shape, jax.random.key_data(inputs[0])))
        if name in ("jit", "pjit"):
            inner = equation.params["jaxpr"]
            results = _evaluated(inner.jaxpr, inner.consts, inputs, uses)
        else:
            bound = equation.primitive.get_bind_params(equation.params)
            # Before jax 0.8 the functions of an equation come beside its parameters.
            functions, params = bound if isinstance(bound, tuple) else ((), bound)
            results = equation.primitive.bind(*functions, *inputs, **params)
            results = results if equation.primitive.multiple_results else [results]
        values.update(zip(equation.outvars, results))
    return [read(atom) for atom in jaxpr.outvars]
