"""Conditions that the author of a class knows to be true: `@holds` makes a test of each.

    @holds
    def test_two_reflections_are_none(self, instance, *arguments):
        (x,) = arguments
        return self.close(instance(instance(x)), x)

A condition over methods takes the arguments of one of them:

    @holds(of="forward")
    def test_the_inverse_undoes_it(self, instance, x):
        return self.close(instance.inverse(instance.forward(x)), x)

The test tries the condition on several examples, in each of `dtypes`, eagerly and under `jax.jit`.
On the last example, parameters that begin as a constant have other values, as after training. A
bias of zeros would hide what is done with it. `@holds(at_start=True)` tries new instances alone.
"""

import ast
import contextlib
import functools
import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, overload

import pytest

from ...engine.expected import held_as_declared
from ...engine.first_use import first_build
from ...inspect.arrays import real_dtype
from ...inspect.branches import nodes_of
from ...report import ANY_ERROR
from ...values.comparison import recording_differences
from ...values.dtypes import SEEDS, Example, cast, example_in, example_name
from ...values.example_sizes import hint_of

Condition = Callable[..., Any]
MOVED = ", as training may leave it (`at_start=True` says that it holds of a new instance alone)"
Test = Callable[[Any], None]


class NotTrue(AssertionError):
    """Failure of a condition that its author states to be true."""


@overload
def holds(condition: Condition) -> Test: ...
@overload
def holds(*, of: str | Sequence[str] = "call", at_start: bool = False) -> Callable[[Condition], Test]: ...
def holds(
    condition: Condition | None = None, *, of: str | Sequence[str] = "call", at_start: bool = False
) -> Any:
    """Make a test of a condition, which is a method of an instance and the arguments of the call.

    `@holds(of="forward")` passes the arguments of a method among `methods`. Several names pass the arguments
    of each, in this order.
    """
    names = (of,) if isinstance(of, str) else tuple(of)
    if condition is None:
        return functools.partial(_test_of, of=names, at_start=at_start)
    return _test_of(condition, names, at_start)


def _test_of(condition: Condition, of: Sequence[str], at_start: bool) -> Test:
    def test(self: Any) -> None:
        __tracebackhide__ = True
        with held_as_declared(self, condition.__name__):
            if first_build(self).error is not None:
                pytest.skip("the example `build` fails, as the first failure of P1 says")
            for dtype in (None, *self.dtypes):
                _try(self, condition, dtype, of, at_start)

    for name in ("__name__", "__qualname__", "__doc__"):
        setattr(test, name, getattr(condition, name))
    vars(test)["is_condition"] = True
    return test


def conditions_of(suite: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the conditions of a suite by name, as tests."""
    owners = reversed(type(suite).__mro__)
    for name in dict.fromkeys(name for owner in owners for name in vars(owner)):
        if getattr(inspect.getattr_static(suite, name), "is_condition", False):
            yield name, getattr(suite, name)


def _try(suite: Any, condition: Condition, dtype: str | None, of: Sequence[str], at_start: bool) -> None:
    __tracebackhide__ = True
    compiled, is_traced = suite.compile(functools.partial(condition, suite)), True
    for seed in range(SEEDS):
        is_moved = seed == SEEDS - 1 and not at_start
        where = example_name(dtype, seed) + MOVED * is_moved
        example_of = functools.partial(_example, suite, dtype, of=of, is_moved=is_moved)
        fine = True
        if is_traced:
            try:
                with example_of(seed) as (instance, arguments):
                    fine = bool(compiled(instance, *arguments))
            except ANY_ERROR:  # it branches on values, or leaves jax
                is_traced = False
        is_first = seed == 0 and dtype is None
        if is_first or not (is_traced and fine):
            with example_of(seed) as example:
                _demand(suite, condition, example, where)
        if not fine:
            message = f"{_said(condition)} does not hold under jax.jit, with {where}"
            raise NotTrue(f"{message}\n  called eagerly it does")


@contextlib.contextmanager
def _example(
    suite: Any, dtype: str | None, seed: int, of: Sequence[str], is_moved: bool
) -> Generator[Example]:
    """Yield an instance, with the arguments of the call or of methods."""
    usual = real_dtype("float")
    functions = {**{method.name: method.arguments for method in suite.methods}, "call": suite.arguments}
    arguments = tuple(function for name in of for function in functions[name](seed))
    with example_in(suite, dtype, seed) as (instance, _):
        instance = suite.as_trained(instance) if is_moved else instance
        yield instance, arguments if dtype is None else cast(arguments, usual, dtype)


def _demand(suite: Any, condition: Condition, example: Example, where: str) -> None:
    __tracebackhide__ = True
    instance, arguments = example
    try:
        with recording_differences() as differences:
            is_true = bool(condition(suite, instance, *arguments))
    except ANY_ERROR as error:
        error.add_note(f"while {_said(condition)} was tried with {where}")
        if hint := hint_of(suite, error):
            error.add_note(f"look for: {hint}")
        raise
    if not is_true:
        message = f"{_said(condition)} does not hold, with {where}"
        raise NotTrue("\n  ".join([message, *dict.fromkeys(differences)]))


def _said(condition: Condition) -> str:
    """Return the source of what a condition returns, or else its name."""
    nodes = nodes_of(condition)
    if not nodes:
        return f"`{condition.__name__}`"
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    written = [ast.unparse(value) for value in returned if value is not None]
    return f"`{written[-1].replace('self.close(', 'close(')}`" if written else ""
