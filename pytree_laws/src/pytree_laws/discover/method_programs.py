"""Results and errors of the methods of a suite's class, traced and compiled once for its laws."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..declare.methods import Method, has_members, is_property, methods_of
from ..engine.applicability import Condition, class_of, declared_class, need
from ..engine.first_use import called_method
from ..inspect.arrays import is_inexact, on_device, real_dtype
from ..inspect.trees import arrays_of, attributes, combine, named_results, partition
from ..report import or_else, result_or_error
from ..session import once_per_session
from ..trace.dependencies import inputs_computed_with, inputs_of_integers, stopped_inputs
from ..trace.programs import compiled
from ..values.closeness import settle
from ..values.dtypes import cast, example_in, tolerated
from ..values.example_values import sample
from ..values.optimisation import in_either_mode, weighted_terms
from .invocation import on_arrays
from .method_uses import example_use, holds_an_instance, updated_by

PLAIN = bool, int, float
"""Types of results that are compared though they are not arrays."""


NO_METHOD = "there is no method beside the call"
MEMBERS = Condition(
    NO_METHOD,
    lambda suite: bool(suite.methods) or has_members(class_of(suite)),
    "methods",
    lambda suite: bool(suite.methods) or declared_class(suite) is not None,
)


def the_call(suite: Any) -> Method:
    """Return the call as a `Method`, for laws about both."""
    return Method("call", suite.arguments, call=suite.apply)


@once_per_session
def tried(suite: Any) -> dict[str, Exception | None]:
    """Map each method to the error that it raises on an example, or None.

    A method that was found without a declaration must raise on both examples.
    """
    errors = {method.name: _errors(suite, method) for method in methods_of(suite)}
    every = {method.name: 2 if method.found else 1 for method in methods_of(suite)}
    return {name: e[0] if len(e) >= every[name] else None for name, e in errors.items()}


def _errors(suite: Any, method: Method) -> list[Exception]:
    def use(seed: int) -> Any:
        return method.use(suite.spare(seed), *method.arguments(seed))

    return [result for seed in (0, 1) if isinstance(result := result_or_error(use, seed), Exception)]


@once_per_session
def usable(suite: Any) -> tuple[Method, ...]:
    """Return the methods that do not raise on the example."""
    return tuple(method for method in methods_of(suite) if tried(suite)[method.name] is None)


def program_of(
    suite: Any, method: Method, instance: Any, arguments: Sequence[Any]
) -> tuple[Callable[..., Any], tuple[Any, Any]]:
    """Return a method as a function of the arrays of an instance and of its arguments, and these arrays."""

    def use(instance: Any, arguments: Any) -> Any:
        return arrays_of(method.use(instance, *arguments)), suite.changed_in_place(instance)

    return on_arrays(suite, instance, tuple(arguments), use)


def trace_of(suite: Any, method: Method) -> Any:
    """Trace a method on the arrays of the example and of its arguments."""
    run, arguments = program_of(suite, method, suite.cached_instance(), method.arguments(0))
    return jax.make_jaxpr(run)(*arguments)


def traced_in(suite: Any, method: Method, dtype: str) -> Any:
    """Trace a method with the instance and the arguments in a dtype."""
    usual, arguments = real_dtype("float"), method.arguments(0)
    with example_in(suite, dtype, 0) as (instance, _):
        run, arrays = program_of(suite, method, instance, cast(arguments, usual, dtype))
        return jax.make_jaxpr(run)(*arrays)


def arrays_given(suite: Any, use: Any) -> tuple[Callable[..., list[Any]], tuple[Any, Any]]:
    """Return a use of a method as a function from arrays to arrays, and the arrays that it takes."""
    return on_arrays(suite, use.instance, use.given, lambda *both: arrays_of(use.run(*both)))


def in_wide_dtypes(suite: Any, method: Method) -> tuple[list[Any], bool]:
    """Return the forms of a method's results, and whether all inexact inputs have 64 bits.

    The context must allow 64 bits.
    """
    run, given = arrays_given(suite, example_use(method, suite.built_abstractly(suite.inputs(0))))
    wide = jnp.dtype("float64"), jnp.dtype("complex128")
    floats = [v.dtype in wide for v in arrays_of(given) if is_inexact(v)]
    return jax.eval_shape(run, *given), bool(floats) and all(floats)


@once_per_session
def traces_of(suite: Any) -> dict[str, Any]:
    """Map the name of each traceable method to its jaxpr."""
    methods = [method for method in usable(suite) if not method.needs_values]
    traces = {method.name: result_or_error(trace_of, suite, method) for method in methods}
    # P7 tells of an error of what is declared.
    return {name: trace for name, trace in traces.items() if not isinstance(trace, Exception)}


@once_per_session
def traceable(suite: Any) -> tuple[Method, ...]:
    """Return the methods that can be traced."""
    return tuple(method for method in usable(suite) if method.name in traces_of(suite))


def usable_methods(suite: Any, declared: bool = False) -> list[Method]:
    """Return the methods that do not raise on the example, or skip the test if there are none."""
    return _some(suite, usable, declared)


def traced_methods(suite: Any, declared: bool = False) -> list[Method]:
    """Return the methods that can be traced, or skip the test if there are none."""
    return _some(suite, traceable, declared)


def _some(suite: Any, find: Callable[[Any], tuple[Method, ...]], declared: bool) -> list[Method]:
    if not suite.strict:  # or the call may never end, which is no matter of its methods
        settle(lambda: tolerated(suite))
    result = [method for method in find(suite) if not (declared and method.found)]
    need(result, NO_METHOD)
    return result


def names_of(methods: Sequence[Method]) -> str:
    """Join the names of methods for a message about all of them."""
    return ", ".join(method.name for method in methods)


@once_per_session
def only_of_methods(suite: Any) -> frozenset[str]:
    """Return the paths that the call does not read, but a declared method other than a property does.

    If a method stands for the call, methods found without a declaration count too.
    """
    is_of_all = bool(called_method(suite))
    methods = [method for method in traceable(suite) if is_of_all or not method.found]
    methods = [method for method in methods if not is_property(type(suite.cached_instance()), method.name)]
    if not methods or not suite.called():
        return frozenset()
    names = list(suite.named(suite.cached_instance()))
    # What an instance is handed on in, is not read by that.
    reads = [
        inputs_computed_with if method.found or holds_an_instance(suite, method) else felt_inputs
        for method in methods
    ]
    others = [read(traces_of(suite)[method.name].jaxpr) for read, method in zip(reads, methods)]
    marks = zip(names, felt_inputs(suite.traced_call().jaxpr), map(any, zip(*others)))
    return frozenset(name for name, by_call, other in marks if other and not by_call)


def cut_off_by(suite: Any, method: Method) -> set[str]:
    """Return the paths that a method reads only behind `stop_gradient`, as a property may."""
    return _paths_marked(suite, stopped_inputs(traces_of(suite)[method.name].jaxpr))


def given_back_by(suite: Any, method: Method) -> set[str]:
    """Return the paths whose arrays a method returns unchanged, as in an edited instance."""
    return _paths_marked(suite, _inputs_given_back(traces_of(suite)[method.name].jaxpr))


def decided_by(suite: Any, method: Method) -> set[str]:
    """Return the paths on which integers or bools in a method's result depend."""
    return _paths_marked(suite, inputs_of_integers(traces_of(suite)[method.name].jaxpr))


