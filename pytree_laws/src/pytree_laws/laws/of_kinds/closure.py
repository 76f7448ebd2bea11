"""C1: what a function with captured arrays must hold besides the pytree laws."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ...engine.applicability import need, not_applicable
from ...engine.registry import Checks
from ...errors import is_of_types
from ...inspect.arrays import on_device, raw, restore_like
from ...inspect.static_values import said_in_bfloat16
from ...inspect.trees import bfloat16, structure
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, Fault, Law, check, doing
from ...session import once_per_session
from ...trace.programs import compiled
from ...trace.wide_results import FIXED_DTYPE, is_wide_alone, unless_promised, widened_in
from ...values.closeness import check_close
from ...values.optimisation import weighted_sum

LAW = Law(
    number="C1",
    name="closure",
    statement="A closure and its function pass through every transformation and loop of jax, with tracers of outer ones too, with the values and gradients of a plain call; arguments of another structure than the example are refused, and both are shown.",
    protects="A callable Module with arrays that works alone and fails as the function of `lax.scan` or `jax.grad`: jax hashes the function that it is given, and neither an array nor a tracer has a hash.",
    mistake="The closure itself is handed to jax, values of the example reach the treedef, or arguments are not compared before anything else.",
    fix="Hand jax what `as_function()` gives, keep shapes and dtypes of the example alone, and compare the structure of the arguments first.",
)
CHECKS = Checks(LAW)

LOOK = "hand jax a plain function that calls the closure: it hashes what it is given"


def _while_loop(function: Any, arguments: Any) -> Any:
    start = 0, jax.tree.map(jnp.zeros_like, jax.eval_shape(function, *arguments))
    return jax.lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, function(*arguments)), start)[1]


def _fori_loop(function: Any, arguments: Any) -> Any:
    start = jax.tree.map(jnp.zeros_like, jax.eval_shape(function, *arguments))
    return jax.lax.fori_loop(0, 2, lambda i, _: function(*arguments), start)


def _scan(function: Any, arguments: Any) -> Any:
    rows = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), arguments)
    _, scanned = jax.lax.scan(lambda c, row: (c, function(*row)), None, rows)
    return jax.tree.map(lambda leaf: leaf[1], scanned)


def _vmap(function: Any, arguments: Any) -> Any:
    rows = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), arguments)
    return jax.tree.map(lambda leaf: leaf[1], jax.vmap(function)(*rows))


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "jit": lambda function, arguments: jax.jit(function)(*arguments),
    "filter_jit": lambda function, arguments: eqx.filter_jit(function)(*arguments),
    "checkpoint": lambda function, arguments: jax.checkpoint(function)(*arguments),
    "cond": lambda function, arguments: jax.lax.cond(True, function, function, *arguments),
    "switch": lambda function, arguments: jax.lax.switch(1, [function, function], *arguments),
    "while_loop": _while_loop,
    "fori_loop": _fori_loop,
    "scan": _scan,
    "vmap": _vmap,
}


def through(way: str, closure: Any, arguments: Any) -> Any:
    """Run a closure in one of the `WAYS`.

    Equinox gets the closure itself, and takes its arrays as arguments. Of a plain function, Equinox keeps the
    captured arrays, so that a tracer outlives its trace.
    """
    return WAYS[way](closure if way == "filter_jit" else closure.as_function(), arguments)


@CHECKS.register()
@pytest.mark.parametrize("way", WAYS)
def test_it_passes_through(subject: PytreeSuite, way: str) -> None:
    closure, arguments = subject.example()
    jax.eval_shape(lambda: through(way, closure, arguments))
    check_close(
        way, "it gives {}, expected is {}", results(subject, False)[way], closure(*arguments), LOOK, 16
    )


@CHECKS.register()
@pytest.mark.parametrize("way", WAYS)
def test_it_passes_through_with_tracers_of_an_outer_jit(subject: PytreeSuite, way: str) -> None:
    closure, arguments = subject.example()
    build, values = subject.traceable_build()

    def outer(values: Any, arguments: Any) -> Any:
        return through(way, build(values), arguments)

    jax.eval_shape(outer, values, arguments)
    message = "with tracers of an outer jit it gives {}, expected is {}"
    check_close(way, message, results(subject, True)[way], closure(*arguments), LOOK, 16)


@CHECKS.register()
@pytest.mark.parametrize("way", WAYS)
def test_it_passes_through_with_tracers_of_an_outer_grad(subject: PytreeSuite, way: str) -> None:
    closure, arguments = subject.example()
    captured, rest = eqx.partition(closure, eqx.is_inexact_array)

    def outer(captured: Any) -> Any:
        return through(way, eqx.combine(captured, rest), arguments)

    def differentiated(captured: Any) -> Any:
        if way == "while_loop":  # which has no reverse mode
            return jax.jvp(outer, (captured,), (captured,))[0]
        return jax.vjp(outer, captured)[0]

    got = jax.eval_shape(differentiated, captured)
    message = f"under an outer grad it gives {structure(got)}, expected is {structure(closure(*arguments))}"
    check(structure(got) == structure(closure(*arguments)), way, message, LOOK)


@CHECKS.register()
def test_gradients_reach_what_it_captures(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    skip_unless_differentiable(closure, arguments)
    captured, rest = eqx.partition(closure, eqx.is_inexact_array)

    def grads(through: Callable[[Any, Any], Any]) -> Any:
        def loss(captured: Any) -> Any:
            return weighted_sum(through(eqx.combine(captured, rest).as_function(), arguments))

        return compiled(jax.grad(loss))(captured)

    def nested(function: Any, arguments: Any) -> Any:
        inner = jax.checkpoint(function)
        return _scan(lambda *row: jax.lax.cond(True, inner, inner, *row), arguments)

    plain = grads(lambda function, arguments: function(*arguments))
    message = "the gradients are {} through scan and cond, and {} without"
    check_close("as_function", message, grads(nested), plain, LOOK, 64)


@CHECKS.register()
def test_it_passes_through_custom_vjp(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    skip_unless_differentiable(closure, arguments)

    # A module among the captured may hold functions, which jax takes from nobody.
    arrays, functions = eqx.partition(closure, eqx.is_array)

    def plain(arrays: Any, arguments: Any) -> Any:
        return eqx.combine(arrays, functions)(*arguments)

    called = jax.custom_vjp(plain)
    called.defvjp(lambda arrays, arguments: jax.vjp(plain, arrays, arguments), lambda pull, grad: pull(grad))

    def loss(captured: Any, rest: Any, call: Any) -> Any:
        return weighted_sum(call(eqx.combine(captured, rest), arguments))

    captured, rest = eqx.partition(arrays, eqx.is_inexact_array)

    def grads(captured: Any) -> list[Any]:
        return [jax.grad(loss)(captured, rest, call) for call in (called, plain)]

    message = "the gradients are {} through custom_vjp, and {} without"
    got, expected = compiled(grads)(captured)
    check_close("custom_vjp", message, got, expected, LOOK, 64)


def skip_unless_differentiable(closure: Any, arguments: Any) -> None:
    dtypes = [out.dtype for out in jax.tree.leaves(jax.eval_shape(closure, *arguments))]
    need(any(jnp.issubdtype(dtype, jnp.inexact) for dtype in dtypes), "it returns nothing to differentiate")


@CHECKS.register()
def test_eval_shape_takes_the_closure_and_its_function(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    outside = jax.eval_shape(closure, *arguments)
    inside = eqx.filter_eval_shape(lambda c: jax.eval_shape(c, *arguments), closure)
    message = f"eval_shape shows {structure(outside)}, a call gives {structure(closure(*arguments))}"
    hint = "a result whose structure depends on values"
    check(structure(outside) == structure(closure(*arguments)), "eval_shape", message, hint)
    function = jax.eval_shape(closure.as_function(), *arguments)
    message = f"the closure gives {outside}, under a trace {inside}, its function {function}"
    check(outside == inside == function, "eval_shape", message, LOOK)


@CHECKS.register()
def test_a_loop_condition_is_taken_as_it_is(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    result = jax.eval_shape(closure, *arguments)
    if len(arguments) != 1 or result != jax.ShapeDtypeStruct((), jnp.bool_):
        not_applicable("it is no condition of a while_loop")
    condition = closure.as_function()
    with doing("while_loop", "a loop with its function as the condition", LOOK):
        jax.eval_shape(lambda value: jax.lax.while_loop(condition, lambda v: v, value), *arguments)


@CHECKS.register()
def test_the_example_may_be_abstract(subject: PytreeSuite) -> None:
    inputs = subject.inputs(0)
    abstract = jax.eval_shape(lambda *arguments: arguments, *inputs["example"])
    built = subject.build(**{**inputs, "example": abstract})
    message = "built with an abstract example it has another treedef: values of the example reach that"
    same = structure(built) == structure(subject.build(**inputs))
    check(same, "example", message, "keep shapes and dtypes of the example alone")


@CHECKS.register()
def test_an_example_that_is_no_tuple_is_refused(subject: PytreeSuite) -> None:
    inputs = subject.inputs(0)
    error = refusal("example", lambda: subject.build(**{**inputs, "example": [*inputs["example"]]}))
    is_told = "tuple of all arguments" in str(error) or is_of_types(error)
    message = f"a list is refused with `{error}`, expected is that an example is the tuple of all arguments"
    check(is_told, "example", message, "a check of the example in the factory that says so")


@CHECKS.register()
@pytest.mark.parametrize("change", ["shape", "dtype", "structure"])
def test_other_arguments_are_refused_and_both_structures_shown(subject: PytreeSuite, change: str) -> None:
    closure, arguments = subject.example()
    changed = CHANGES[change](arguments)
    for run in (closure, lambda *arguments: jax.eval_shape(closure, *arguments)):
        error = refusal("call", functools.partial(run, *changed))
        for shown in (described(arguments), described(changed)):
            message = f"arguments of another {change} are refused with `{error}`, which does not show {shown}"
            hint = "compare the structure of the arguments with that of the example before anything else"
            check(str(shown) in str(error) or is_of_types(error), "call", message, hint)


@CHECKS.register(severity=ADVICE, of_dtypes=True)  # as P7 of any other call
def test_it_computes_in_the_dtype_of_its_arguments(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    need(PytreeSuite.computes_in_one_dtype(subject, closure, arguments), "the class fixes a dtype")
    closure, arguments = bfloat16((closure, arguments))
    narrow = said_in_bfloat16(closure)
    for i, out in enumerate(jax.tree.leaves(jax.eval_shape(narrow, *arguments))):
        is_right = not jnp.issubdtype(out.dtype, jnp.floating) or out.dtype == jnp.bfloat16
        is_right = is_right or is_wide_alone(narrow, arguments, i)
        line = "" if is_right else f"{unless_promised(subject)}{widened_in(narrow, arguments, i)}"
        message = f"with bfloat16 arrays it returns {out.dtype}"
        check(is_right, "call", message, f"{FIXED_DTYPE}{line}")


@once_per_session
def results(suite: Any, built_inside: bool) -> dict[str, Any]:
    """Return the results of the closure by way, built outside or inside of the program."""
    closure, arguments = suite.example()
    build, values = suite.traceable_build()

    def every(values: Any, arguments: Any) -> dict[str, Any]:
        result = {}
        for name in WAYS:
            with contextlib.suppress(Exception):  # its own test says why
                result[name] = through(name, build(values) if built_inside else closure, arguments)
        return result

    return compiled(every)(values, arguments)


def refusal(where: str, run: Callable[[], Any]) -> TypeError:
    """Return the TypeError that a call must raise."""
    try:
        run()
    except TypeError as error:
        return error
    raise Fault(where, "it was accepted, expected is a TypeError", "a structure that nothing compares")


def described(arguments: Any) -> Any:
    """Return the arguments as shapes and dtypes."""
    return jax.tree.map(lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype), arguments)


def _of_other_dtype(leaf: Any) -> Any:
    other = jnp.int16 if jnp.issubdtype(leaf.dtype, jnp.inexact) else jnp.float16
    return on_device(np.zeros(leaf.shape), other)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "shape": lambda arguments: jax.tree.map(lambda leaf: restore_like(raw(leaf)[None], leaf), arguments),
    "dtype": functools.partial(jax.tree.map, _of_other_dtype),
    "structure": lambda arguments: tuple((argument,) for argument in arguments),
}
