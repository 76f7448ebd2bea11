"""What the methods of one suite's class give and raise, traced and compiled once for its laws."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..declare.methods import Method, is_property, methods_of
from ..inspect.arrays import is_inexact, on_device, real_dtype
from ..inspect.trees import arrays_of, bfloat16, merge, split
from ..report import ANY_ERROR
from ..trace.dependencies import reaching
from ..trace.jaxprs import used_inputs
from ..trace.programs import compiled
from ..values.dtypes import cast, example_in
from ..values.example_values import sample
from ..values.optimisation import has_forward_mode_alone, weighted

PLAIN = bool, int, float
"""Results that are no arrays, and that are compared all the same."""


def the_call(suite: Any) -> Method:
    """The call, for what is said of it and of methods alike."""
    return Method("call", suite.arguments, call=suite.apply)


@functools.cache
def tried(laws: Any) -> dict[str, Exception | None]:
    """By method, the error that it raises: on one example, or on all where nobody declared it."""
    suite = laws()
    found = {one.name: _errors(suite, one) for one in methods_of(suite)}
    every = {one.name: 2 if one.found else 1 for one in methods_of(suite)}
    return {name: e[0] if len(e) >= every[name] else None for name, e in found.items()}


def _errors(suite: Any, method: Method) -> list[Exception]:
    found: list[Exception] = []
    for seed in (0, 1):
        try:
            method.use(suite.copied(suite.specimen(seed)), *method.arguments(seed))
        except ANY_ERROR as error:
            found.append(error)
    return found


@functools.cache
def usable(laws: Any) -> tuple[Method, ...]:
    """The methods that the example does not break."""
    suite = laws()
    return tuple(one for one in methods_of(suite) if tried(laws)[one.name] is None)


def program_of(
    suite: Any, method: Method, instance: Any, given: Sequence[Any]
) -> tuple[Callable[..., Any], tuple[Any, Any]]:
    """A method as a function of the arrays of an instance and of its arguments, and these."""
    value, back = suite.opened(instance)
    static, arrays = split(tuple(given))

    def run(value: Any, arrays: Any) -> Any:
        held = back(value)
        result = method.use(held, *merge(static, arrays))
        return arrays_of(result), suite.changed_in_place(held)

    return run, (value, arrays)


def trace_of(suite: Any, method: Method) -> Any:
    """The jaxpr of a method on the arrays of an instance and of its arguments."""
    run, given = program_of(suite, method, suite.specimen(), method.arguments(0))
    return jax.make_jaxpr(run)(*given)


def traced_in(suite: Any, method: Method, dtype: str) -> Any:
    """The same, with the instance and the arguments in a dtype."""
    usual, given = real_dtype("float"), method.arguments(0)
    with example_in(suite, dtype, 0) as (instance, _):
        run, arrays = program_of(suite, method, instance, cast(given, usual, dtype))
        return jax.make_jaxpr(run)(*arrays)


def in_bfloat16(suite: Any, method: Method, instance: Any, given: Any) -> list[Any]:
    """The form of each array that a method gives where all floats have 16 bits."""
    value, back = suite.opened(instance)
    small, rest = bfloat16((value, tuple(given)))
    static, arrays = split(rest)

    def run(value: Any, arrays: Any) -> list[Any]:
        return arrays_of(method.use(back(value), *merge(static, arrays)))

    return jax.eval_shape(run, small, arrays)


@functools.cache
def traces_of(laws: Any) -> dict[str, Any]:
    """The jaxpr of each method that can be traced, by name."""
    suite, found = laws(), dict[str, Any]()
    for method in usable(laws):
        try:
            if not method.needs_values:
                found[method.name] = trace_of(suite, method)
        except ANY_ERROR:
            continue  # P7 says so of what is declared
    return found


@functools.cache
def traceable(laws: Any) -> tuple[Method, ...]:
    """The methods that can be traced."""
    return tuple(one for one in usable(laws) if one.name in traces_of(laws))


@functools.cache
def only_of_methods(laws: Any) -> frozenset[str]:
    """The paths of what the call does not read, and a declared method with arguments does."""
    suite = laws()
    own = [one for one in traceable(laws) if not one.found]
    own = [one for one in own if not is_property(type(suite.specimen()), one.name)]
    if not own or not suite.called():
        return frozenset()
    names = list(suite.named(suite.specimen()))
    traces = [suite.traced_call(), *(traces_of(laws)[one.name] for one in own)]
    called, *others = (felt_inputs(one.jaxpr) for one in traces)
    marks = zip(names, called, map(any, zip(*others)))
    return frozenset(name for name, one, other in marks if other and not one)


def felt_inputs(jaxpr: Any) -> list[bool]:
    """For each input, whether the result holds it, or something that is computed from it."""
    given_back = {id(v) for v in jaxpr.outvars}
    pairs = zip(jaxpr.invars, used_inputs(jaxpr))
    return [used or id(v) in given_back for v, used in pairs]


def parts_of_result(suite: Any, instance: Any, method: Method, given: Any) -> list[Any]:
    """The plain values that a method gives, its arrays, and what it changed in place."""
    held = suite.copied(instance)
    result = method.use(held, *given)
    plain = [leaf for leaf in jax.tree.leaves(result) if type(leaf) in PLAIN]
    return [plain, arrays_of(result), suite.changed_in_place(held)]


def abstractly(suite: Any, instance: Any, method: Method, given: Sequence[Any]) -> None:
    """Uses a method within a trace, where nothing is compiled."""
    jax.eval_shape(lambda: parts_of_result(suite, instance, method, given)[1:])


@functools.cache
def compiled_methods(laws: Any) -> Callable[[Any, Sequence[Any]], list[list[Any]]]:
    """All methods as one compiled function of an instance and the arguments of each."""
    suite = laws()

    @functools.cache
    def program(static: Any) -> tuple[Callable[..., Any], list[list[Any]]]:
        plain: list[list[Any]] = []

        def run(instance: Any, arrays: Any) -> Any:
            given = [merge(*both) for both in zip(static, arrays)]
            pairs = zip(traceable(laws), given)
            found = [parts_of_result(suite, instance, *pair) for pair in pairs]
            plain[:] = [first for first, *_ in found]
            return [rest for _, *rest in found]

        return suite.compile(run), plain

    def run(instance: Any, given: Sequence[Any]) -> list[list[Any]]:
        halves = [split(tuple(one)) for one in given]
        compiled_run, plain = program(tuple(static for static, _ in halves))
        found = compiled_run(instance, [arrays for _, arrays in halves])
        return [[first, *rest] for first, rest in zip(plain, found)]

    return run


def slopes_reaching(
    suite: Any, method: Method, rebuilt: Any, values: Mapping[str, Any], given: Any
) -> list[str]:
    """The paths of those values by which something that a method computes has a slope."""
    static, arrays = split(tuple(given))

    def run(values: Any) -> list[Any]:
        parts = parts_of_result(suite, rebuilt(values), method, merge(static, arrays))
        return [v for v in jax.tree.leaves(parts[1:]) if is_inexact(v)]

    def slopes(values: Any, steps: Any) -> list[Any]:
        return jax.jvp(run, (values,), (steps,))[1]

    try:
        jaxpr = jax.make_jaxpr(slopes)(values, values).jaxpr
    except ANY_ERROR:  # a rule for gradients alone
        return []
    given_back = {id(v) for v in jaxpr.invars}
    made = [v for v in jaxpr.outvars if id(v) not in given_back]
    marks = reaching(jaxpr.replace(outvars=made))[len(values) :]
    return [name for name, mark in zip(sorted(values), marks) if mark]


Values = Mapping[str, Any]


@functools.cache
def compiled_slopes_of_methods(
    laws: Any,
) -> Callable[[Values], tuple[Values, np.ndarray]]:
    """Of each declared method a loss; and by path how the losses change, as one program."""
    suite = laws()
    _, rebuilt = suite.flowing_values(suite.specimen())
    methods = [one for one in traceable(laws) if not one.found]
    static, arrays = zip(*(split(tuple(one.arguments(0))) for one in methods))

    def loss(i: int, values: Values, arrays: Any) -> Any:
        given = merge(static[i], arrays[i])
        parts = parts_of_result(suite, rebuilt(values), methods[i], given)
        return _loss(parts[1:], values)

    # Each by itself: what is NaN in one slope would be so in all.
    @compiled
    def run(values: Values, arrays: Any) -> Any:
        return [_with_slope(loss, i, values, arrays) for i in range(len(methods))]

    def of_values(values: Values) -> tuple[Values, np.ndarray]:
        found, slopes = zip(*run(values, arrays))
        rows = {name: np.stack([each[name] for each in slopes]) for name in values}
        return rows, np.asarray(found)

    return of_values


def _with_slope(loss: Callable[..., Any], *given: Any) -> Any:
    try:
        return jax.value_and_grad(loss, 1)(*given)
    except ValueError as error:
        if not has_forward_mode_alone(error):
            raise
        return loss(*given), jax.jacfwd(loss, 1)(*given)


def _loss(parts: Any, values: Values) -> Any:
    """A scalar of what was computed: what is given back as it was says nothing."""
    same = {id(value) for value in values.values()}
    made = (y for y in jax.tree.leaves(parts) if is_inexact(y) and id(y) not in same)
    return jnp.asarray(sum(map(weighted, made), 0.0), jnp.result_type(float))


def way(leaf: Any, seed: int = 5) -> np.ndarray:
    """A direction in which a leaf is moved, each element by another amount."""
    return np.asarray(sample(seed, leaf.shape, "float32"), leaf.dtype)


def pushed(leaf: Any, step: float, seed: int = 5) -> Any:
    """A leaf that was moved by a step along its way."""
    return on_device(np.asarray(leaf) + step * way(leaf, seed), leaf.dtype)
