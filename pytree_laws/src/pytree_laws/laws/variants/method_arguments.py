"""P8, of what methods are given: in some use a result or an update depends on each argument."""

from typing import Any

import jax
import jax.numpy as jnp

from ...declare.methods import Method
from ...discover.evaluation import is_of_a_base, on_purpose
from ...discover.method_programs import traced_methods
from ...discover.method_uses import Use, invocation_of, trace_use
from ...discover.traced_uses import TracedUse, traced_uses
from ...engine.applicability import ARRAYS_DECLARED, METHODS
from ...engine.registry import Checks
from ...inspect.arrays import is_array
from ...inspect.trees import named_arrays
from ...kinds.suite import Suite
from ...report import ADVICE, check
from ...trace.dependencies import inputs_reaching

CHECKS = Checks()


@CHECKS.register(ARRAYS_DECLARED, METHODS, severity=ADVICE)
def test_p08_every_argument_of_a_method_matters(subject: Suite) -> None:
    message = "the method takes it, and nothing that it gives or updates depends on it"
    for method in traced_methods(subject, declared=True):
        every = traced_uses(subject)[method.name]
        unused = {} if is_of_a_base(subject, method.name) else _arguments(subject, method, every[0].use)
        for use, trace, _ in every:
            reached = _reached(use.given, trace)
            unused = {name: place for name, place in unused.items() if not {name, place} & reached}
        names = [name for name, place in unused.items() if not _gives_its_form(subject, every[0], place)]
        hint = on_purpose([f"{method.name}.{name}" for name in names])
        check(not names, f"{method.name}({', '.join(names)})", message, hint)


def _arguments(subject: Suite, method: Method, use: Use) -> dict[str, str]:
    """The names of arguments that are arrays, or tuples of them, with their positions in the example; of a state nothing need matter."""
    invocation = invocation_of(method, use)
    if invocation is None:
        return {}
    places = {id(value): str(i) for i, value in enumerate(use.given) if _is_of_arrays(value)}
    pairs = ((name, places.get(id(value), "")) for name, value in invocation.given.items())
    known = (*subject.ignored, *(name.removeprefix(f"{method.name}.") for name in subject.ignored))
    return {name: place for name, place in pairs if place and name not in known and name[0] != "_"}


def _reached(given: Any, trace: Any) -> set[str]:
    """The positions, or names, of the arguments that a use depends on: of all where it cannot be traced."""
    names = [path.partition(".")[0] for path, _ in named_arrays(given)]
    if trace is None:
        return set(names)
    marks = inputs_reaching(trace.jaxpr.jaxpr)
    return {name for name, mark in zip(reversed(names), reversed(marks)) if mark}


def _gives_its_form(subject: Suite, example: TracedUse, place: str) -> bool:
    """Whether arrays of other shapes are computed where an argument is shorter, or the method then raises."""
    use, trace = example.use, example.trace
    given = list(use.given)
    given[int(place)] = jax.tree.map(lambda leaf: leaf[:1] if jnp.ndim(leaf) else leaf, given[int(place)])
    other = trace_use(subject, use._replace(given=tuple(given)))
    return other is None or trace is None or _shapes(other) != _shapes(trace)


def _is_of_arrays(value: Any) -> bool:
    """Whether it is an array, or a tuple that holds nothing else, named or not."""
    return is_array(value) or (isinstance(value, tuple) and bool(value) and all(map(_is_of_arrays, value)))


def _shapes(trace: Any) -> list[Any]:
    """The shapes and dtypes of all that is computed on the way."""
    return [v.aval for equation in trace.jaxpr.jaxpr.eqns for v in equation.outvars]
