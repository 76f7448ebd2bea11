"""What a program depends on, read off its jaxpr."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax.numpy as jnp

from ..report import or_else
from .jaxprs import inner_jaxprs, is_variable

STOP = "stop_gradient"
CAST = "convert_element_type"
MOVES = frozenset(
    f"{STOP} reshape transpose slice dynamic_slice squeeze expand_dims broadcast_in_dim rev gather copy".split()
)
"""Primitives that hand elements on as they are."""


def inputs_reaching(jaxpr: Any, gradients: bool = False) -> list[bool]:
    """For each input whether the outputs depend on it; or whether gradients of them can reach it."""
    return _reached(jaxpr, gradients, STOP if gradients else "")


def is_constant(closed: Any, output: int) -> bool:
    """Whether an output depends on no input, as a state of zeros at the start."""
    jaxpr = closed.jaxpr
    return not any(inputs_reaching(jaxpr.replace(outvars=jaxpr.outvars[output : output + 1])))


def inputs_computed_with(jaxpr: Any, gradients: bool = False) -> list[bool]:
    """For each input whether something that is computed from it is given back, and not the input alone; or whether gradients of that can reach it."""
    handed_on = set(jaxpr.invars)
    computed = [v for v in jaxpr.outvars if is_variable(v) and v not in handed_on]
    return inputs_reaching(jaxpr.replace(outvars=computed), gradients)


def inputs_read(jaxpr: Any) -> list[bool]:
    """For each input whether anything is computed from it, given back or not; also within another compiled function."""
    read: set[Any] = set()
    for equation in jaxpr.eqns:
        inner = inner_jaxprs(equation)
        is_whole = len(inner) == 1 and len(inner[0].invars) == len(equation.invars)
        marks = inputs_read(inner[0]) if is_whole else [True] * len(equation.invars)
        read |= {v for v, mark in zip(equation.invars, marks) if mark and is_variable(v)}
    return [v in read for v in jaxpr.invars]


def stopped_inputs(jaxpr: Any) -> list[bool]:
    """For each input whether gradients would reach it, and `stop_gradient` keeps them all away."""
    marks = zip(_reached(jaxpr, True, ""), _reached(jaxpr, True, STOP))
    return [without and not within for without, within in marks]


def handed_to_stop(jaxpr: Any, of_reads: Callable[[Iterable[bool]], bool] = any) -> list[bool]:
    """For each input whether `stop_gradient` is applied to it as it is, in any or in all places that read it.

    An update that nothing gives back is such a place as well.
    """
    every: dict[Any, list[bool]] = {}
    for equation in jaxpr.eqns:
        marks = [equation.primitive.name == STOP] * len(equation.invars)
        inner = inner_jaxprs(equation)
        if len(inner) == 1 and len(inner[0].invars) == len(marks):
            marks = handed_to_stop(inner[0], of_reads)
        for variable, mark in zip(equation.invars, marks):
            if is_variable(variable):
                every.setdefault(variable, []).append(mark)
    return [v in every and of_reads(every[v]) for v in jaxpr.invars]


def is_straight_through(jaxpr: Any) -> bool:
    """Whether somewhere a term of a sum is taken away again under `stop_gradient`, as in `x + stop_gradient(f(x) - x)`.

    Values then follow what is left, gradients the term: Bengio et al. 2013, https://arxiv.org/abs/1308.3432.
    """
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    for equation in jaxpr.eqns:
        if equation.primitive.name in SUMS and _cancels(equation.outvars[0], made):
            return True
        if any(map(is_straight_through, inner_jaxprs(equation))):
            return True
    return False


def undone_sums(jaxpr: Any) -> Iterator[Any]:
    """The sums that take a term away again beside one under `stop_gradient`, as `x + (stop_gradient(y) - x)`.

    They pass no gradient on.
    """
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    for equation in jaxpr.eqns:
        if equation.primitive.name in SUMS:
            net = _net_terms(equation.outvars[0], made)
            stops = any(v in made and made[v].primitive.name == STOP for v in net)
            if stops and 0 in net.values():
                yield equation
        for inner in inner_jaxprs(equation):
            yield from undone_sums(inner)


def _net_terms(total: Any, made: Mapping[Any, Any]) -> dict[Any, int]:
    """How often each term stands in a sum, less how often it is taken away; nothing of one with more than `MOST_TERMS`."""
    net: dict[Any, int] = {}
    terms = [*itertools.islice(_terms(total, made, 1, [CAST]), MOST_TERMS + 1)]
    for variable, sign in terms if len(terms) <= MOST_TERMS else ():
        net[variable] = net.get(variable, 0) + sign
    return net


MOST_TERMS = 32
"""The terms up to which a sum is looked into."""
SUMS = {"add": (1, 1), "add_any": (1, 1), "sub": (1, -1), "neg": (-1,)}
UNCHANGED = (CAST, "broadcast_in_dim", "reshape", "copy")


def _cancels(total: Any, made: Mapping[Any, Any]) -> bool:
    """Whether a term of a sum stands in it with the other sign, kept by `stop_gradient`."""
    open_terms, stopped = set[Any](), set[Any]()
    for variable, sign in _terms(total, made, 1, UNCHANGED):
        equation = made.get(variable)
        stops = equation is not None and equation.primitive.name == STOP
        if equation is not None and stops and is_variable(equation.invars[0]):
            stopped |= set(_terms(equation.invars[0], made, sign, UNCHANGED))
        else:
            open_terms.add((variable, -sign))
    return not open_terms.isdisjoint(stopped)


def _terms(
    variable: Any, made: Mapping[Any, Any], sign: int, unchanged: Sequence[str]
) -> Iterator[tuple[Any, int]]:
    """The variables of which one is the sum, each with its sign; the primitives `unchanged` are looked through."""
    equation = made.get(variable)
    name = "" if equation is None else equation.primitive.name
    if equation is None or (name not in SUMS and name not in unchanged):
        yield variable, sign
        return
    for v, term_sign in zip(equation.invars, SUMS.get(name, (1,))):
        if is_variable(v):
            yield from _terms(v, made, sign * term_sign, unchanged)


def computed_on(jaxpr: Any, dtype: str) -> list[str]:
    """For each input the first primitive that computes with it in more bits than a dtype has; empty where none does.

    The branches of a `cond` and the body of a `while` are not looked into.
    """
    return _computed_on(jaxpr, jnp.finfo(dtype).bits)[0]


def _computed_on(jaxpr: Any, bits: int) -> tuple[list[str], list[set[int]]]:
    """The same, and for each output which inputs it is, as they were given."""
    places = {v: {i} for i, v in enumerate(jaxpr.invars)}
    computed = [""] * len(jaxpr.invars)
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        origins = [places.get(v, set()) if is_variable(v) else set() for v in equation.invars]
        within, outs = _through(equation, origins, bits)
        for indices, primitive in zip(origins, within):
            for i in indices:
                computed[i] = computed[i] or primitive
        if name == CAST and 8 * int(equation.outvars[0].aval.dtype.itemsize) <= bits:
            outs = [set()]
        places |= dict(zip(equation.outvars, outs))
    return computed, [places.get(v, set()) if is_variable(v) else set() for v in jaxpr.outvars]


def _through(equation: Any, origins: list[set[int]], bits: int) -> tuple[list[str], list[set[int]]]:
    """What an equation does with each of its inputs, and which of them its outputs are."""
    name, inner = equation.primitive.name, inner_jaxprs(equation)
    nothing, none = [""] * len(origins), [set[int]() for _ in equation.outvars]
    if name == CAST or name in MOVES:
        return nothing, [origins[0]] * len(none)
    if not inner:
        return [name] * len(origins), none
    if len(inner) > 1 or len(inner[0].invars) != len(origins):
        return nothing, none
    within, outs = _computed_on(inner[0], bits)
    return within, [{i for place in places for i in origins[place]} for places in outs]


def _reached(jaxpr: Any, gradients: bool, stop: str) -> list[bool]:
    return _within_body(jaxpr, [True] * len(jaxpr.outvars), gradients, stop)


def _live_before(jaxpr: Any, live: set[Any], gradients: bool, stop: str) -> set[Any]:
    for equation in reversed(jaxpr.eqns):
        outs = [v in live for v in equation.outvars]
        if not any(outs) and not equation.effects:
            continue
        if equation.primitive.name == stop:
            continue
        pairs = zip(equation.invars, _within(equation, outs, gradients, stop))
        live |= {v for v, mark in pairs if mark and _passes(v, gradients)}
    return live


def _within(equation: Any, outs: list[bool], gradients: bool, stop: str) -> list[bool]:
    """For each input of an equation whether its live outputs depend on it."""
    inner, name = inner_jaxprs(equation), equation.primitive.name
    if len(inner) != 1 or len(inner[0].invars) != len(equation.invars):
        return [True] * len(equation.invars)  # a `cond` or a `while` is not looked into
    if name == "scan":
        return _within_scan(equation, inner[0], outs, gradients, stop)
    if name in ("jit", "pjit", "remat2", "checkpoint"):
        return _within_body(inner[0], outs, gradients, stop)
    return [True] * len(equation.invars)


def _within_body(body: Any, outs: list[bool], gradients: bool, stop: str) -> list[bool]:
    live = {v for v, mark in zip(body.outvars, outs) if mark and _passes(v, gradients)}
    live = _live_before(body, live, gradients, stop)
    return [v in live for v in body.invars]


def _within_scan(equation: Any, body: Any, outs: list[bool], gradients: bool, stop: str) -> list[bool]:
    """The same of a scan, where the carry of a step may depend on any that a later step depends on."""
    counts = _counts_of_scan(equation.params)
    if counts is None:
        return [True] * len(equation.invars)
    first, count = counts
    while True:
        marks = _within_body(body, outs, gradients, stop)
        carried = [mark or out for mark, out in zip(marks[first : first + count], outs[:count])]
        if carried == outs[:count]:
            return marks
        outs = [*carried, *outs[count:]]


@or_else(None)  # of a jax that says it otherwise
def _counts_of_scan(params: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many constants a scan takes, and how many carries; jax 0.12 lists what it takes in three parts."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carries, _ = params["ft_in"].unpack()
    return len(constants), len(carries)


def _passes(atom: Any, gradients: bool) -> bool:
    """Whether a variable can carry what is looked for."""
    if not is_variable(atom):
        return False
    return not gradients or jnp.issubdtype(atom.aval.dtype, jnp.inexact)
