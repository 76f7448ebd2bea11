"""What a function with captured arrays must hold besides."""

import contextlib
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ...engine.applicability import not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import is_inexact, on_device, raw, restore_like
from ...inspect.trees import bfloat16, clone_as, structure
from ...kinds.pytree import PytreeSuite
from ...session import once_per_session
from ...trace.programs import compiled
from ...values.closeness import close
from ...values.optimisation import weighted

CHECKS = Checks()

LOOK = "hand jax a plain function that calls the closure: it hashes what it is given"


def _while_loop(function: Any, arguments: Any) -> Any:
    start = 0, jax.tree.map(jnp.zeros_like, jax.eval_shape(function, *arguments))

    def body(state: Any) -> Any:
        return state[0] + 1, function(*arguments)

    return jax.lax.while_loop(lambda state: state[0] < 2, body, start)[1]


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
    """The result of a closure in one of the `WAYS`.

    Equinox is given the closure itself, whose arrays are arguments to it. Of a plain function
    it keeps what that captures, so that a tracer of an outer trace outlives it.
    """
    function = closure if way == "filter_jit" else closure.as_function()
    return WAYS[way](function, arguments)


@CHECKS.register()
@pytest.mark.parametrize("way", WAYS)
def test_it_passes_through(subject: PytreeSuite, way: str) -> None:
    closure, arguments = subject.example()
    jax.eval_shape(lambda: through(way, closure, arguments))
    got = results(subject, False)[way]
    assert close(got, closure(*arguments), 16), f"{way} gives {got}. {LOOK}"


@CHECKS.register()
@pytest.mark.parametrize("way", WAYS)
def test_it_passes_through_with_tracers_of_an_outer_jit(subject: PytreeSuite, way: str) -> None:
    closure, arguments = subject.example()
    build, values = subject.traceable_build()

    def outer(values: Any, arguments: Any) -> Any:
        return through(way, build(values), arguments)

    jax.eval_shape(outer, values, arguments)
    got = results(subject, True)[way]
    assert close(got, closure(*arguments), 16), f"{way} gives {got}. {LOOK}"


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
    assert structure(got) == structure(closure(*arguments)), LOOK


