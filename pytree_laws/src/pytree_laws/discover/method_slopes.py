"""Gradients of the results of methods by their arguments, at the example and elsewhere."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ..declare.methods import Method
from ..inspect.arrays import is_inexact
from ..inspect.trees import arrays_of, named_arrays, replace_leaves
from ..session import once_per_session
from ..trace.dependencies import inputs_reaching, stopped_inputs
from ..trace.programs import jit_all
from ..values.optimisation import weighted_sum
from .method_programs import program_of, traceable, traces_of
from .method_uses import Traced, Use


class Slopes(NamedTuple):
    """The inexact arrays of a result, and gradients of their weighted sum by argument."""

    values: Sequence[Any]
    by_argument: dict[str, Any]


SlopesByMethod = dict[str, Slopes]


class SlopesAt(NamedTuple):
    """Slopes of all methods at their example arguments, at a constant, and at multiples of the example."""

    example: SlopesByMethod
    filled: Callable[[float], SlopesByMethod]
    scaled: Callable[[float], SlopesByMethod]


class _Program(NamedTuple):
    """A method and its slopes as a function of its inexact arguments."""

    method: str
    names: list[str]
    floats: list[Any]
    run: Callable[[Sequence[Any]], Any]


@once_per_session
def slopes_by_arguments(suite: Any) -> SlopesAt:
    """Return the slopes of declared methods by their arguments, all from one program."""
    declared = [method for method in traceable(suite) if not method.found]
    programs = [program for method in declared if (program := _program(suite, method)).floats]
    run = jit_all([program.run for program in programs])

    def at(point: Callable[[Any], Any]) -> SlopesByMethod:
        results = run([[[point(v) for v in program.floats]] for program in programs])
        pairs = [pair for pair in zip(programs, results) if not isinstance(pair[1], Exception)]
        return {
            program.method: Slopes(values, dict(zip(program.names, slopes)))
            for program, (values, slopes) in pairs
        }

    return SlopesAt(
        at(lambda value: value),
        lambda fill: at(lambda value: jnp.full_like(value, fill)),
        lambda factor: at(lambda value: (factor * value).astype(value.dtype)),
    )


def _program(suite: Any, method: Method) -> _Program:
    run, (value, arrays) = program_of(suite, method, suite.cached_instance(), method.arguments(0))
    named = [(i, *pair) for i, pair in enumerate(named_arrays(tuple(method.arguments(0))))]
    floats = [(i, name, array) for i, name, array in named if is_inexact(array)]

    def outputs(values: Sequence[Any]) -> list[Any]:
        inputs = replace_leaves(arrays, {i: v for (i, *_), v in zip(floats, values)})
        return [v for v in arrays_of(run(value, inputs)) if is_inexact(v)]

    def both(values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return outputs(values), jax.grad(lambda v: weighted_sum(outputs(v)))(values)

    return _Program(method.name, [name for _, name, _ in floats], [v for *_, v in floats], both)


def stopped_arguments(suite: Any, method: Method) -> list[str]:
    """List the paths of arguments that a method reads only behind `stop_gradient`."""
    return _stopped_last(suite, method.arguments(0), traces_of(suite)[method.name].jaxpr)


def stopped_in(suite: Any, use: Use, trace: Traced) -> list[str]:
    """List the paths of inexact arguments that a use of a method reads only behind `stop_gradient`."""
    floats = {name for name, leaf in named_arrays(tuple(use.given)) if is_inexact(leaf)}
    return [name for name in _stopped_last(suite, use.given, _of_result(trace)) if name in floats]


def _stopped_last(suite: Any, given: Sequence[Any], jaxpr: Any) -> list[str]:
    """List the paths of the last inputs of a program that it reads only behind `stop_gradient`.

    Buffers of instances are left out, since their role says so.
    """
    names = [name for name, _ in named_arrays(tuple(given))]
    marks = stopped_inputs(jaxpr)
    stopped = itertools.compress(names, marks[len(marks) - len(names) :])
    return [path for path in stopped if not _is_buffer(suite, given, path)]


def _is_buffer(suite: Any, given: Sequence[Any], path: str) -> bool:
    index, _, inner = path.partition(".")
    is_instance = isinstance(given[int(index)], type(suite.cached_instance()))
    return bool(inner) and is_instance and suite.role(inner) == "buffer"


def stopped_leaves(suite: Any, use: Use, trace: Traced) -> list[str]:
    """List the paths of leaves that a use of a method reads only behind `stop_gradient`."""
    return [*itertools.compress(suite.named(use.instance), stopped_inputs(_of_result(trace)))]


def leaves_with_gradient(suite: Any, use: Use, trace: Traced) -> list[str]:
    """List the paths of leaves that gradients of a method's result can reach."""
    marks = inputs_reaching(_of_result(trace), gradients=True)
    return [*itertools.compress(suite.named(use.instance), marks)]


def arguments_with_gradient(use: Use, trace: Traced) -> list[str]:
    """List the paths of inexact arguments that gradients of a method's result can reach."""
    named = named_arrays(tuple(use.given))
    marks = inputs_reaching(_of_result(trace), gradients=True)
    reached = itertools.compress(named, marks[len(marks) - len(named) :])
    return [name for name, leaf in reached if is_inexact(leaf)]


def _of_result(trace: Traced) -> Any:
    """Return the jaxpr of a use without its updates."""
    jaxpr = trace.jaxpr.jaxpr
    return jaxpr.replace(outvars=jaxpr.outvars[: len(jax.tree.leaves(trace.form[0]))])