def steps_an_optimiser(suite: Any, method: Method) -> bool:
    """Whether a method returns an instance with another optax state, or updates that state in place.

    Authors do not differentiate through such a step and its roots.
    """
    instance = suite.cached_instance()
    states = {name for name, value in attributes(instance).items() if _holds_state(value)}
    if suite.is_mutable:
        return any(path.partition(".")[0] in states for path in updated_by(suite, method))
    paths = {path for path in suite.named(instance) if path.partition(".")[0] in states}
    return not paths <= given_back_by(suite, method) and holds_an_instance(suite, method)


def _holds_state(value: Any) -> bool:
    """Whether a tree contains a state of optax."""

    def is_state(node: Any) -> bool:
        return type(node).__module__.partition(".")[0] == "optax"

    return any(map(is_state, jax.tree.leaves(value, is_leaf=is_state)))


def _paths_marked(suite: Any, marks: Iterable[bool]) -> set[str]:
    """Return the marked paths of the example. Its leaves are the first inputs of a trace."""
    return {name for name, is_marked in zip(suite.named(suite.cached_instance()), marks) if is_marked}


def _inputs_given_back(jaxpr: Any) -> list[bool]:
    """Flag the inputs that are outputs as well."""
    outputs = {id(variable) for variable in jaxpr.outvars}
    return [id(variable) in outputs for variable in jaxpr.invars]


def felt_inputs(jaxpr: Any) -> list[bool]:
    """Flag the inputs that the result contains, or is computed from."""
    return list(map(any, zip(_inputs_given_back(jaxpr), inputs_computed_with(jaxpr))))


def parts_of_result(suite: Any, instance: Any, method: Method, arguments: Any) -> list[Any]:
    """Return the plain values of a method's result, its arrays, and the values changed in place."""
    copied = suite.copied(instance)
    result = method.use(copied, *arguments)
    plain = [leaf for leaf in jax.tree.leaves(result) if type(leaf) in PLAIN]
    return [plain, [leaf for _, leaf in named_results(result)], suite.changed_in_place(copied)]


def abstractly(suite: Any, instance: Any, method: Method, arguments: Sequence[Any]) -> None:
    """Use a method inside a trace, so that nothing is compiled."""
    jax.eval_shape(lambda: parts_of_result(suite, instance, method, arguments)[1:])


