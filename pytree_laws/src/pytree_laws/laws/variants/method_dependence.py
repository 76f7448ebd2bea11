"""P8 and P5, of methods: results depend on each argument, leaf and static value declared as used."""

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from ...declare.methods import SELF, Method
from ...discover.evaluation import is_of_a_base, on_purpose
from ...discover.method_programs import (
    compiled_methods,
    program_of,
    pushed,
    traceable,
    traced_methods,
    usable_methods,
    way,
)
from ...discover.method_uses import Use, computed_text, example_use, invocation_of, trace_use
from ...discover.traced_uses import TracedUse, traced_uses
from ...engine.applicability import ARRAYS_DECLARED, METHODS, of_methods
from ...engine.registry import Checks
from ...inspect.arrays import is_array, is_inexact
from ...inspect.static_values import alternatives_at
from ...inspect.trees import arrays_of, named_arrays, structure
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, check, or_else
from ...trace.dependencies import inputs_reaching
from ...trace.equation_steps import cancels
from ...values.edge_values import FAR as FAR_ARGUMENTS
from ...values.edge_values import equalized
from ...values.randomize import perturb_leaf
from ..transforms.p08_never_stale import differ

CHECKS = Checks()

USES = of_methods("no method is declared to use anything", lambda method: method.used, "methods")
SEEDS = 4
STEPS = 3
COUNTS = 8
"""Bound on the steps of a count, since a draw by its number may be the same for some counts."""
FAR = 20.0
"""Largest move of a leaf, since a draw or a comparison may hide a small step."""


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
    """Return the arguments that are arrays or tuples of them, with their positions in the example.

    A state need not matter, and is left out.
    """
    invocation = invocation_of(method, use)
    if invocation is None:
        return {}
    places = {id(value): str(i) for i, value in enumerate(use.given) if _is_of_arrays(value)}
    pairs = ((name, places.get(id(value), "")) for name, value in invocation.given.items())
    known = (*subject.ignored, *(name.removeprefix(f"{method.name}.") for name in subject.ignored))
    return {name: place for name, place in pairs if place and name not in known and name[0] != "_"}


def _reached(given: Any, trace: Any) -> set[str]:
    """Return positions or names of the arguments that a use depends on, or all of them without a trace."""
    names = [path.partition(".")[0] for path, _ in named_arrays(given)]
    if trace is None:
        return set(names)
    marks = inputs_reaching(trace.jaxpr.jaxpr)
    return {name for name, mark in zip(reversed(names), reversed(marks)) if mark}


def _gives_its_form(subject: Suite, example: TracedUse, place: str) -> bool:
    """Whether a shorter argument changes the shapes within a method, or makes the method raise."""
    use, trace = example.use, example.trace
    given = list(use.given)
    given[int(place)] = jax.tree.map(lambda leaf: leaf[:1] if jnp.ndim(leaf) else leaf, given[int(place)])
    other = trace_use(subject, use._replace(given=tuple(given)))
    return other is None or trace is None or _shapes(other) != _shapes(trace)


def _is_of_arrays(value: Any) -> bool:
    """Whether a value is an array, or a tuple that holds arrays alone, named or not."""
    return is_array(value) or (isinstance(value, tuple) and bool(value) and all(map(_is_of_arrays, value)))


def _shapes(trace: Any) -> list[Any]:
    """Return shape and dtype of each intermediate value."""
    return [v.aval for equation in trace.jaxpr.jaxpr.eqns for v in equation.outvars]


@CHECKS.register(USES, rests_on=("test_p07_methods_give",))
def test_p08_methods_follow_the_leaves_that_they_use(subject: Suite) -> None:
    methods, leaves = traceable(subject), subject.named(subject.cached_instance())
    pending = {(m.name, path) for m in methods for path in m.used if below(leaves, path)}
    for seed in range(SEEDS if pending else 0):
        pending -= _seen(subject, methods, pending, seed)
    for change in (*FAR_ARGUMENTS.values(), _equal) if pending else ():
        with contextlib.suppress(*ANY_ERROR):  # a value that a method refuses
            pending -= _seen(subject, methods, pending, 0, change)
    for later in _later(subject) if pending else ():
        with contextlib.suppress(*ANY_ERROR):  # there may be room for so many alone
            pending -= _seen(subject, methods, pending, 0, later=later)
    pending -= {pair for pair in pending if _cancels(subject, *pair)}
    for name in sorted({name for name, _ in pending})[:1]:
        paths = sorted(path for method, path in pending if method == name)
        listed = " or ".join(f"`{path}`" for path in paths)
        message = f"an edit of {listed}, declared as used by it, changes nothing that it gives"
        hint = " or ".join(f"`self.{path}`" for path in paths) + " is left out, multiplied by zero, or masked"
        check(False, name, message, f"{hint} away")


