"""P6: one trace for a configuration."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from ...discover.invocation import build_with
from ...engine.applicability import OTHER, not_applicable
from ...engine.registry import Checks
from ...kinds.suite import Suite
from ...report import ANY_ERROR, Law, check, doing
from ...values.closeness import check_close
from ..structure.p05_static import weak_of_the_caller

LAW = Law(
    number="P6",
    name="one trace",
    statement="One trace serves all instances of a configuration, also after a round trip and a training step; another configuration is traced anew, and a call compiles nothing anew.",
    protects="Needless compilation: instances built alike, or the result of a training step, differ in tree structure, dtype or weak type, so `jax.jit` silently traces again.",
    mistake="A static value is new in each instance, or a leaf changes its dtype, weak type or Python type along the way.",
    fix="Make static values equal by value, keep dtypes fixed in updates, and keep settings in the treedef.",
    severity="cost",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p05_no_leaf"),
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_p06_one_trace_serves_all_instances(subject: Suite) -> None:
    first, arguments = subject.cached_instance(), subject.arguments(0)
    for compiled in subject.compiled_ways():
        before = None
        for label, instance in instances_of_one_configuration(subject):
            with doing(label, "the compiled call"):
                compiled(instance, *subject.arguments(0))
            traces = compiled.traces_of(arguments)
            before = traces if before is None else before
            message = f"under {compiled.name} {label} was traced anew, though the configuration is the same"
            check(traces == before, type(first).__name__, message)


def instances_of_one_configuration(subject: Suite) -> Iterator[tuple[str, Any]]:
    noun = subject.instance_noun
    article = "an" if noun[0] in "aeiou" else "a"
    yield f"the first {noun}", subject.cached_instance()
    yield f"a second {noun}", subject.cached_instance(1)
    yield "a round trip", subject.spare()
    if subject.is_mutable and subject.called():
        called = subject.make(0)
        subject.call(called, *subject.arguments(0))
        yield f"{article} {noun} after a call", called
    if weak_of_the_caller(subject):
        return  # a step makes the type of these a fixed one
    try:
        trained, _ = subject.training_example()
    except pytest.skip.Exception:
        return
    yield f"{article} {noun} after a training step", subject.stepped(trained)


@CHECKS.register(OTHER)
def test_p06_another_configuration_is_traced_anew(subject: Suite) -> None:
    other = subject.elsewhere(build_with(subject, subject.other or {}))
    instance, arguments = subject.cached_instance(), subject.arguments(0)
    name = f"{type(instance).__name__} with {subject.other}"
    are_sizes = all(type(value) is int for value in (subject.other or {}).values())
    differs = subject.form_of(other) != subject.form_of(instance)
    if subject.has_state_beside and are_sizes and not differs:
        reason = "may have a state of another size, which tells it from the first configuration"
        not_applicable(f"{name} {reason}")
    nouns = f"neither its {subject.structure_noun} nor its {subject.nouns}"
    message = f"{nouns} tell it from the first configuration"
    check(differs, name, message, "a setting that is not stored as static")
    compiled = subject.compiled_ways()[0]
    compiled.shapes(instance, *arguments)
    before = compiled.traces_of(arguments)
    with contextlib.suppress(Exception):  # the arguments need not fit it
        compiled.shapes(other, *arguments)
    message = "a compiled call takes it for an instance of the first configuration"
    check(compiled.traces_of(arguments) > before, name, message)
    if subject.is_mutable:
        check_other(subject, other, name)


def check_other(subject: Suite, other: Any, name: str) -> None:
    """Check that an object of another configuration gives the same compiled and eagerly.

    Arguments that do not fit are passed over.
    """
    compiled, arguments = subject.compiled_ways()[0], subject.arguments(0)
    try:
        eager = subject.run(other, *arguments)
    except ANY_ERROR:
        return
    check_close(name, "compiled it gives {}, eager {}", compiled(other, *arguments), eager)
