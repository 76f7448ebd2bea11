"""The keys that a program draws from and splits, as values: two that are one are seen, however each is computed."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from .jaxprs import is_variable

DRAW, SPLIT = "random_bits", "random_split"


class KeyUse(NamedTuple):
    """The keys that one equation uses, as data, and the shape of what it draws from each."""

    primitive: str
    shape: tuple[int, ...]
    data: Any


def program_of_keys(closed: Any) -> tuple[Callable[..., list[Any]], list[KeyUse]]:
    """A function of the inputs of a jaxpr that gives the keys used in it; their uses are noted when it is traced."""
    uses: list[KeyUse] = []

    def run(*arguments: Any) -> list[Any]:
        uses.clear()
        _evaluated(closed.jaxpr, closed.consts, arguments, uses)
        return [use.data for use in uses]

    return run, uses


def repeated_keys(uses: Sequence[KeyUse], keys: Sequence[Any]) -> list[str]:
    """Where one key serves a draw and something else, as text."""
    served: dict[bytes, KeyUse] = {}
    repeated: list[str] = []
    for use, data in zip(uses, keys):
        rows = np.asarray(data)
        for row in rows.reshape(-1, rows.shape[-1]):
            earlier = served.setdefault(row.tobytes(), use)
            # To split a key twice is no fault: what is drawn from the parts tells.
            is_first = earlier is use and _count(rows, row) == 1
            if not is_first and DRAW in (earlier.primitive, use.primitive):
                repeated.append(f"{_text(earlier)} and {_text(use)}")
    return list(dict.fromkeys(repeated))


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