@or_else(False)
def _cancels(subject: Suite, name: str, path: str) -> bool:
    """Whether a method computes with a leaf, but an edit cancels out on the way.

    A scale does so in shares of a sum.
    """
    method = {method.name: method for method in traceable(subject)}[name]
    instance = subject.at_point(0)[0]
    run, given = program_of(subject, method, instance, method.arguments(0))
    closed, before = jax.make_jaxpr(run)(*given), jax.tree.leaves(given)
    edited = [*_edited(subject, instance, path, 0)]
    others = [jax.tree.leaves(program_of(subject, method, each, method.arguments(0))[1]) for each in edited]
    return any(cancels(closed, before, after, functools.partial(differ, subject)) for after in others)


def _seen(
    subject: Suite,
    methods: tuple[Method, ...],
    pending: set[tuple[str, str]],
    seed: int,
    change: Callable[[Any], Any] = lambda pair: pair,
    later: Any = None,
) -> set[tuple[str, str]]:
    """Return the methods and paths for which an edit shows at one point.

    `change` maps the pair of the instance and all arguments.
    """
    run, (start, _) = compiled_methods(subject), subject.at_point(seed)
    instance = start if later is None else later
    _, arguments = change((instance, [method.arguments(seed) for method in methods]))
    seen = set[tuple[str, str]]()
    before = run(instance, arguments)
    paths = sorted({path for _, path in pending})
    edits = ((path, edited) for path in paths for edited in _edited(subject, instance, path, seed))
    for path, edited in edits:
        for method, old, new in zip(methods, before, run(edited, arguments), strict=True):
            if (method.name, path) in pending - seen and (_shows_nothing(old) or _differ(subject, old, new)):
                seen.add((method.name, path))
    return seen


def _equal(pair: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
    """Set arguments of one form equal, for each method by itself."""
    return pair[0], [*map(equalized, pair[1])]


def _later(subject: Suite) -> Iterator[Any]:
    """Yield instances after steps of methods, and instances far from zero.

    What begins empty holds something then.
    """
    for method in (each for each in usable_methods(subject) if each.carry == SELF):
        with contextlib.suppress(*ANY_ERROR):
            instance = subject.at_point(0)[0]
            for seed in range(STEPS):
                yield (instance := subject.next_instance(method, instance, method.arguments(seed)))
    with contextlib.suppress(*ANY_ERROR):
        yield (far := _far_from_zero(subject))
        yield subject.counted(far)


def _far_from_zero(subject: Suite) -> Any:
    """Return an instance with larger floats, such as the count that a variance divides by."""
    instance = subject.cached_instance()
    for name, leaf in subject.named(instance).items():
        if is_inexact(leaf):
            instance = subject.with_array(instance, name, leaf + jnp.asarray(FAR, leaf.dtype))
    return instance


def below(leaves: Iterable[str], path: str) -> list[str]:
    """Return the leaves at a path, or below it."""
    return [name for name in leaves if f"{name}.".startswith(f"{path}.")]


def _edited(subject: Suite, instance: Any, path: str, seed: int) -> Iterator[Any]:
    """Yield instances with other values in all leaves at a path."""
    leaves = subject.named(instance)
    names = below(leaves, path)
    for values in zip(*(_others(leaves[name], seed) for name in names)):
        edited = instance
        for name, value in zip(names, values):
            edited = subject.with_array(edited, name, value)
        yield edited


def _others(leaf: Any, seed: int) -> Iterator[Any]:
    """Yield other values of a leaf: near it, and far away with the elements apart from each other.

    Probabilities show an edit only if they differ.
    """
    yield perturb_leaf(leaf)
    yield perturb_leaf(leaf, -1)
    if jnp.issubdtype(leaf.dtype, jnp.integer):
        yield from (leaf + count for count in range(2, COUNTS))
    if is_inexact(leaf):
        yield pushed(leaf, FAR, way(leaf, seed))
        yield pushed(leaf, -FAR, way(leaf, seed))


def _shows_nothing(result: list[Any]) -> bool:
    """Whether no float of a result is finite.

    An edit cannot show then, and another law reports the result.
    """
    floats = [leaf for leaf in arrays_of(result) if is_inexact(leaf)]
    return bool(floats) and not any(jnp.isfinite(leaf).any() for leaf in floats)


def _differ(subject: Suite, before: list[Any], after: list[Any]) -> bool:
    same_form = structure(before) == structure(after)
    return not same_form or before[0] != after[0] or differ(subject, before[1:], after[1:])


@CHECKS.register(USES)
def test_p05_methods_follow_the_static_values_that_they_use(subject: Suite) -> None:
    instance, leaves = subject.cached_instance(), subject.named(subject.cached_instance())
    for method in traceable(subject):
        for path in (path for path in method.used if not below(leaves, path)):
            others = alternatives_at(instance, path)
            before = _text(subject, method, instance)
            texts = (_text(subject, method, subject.with_static(instance, path, other)) for other in others)
            message = f"`{path}` is declared as used by it, and it does the same for {others}"
            seen = any(text != before for text in texts) or not others
            check(seen, method.name, message, f"a constant where `self.{path}` belongs")


def _text(subject: Suite, method: Method, instance: Any) -> str:
    """Return as text what a method computes, or an empty text for an instance that the method refuses."""
    trace = trace_use(subject, example_use(method, instance))
    return "" if trace is None else computed_text(trace)