@once_per_session
def compiled_methods(suite: Any) -> Callable[[Any, Sequence[Any]], list[list[Any]]]:
    """Return one compiled function that runs all methods on an instance, with arguments for each."""

    @functools.cache
    def program(static: Any) -> tuple[Callable[..., Any], list[list[Any]]]:
        plain: list[list[Any]] = []

        def run(instance: Any, arrays: Any) -> Any:
            arguments = [combine(*both) for both in zip(static, arrays)]
            results = [parts_of_result(suite, instance, *pair) for pair in zip(traceable(suite), arguments)]
            plain[:] = [first for first, *_ in results]
            return [rest for _, *rest in results]

        return suite.compile(run), plain

    def run(instance: Any, arguments: Sequence[Any]) -> list[list[Any]]:
        halves = [partition(tuple(method_arguments)) for method_arguments in arguments]
        compiled_run, plain = program(tuple(static for static, _ in halves))
        results = compiled_run(instance, [arrays for _, arrays in halves])
        return [[first, *rest] for first, rest in zip(plain, results)]

    return run


@or_else(())  # a rule for gradients alone
def grads_reaching(
    suite: Any, method: Method, rebuilt: Any, values: Mapping[str, Any], arguments: Any
) -> Sequence[str]:
    """Return the paths of values that have a slope in a method's result."""
    static, arrays = partition(tuple(arguments))

    def run(values: Any) -> list[Any]:
        parts = parts_of_result(suite, rebuilt(values), method, combine(static, arrays))
        return [v for v in jax.tree.leaves(parts[1:]) if is_inexact(v)]

    def grads(values: Any, steps: Any) -> list[Any]:
        return jax.jvp(run, (values,), (steps,))[1]

    marks = inputs_computed_with(jax.make_jaxpr(grads)(values, values).jaxpr)[len(values) :]
    return [name for name, mark in zip(sorted(values), marks) if mark]


Values = Mapping[str, Any]


@once_per_session
def compiled_grads_of_methods(
    suite: Any, has_counted: bool = False
) -> Callable[[Values], tuple[Values, list[np.ndarray]]]:
    """Return one compiled function from values to gradients of a loss for each declared method.

    It returns the gradients by path, stacked over methods, and the terms of each loss.
    """
    instance = suite.counted(suite.cached_instance()) if has_counted else suite.cached_instance()
    _, rebuilt = suite.flowing_values(instance)
    parts = suite.parts_of(instance).items() if suite.is_mutable else ()
    of_parts = {path for path, part in parts if suite.decides_itself(path, part)}
    methods = [method for method in traceable(suite) if not method.found]
    static, arrays = zip(*(partition(tuple(method.arguments(0))) for method in methods))

    def loss(i: int, values: Values, arrays: Any) -> Any:
        arguments = combine(static[i], arrays[i])
        _, given, changed = parts_of_result(suite, rebuilt(values), methods[i], arguments)
        if suite.is_mutable:  # what a part updates it may cut off, as a norm does with its running mean
            changed = {path: value for path, value in changed.items() if path not in of_parts}
        terms = _terms([given, changed], values)
        return jnp.sum(terms), terms

    # Each by itself: what is NaN in one slope would be so in all.
    @compiled
    def run(values: Values, arrays: Any) -> Any:
        return [_with_grad(loss, i, values, arrays) for i in range(len(methods))]

    def of_values(values: Values) -> tuple[Values, list[np.ndarray]]:
        terms, grads = zip(*run(values, arrays))
        rows = {name: np.stack([each[name] for each in grads]) for name in values}
        return rows, [np.asarray(each, np.float64) for each in terms]

    return of_values


def _with_grad(loss: Callable[..., Any], *arguments: Any) -> Any:
    modes = (functools.partial(mode(loss, 1, has_aux=True), *arguments) for mode in (jax.grad, jax.jacfwd))
    grads, terms = in_either_mode(*modes)
    return terms, grads


def _terms(parts: Any, values: Values) -> Any:
    """Return the terms of a loss over computed values, without values that are returned unchanged."""
    same = {id(value) for value in values.values()}
    made = (y for y in jax.tree.leaves(parts) if is_inexact(y) and id(y) not in same)
    dtype = jnp.result_type(float)
    return jnp.concatenate([jnp.zeros(1, dtype), *(weighted_terms(y).ravel().astype(dtype) for y in made)])


def way(leaf: Any, seed: int = 5) -> np.ndarray:
    """Return a direction for a leaf, with a different step for each element."""
    return np.asarray(sample(seed, leaf.shape, "float32"), leaf.dtype)


def pushed(leaf: Any, step: float, ahead: np.ndarray) -> Any:
    """Move a leaf by a step along a direction."""
    return on_device(np.asarray(leaf) + step * ahead, leaf.dtype)