@CHECKS.register()
def test_gradients_reach_what_it_captures(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    skip_unless_differentiable(closure, arguments)
    captured, rest = eqx.partition(closure, eqx.is_inexact_array)

    def grads(through: Callable[[Any, Any], Any]) -> Any:
        def loss(captured: Any) -> Any:
            function = eqx.combine(captured, rest).as_function()
            outputs = jax.tree.leaves(through(function, arguments))
            return sum(weighted(out) for out in outputs if is_inexact(out))

        return compiled(jax.grad(loss))(captured)

    def nested(function: Any, arguments: Any) -> Any:
        inner = jax.checkpoint(function)
        return _scan(lambda *row: jax.lax.cond(True, inner, inner, *row), arguments)

    plain = grads(lambda function, arguments: function(*arguments))
    assert close(plain, grads(nested), 64), "other gradients through scan and cond"


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
        outputs = jax.tree.leaves(call(eqx.combine(captured, rest), arguments))
        return sum(weighted(out) for out in outputs if is_inexact(out))

    captured, rest = eqx.partition(arrays, eqx.is_inexact_array)

    def grads(captured: Any) -> list[Any]:
        return [jax.grad(loss)(captured, rest, call) for call in (called, plain)]

    got, expected = compiled(grads)(captured)
    assert close(got, expected, 64), "other gradients through custom_vjp"


def skip_unless_differentiable(closure: Any, arguments: Any) -> None:
    outputs = jax.tree.leaves(jax.eval_shape(closure, *arguments))
    if not any(jnp.issubdtype(out.dtype, jnp.inexact) for out in outputs):
        not_applicable("it returns nothing to differentiate")


@CHECKS.register()
def test_eval_shape_takes_the_closure_and_its_function(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    outside = jax.eval_shape(closure, *arguments)
    inside = eqx.filter_eval_shape(lambda c: jax.eval_shape(c, *arguments), closure)
    assert structure(outside) == structure(closure(*arguments)), (
        "eval_shape shows another structure than a call gives: it looks at values"
    )
    function = jax.eval_shape(closure.as_function(), *arguments)
    assert outside == inside == function, (
        f"the closure gives {outside}, under a trace {inside}, its function {function}"
    )


@CHECKS.register()
def test_a_loop_condition_is_taken_as_it_is(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    result = jax.eval_shape(closure, *arguments)
    if len(arguments) != 1 or result != jax.ShapeDtypeStruct((), jnp.bool_):
        not_applicable("it is no condition of a while_loop")
    condition = closure.as_function()
    jax.eval_shape(lambda value: jax.lax.while_loop(condition, lambda v: v, value), *arguments)


@CHECKS.register()
def test_the_example_may_be_abstract(subject: PytreeSuite) -> None:
    inputs = subject.inputs(0)
    abstract = jax.eval_shape(lambda *arguments: arguments, *inputs["example"])
    built = subject.build(**{**inputs, "example": abstract})
    assert structure(built) == structure(subject.build(**inputs)), (
        "values of the example reach the treedef: keep shapes and dtypes alone"
    )


@CHECKS.register()
def test_an_example_that_is_no_tuple_is_refused(subject: PytreeSuite) -> None:
    inputs = subject.inputs(0)
    with pytest.raises(TypeError) as caught:
        subject.build(**{**inputs, "example": [*inputs["example"]]})
    assert "tuple of all arguments" in str(caught.value) or by_jaxtyping(caught), (
        "the error must say that an example is the tuple of all arguments"
    )


@CHECKS.register()
@pytest.mark.parametrize("change", ["shape", "dtype", "structure"])
def test_other_arguments_are_refused_and_both_structures_shown(subject: PytreeSuite, change: str) -> None:
    closure, arguments = subject.example()
    changed = CHANGES[change](arguments)
    for run in (closure, lambda *arguments: jax.eval_shape(closure, *arguments)):
        with pytest.raises(TypeError) as caught:
            run(*changed)
        for shown in (described(arguments), described(changed)):
            assert str(shown) in str(caught.value) or by_jaxtyping(caught), (
                f"the error must show {shown}: compare the structure of the arguments "
                "with that of the example before anything else"
            )


@CHECKS.register()
def test_it_computes_in_the_dtype_of_its_arguments(subject: PytreeSuite) -> None:
    closure, arguments = subject.example()
    if not PytreeSuite.computes_in_one_dtype(subject, closure, arguments):
        not_applicable("the class fixes a dtype")
    closure, arguments = bfloat16((closure, arguments))
    leaves, treedef = jax.tree.flatten(described(arguments))
    cast = clone_as(type(closure), closure, structure=(tuple(leaves), treedef))
    for out in jax.tree.leaves(jax.eval_shape(cast, *arguments)):
        floats = jnp.issubdtype(out.dtype, jnp.floating)
        assert not floats or out.dtype == jnp.bfloat16, (
            f"with bfloat16 arrays it returns {out.dtype}: an array with a fixed dtype"
        )


@once_per_session
def results(suite: Any, built_inside: bool) -> dict[str, Any]:
    """By way, the result of the closure, built outside or inside of the program."""
    closure, arguments = suite.example()
    build, values = suite.traceable_build()

    def every(values: Any, arguments: Any) -> dict[str, Any]:
        result = {}
        for name in WAYS:
            with contextlib.suppress(Exception):  # its own test says why
                inner = build(values) if built_inside else closure
                result[name] = through(name, inner, arguments)
        return result

    return compiled(every)(values, arguments)


def by_jaxtyping(caught: pytest.ExceptionInfo[TypeError]) -> bool:
    """Whether jaxtyping's checks at run time, where they are on, came first."""
    return type(caught.value).__module__.startswith("jaxtyping")


def described(arguments: Any) -> Any:
    """The arguments as shapes and dtypes."""
    return jax.tree.map(lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype), arguments)


def _other_shape(arguments: Any) -> Any:
    return jax.tree.map(lambda leaf: restore_like(raw(leaf)[None], leaf), arguments)


def _other_dtype(arguments: Any) -> Any:
    def cast(leaf: Any) -> Any:
        other = jnp.int16 if jnp.issubdtype(leaf.dtype, jnp.inexact) else jnp.float16
        return on_device(np.zeros(leaf.shape), other)

    return jax.tree.map(cast, arguments)


def _other_structure(arguments: Any) -> Any:
    return tuple((argument,) for argument in arguments)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "shape": _other_shape,
    "dtype": _other_dtype,
    "structure": _other_structure,
}
