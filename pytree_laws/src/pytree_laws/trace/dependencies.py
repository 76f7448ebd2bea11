"""Dependencies of a program, read off its jaxpr."""

import itertools
import re
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
"""Primitives that pass elements on unchanged."""


def inputs_reaching(jaxpr: Any, gradients: bool = False) -> list[bool]:
    """Flag the inputs on which outputs depend, or (`gradients`) that gradients of outputs can reach."""
    return _reached(jaxpr, gradients, STOP if gradients else "")


def is_constant(closed: Any, output: int) -> bool:
    """Whether an output depends on no input, such as a state that starts with zeros."""
    jaxpr = closed.jaxpr
    return not any(inputs_reaching(jaxpr.replace(outvars=jaxpr.outvars[output : output + 1])))


def inputs_computed_with(jaxpr: Any, gradients: bool = False) -> list[bool]:
    """Flag the inputs of computed outputs, or (`gradients`) inputs that gradients of these outputs reach.

    An input that is returned unchanged does not count.
    """
    handed_on = set(jaxpr.invars)
    computed = [v for v in jaxpr.outvars if is_variable(v) and v not in handed_on]
    return inputs_reaching(jaxpr.replace(outvars=computed), gradients)


def inputs_of_integers(jaxpr: Any) -> list[bool]:
    """Flag the inputs of integer and bool outputs, through which no gradient passes."""
    return inputs_reaching(jaxpr.replace(outvars=[v for v in jaxpr.outvars if not _passes(v, True)]))


def inputs_read(jaxpr: Any) -> list[bool]:
    """Flag the inputs that an equation reads, also in jitted functions, whether needed or not."""
    read: set[Any] = set()
    for equation in jaxpr.eqns:
        inner = inner_jaxprs(equation)
        is_whole = len(inner) == 1 and len(inner[0].invars) == len(equation.invars)
        marks = inputs_read(inner[0]) if is_whole else [True] * len(equation.invars)
        read |= {v for v, mark in zip(equation.invars, marks) if mark and is_variable(v)}
    return [v in read for v in jaxpr.invars]


def stopped_inputs(jaxpr: Any) -> list[bool]:
    """Flag the inputs that gradients would reach if `stop_gradient` did not stop all of them."""
    marks = zip(_reached(jaxpr, True, ""), _reached(jaxpr, True, STOP))
    return [without and not within for without, within in marks]


def handed_to_stop(jaxpr: Any, of_reads: Callable[[Iterable[bool]], bool] = any) -> list[bool]:
    """Flag the inputs to which `stop_gradient` is applied directly.

    `of_reads` is `any` or `all` of the equations that read an input, including updates that no output needs.
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


def differ_in_stops_alone(jaxpr: Any, other: Any) -> bool:
    """Whether two programs are the same but for `stop_gradient`, as those of an option to train a leaf."""
    return str(jaxpr) != str(other) and _text_without_stops(jaxpr) == _text_without_stops(other)


def _text_without_stops(jaxpr: Any) -> str:
    """Return the text of a program, without addresses, as if `stop_gradient` were left out."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(_without_stops(jaxpr)))


def _without_stops(jaxpr: Any) -> Any:
    """Return a jaxpr without its uses of `stop_gradient`, also in inner jaxprs."""
    stopped: dict[Any, Any] = {}
    kept: list[Any] = []

    def origins(atoms: Iterable[Any]) -> list[Any]:
        return [stopped.get(atom, atom) if is_variable(atom) else atom for atom in atoms]

    for equation in jaxpr.eqns:
        read = origins(equation.invars)
        if equation.primitive.name == STOP:
            stopped |= zip(equation.outvars, read)
        else:
            params = {name: _without_stops_in(value) for name, value in equation.params.items()}
            kept.append(equation.replace(invars=read, params=params))
    return jaxpr.replace(eqns=kept, outvars=origins(jaxpr.outvars))


def _without_stops_in(value: Any) -> Any:
    """Return a parameter of an equation, with its jaxprs as `_without_stops` gives them."""
    if hasattr(value, "jaxpr"):
        return value.replace(jaxpr=_without_stops(value.jaxpr))
    if hasattr(value, "eqns"):
        return _without_stops(value)
    if type(value) in (list, tuple):
        return [_without_stops_in(each) for each in value]
    return value


def is_straight_through(jaxpr: Any) -> bool:
    """Whether a sum subtracts a term under `stop_gradient`, such as `x + stop_gradient(f(x) - x)`.

    Values follow the rest of the sum, and gradients the term: Bengio et al. 2013,
    https://arxiv.org/abs/1308.3432.
    """
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    for equation in jaxpr.eqns:
        if equation.primitive.name in SUMS and _cancels(equation.outvars[0], made):
            return True
        if any(map(is_straight_through, inner_jaxprs(equation))):
            return True
    return False


def undone_sums(jaxpr: Any) -> Iterator[Any]:
    """Yield the sums that cancel a term beside `stop_gradient`, such as `x + (stop_gradient(y) - x)`.

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
    """Return the net count of each term of a sum, or nothing for more than `MOST_TERMS` terms."""
    net: dict[Any, int] = {}
    terms = [*itertools.islice(_terms(total, made, 1, [CAST]), MOST_TERMS + 1)]
    for variable, sign in terms if len(terms) <= MOST_TERMS else ():
        net[variable] = net.get(variable, 0) + sign
    return net


MOST_TERMS = 32
"""Number of terms up to which a sum is examined."""
SUMS = {"add": (1, 1), "add_any": (1, 1), "sub": (1, -1), "neg": (-1,)}
UNCHANGED = (CAST, "broadcast_in_dim", "reshape", "copy")


def _cancels(total: Any, made: Mapping[Any, Any]) -> bool:
    """Whether a term of a sum also occurs with the other sign under `stop_gradient`."""
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
    """Yield the signed variables that add up to a variable, looking through the primitives `unchanged`."""
    equation = made.get(variable)
    name = "" if equation is None else equation.primitive.name
    if equation is None or (name not in SUMS and name not in unchanged):
        yield variable, sign
        return
    for v, term_sign in zip(equation.invars, SUMS.get(name, (1,))):
        if is_variable(v):
            yield from _terms(v, made, sign * term_sign, unchanged)


def computed_on(jaxpr: Any, dtype: str) -> list[str]:
    """Return for each input the first primitive that computes with it in more bits than a dtype has.

    The entry is empty if there is none. The branches of a `cond` and the body of a `while` are skipped.
    """
    return _computed_on(jaxpr, jnp.finfo(dtype).bits)[0]


def _computed_on(jaxpr: Any, bits: int) -> tuple[list[str], list[set[int]]]:
    """Return the result of `computed_on`, and for each output the inputs that reach it unchanged."""
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
    """Return the primitive that computes with each input of an equation, and the inputs in each output."""
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
    """Flag the inputs of an equation on which its live outputs depend."""
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
    """Flag the inputs of a scan, whose carry may depend on any input that a later step needs."""
    counts = counts_of_scan(equation.params)
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
def counts_of_scan(params: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the numbers of constants and carries of a scan. jax 0.12 stores its inputs in three parts."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carries, _ = params["ft_in"].unpack()
    return len(constants), len(carries)


def _passes(atom: Any, gradients: bool) -> bool:
    """Whether a variable can pass on a dependency, or a gradient."""
    if not is_variable(atom):
        return False
    return not gradients or jnp.issubdtype(atom.aval.dtype, jnp.inexact)
