"""P8 and P5, of what a method is declared to use: its result follows each leaf and each static value of that."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax.numpy as jnp

from ...declare.methods import SELF, Method
from ...discover.method_programs import compiled_methods, pushed, traceable, usable_methods, way
from ...discover.method_uses import computed_text, example_use, trace_use
from ...engine.applicability import Condition
from ...engine.registry import Checks
from ...inspect.arrays import is_inexact
from ...inspect.static_values import alternatives_at
from ...inspect.trees import structure
from ...kinds.suite import Suite
from ...report import ANY_ERROR, check
from ...values.edge_values import FAR as FAR_ARGUMENTS
from ...values.randomize import perturb_leaf
from ..transforms.p08_never_stale import differ

CHECKS = Checks()

USES = Condition(
    "no method is declared to use anything",
    lambda suite: any(method.used for method in suite.methods),
    "methods",
)
SEEDS = 4
STEPS = 3
COUNTS = 8
"""How far a count is moved at most: a draw by its number may be the same for some."""
FAR = 20.0
"""How far a leaf is moved at most: what is drawn or compared with it may not show a small step."""


@CHECKS.register(USES, rests_on=("test_p07_methods_give",))
def test_p08_methods_follow_the_leaves_that_they_use(subject: Suite) -> None:
    methods, leaves = traceable(subject), subject.named(subject.cached_instance())
    pending = {(m.name, path) for m in methods for path in m.used if below(leaves, path)}
    for seed in range(SEEDS if pending else 0):
        pending -= _seen(subject, methods, pending, seed)
    for change in FAR_ARGUMENTS.values() if pending else ():
        with contextlib.suppress(*ANY_ERROR):  # a value that a method refuses
            pending -= _seen(subject, methods, pending, 0, change)
    for later in _later(subject) if pending else ():
        with contextlib.suppress(*ANY_ERROR):  # there may be room for so many alone
            pending -= _seen(subject, methods, pending, 0, later=later)
    for name in sorted({name for name, _ in pending})[:1]:
        paths = sorted(path for method, path in pending if method == name)
        listed = " or ".join(f"`{path}`" for path in paths)
        message = f"an edit of {listed}, declared as used by it, changes nothing that it gives"
        hint = " or ".join(f"`self.{path}`" for path in paths) + " is left out, multiplied by zero, or masked"
        check(False, name, message, f"{hint} away")


def _seen(
    subject: Suite,
    methods: tuple[Method, ...],
    pending: set[tuple[str, str]],
    seed: int,
    change: Callable[[Any], Any] = lambda pair: pair,
    later: Any = None,
) -> set[tuple[str, str]]:
    """The methods and paths of which an edit shows, at one point; what is given is changed as a pair with the instance."""
    run, (start, _) = compiled_methods(subject), subject.at_point(seed)
    instance = start if later is None else later
    _, arguments = change((instance, [method.arguments(seed) for method in methods]))
    seen = set[tuple[str, str]]()
    before = run(instance, arguments)
    paths = sorted({path for _, path in pending})
    edits = ((path, edited) for path in paths for edited in _edited(subject, instance, path, seed))
    for path, edited in edits:
        for method, old, new in zip(methods, before, run(edited, arguments), strict=True):
            if (method.name, path) in pending - seen and _differ(subject, old, new):
                seen.add((method.name, path))
    return seen


def _later(subject: Suite) -> Iterator[Any]:
    """The instances after each step of a method that gives the next one: what begins empty holds something then."""
    for method in (each for each in usable_methods(subject) if each.carry == SELF):
        with contextlib.suppress(*ANY_ERROR):
            instance = subject.at_point(0)[0]
            for seed in range(STEPS):
                yield (instance := subject.next_instance(method, instance, method.arguments(seed)))


def below(leaves: Iterable[str], path: str) -> list[str]:
    """The leaves at a path, or below it."""
    return [name for name in leaves if f"{name}.".startswith(f"{path}.")]


def _edited(subject: Suite, instance: Any, path: str, seed: int) -> Iterator[Any]:
    """The instance with other values at a path, of all leaves there together."""
    leaves = subject.named(instance)
    names = below(leaves, path)
    for values in zip(*(_others(leaves[name], seed) for name in names)):
        edited = instance
        for name, value in zip(names, values):
            edited = subject.with_array(edited, name, value)
        yield edited


def _others(leaf: Any, seed: int) -> Iterator[Any]:
    """Other values of a leaf: near it, and far away with the elements apart from each other, as chances must be."""
    yield perturb_leaf(leaf)
    yield perturb_leaf(leaf, -1)
    if jnp.issubdtype(leaf.dtype, jnp.integer):
        yield from (leaf + count for count in range(2, COUNTS))
    if is_inexact(leaf):
        yield pushed(leaf, FAR, way(leaf, seed))
        yield pushed(leaf, -FAR, way(leaf, seed))


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
    """What a method computes, as text; empty where it refuses the instance."""
    trace = trace_use(subject, example_use(method, instance))
    return "" if trace is None else computed_text(trace)
