"""P18: the platform that the tests run on, and further platforms that the class compiles for."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import pytest

from ...engine.applicability import PLATFORMS
from ...engine.registry import Checks
from ...kinds.suite import Suite
from ...report import Law, check
from ...trace.platforms import committed, holds_placement, is_placement, lowering_fault

LAW = Law(
    number="P18",
    name="backend",
    statement="The tests run on the platform that was asked for and on no other; the class commits nothing to a device; the call and its gradient lower for every platform in `lower_for`.",
    protects="Tests that silently fall back to the CPU when a GPU was expected, and arrays committed to one device, which cannot be combined with arrays elsewhere.",
    mistake="jax fell back to the CPU, an array was put on a device by name, or the call uses a primitive that a platform lacks.",
    fix="Let the caller place arrays (no `device_put` in the class), and use primitives that every target has.",
)
CHECKS = Checks(LAW)


def check_lowers(subject: Suite, where: str, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
    """Check that a function lowers for each platform of `lower_for`."""
    faults = [lowering_fault(function, name, *arguments) for name in subject.lower_for]
    check(not any(faults), where, "; ".join(filter(None, faults)))


@CHECKS.register()
def test_p18_nothing_is_committed_to_a_device(subject: Suite) -> None:
    instance = subject.make(0)
    arguments = subject.arguments(0) if subject.called() else ()
    examples = subject.inputs(0), arguments
    if committed(examples) or any(map(is_placement, jax.tree.leaves(examples))):
        pytest.skip("the examples are committed to a device, or name one")
    message = "is committed to a device, so that no caller can place it elsewhere"
    for name in committed(subject.named(instance)):
        check(False, name, message)
    if subject.called() and not holds_placement(instance):
        for name in committed(subject.call(instance, *arguments)):
            check(False, f"output {name}", message)


@CHECKS.register(PLATFORMS)
def test_p18_the_call_lowers_for_every_platform(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    call, value = subject.pure_call(instance)
    check_lowers(subject, "call", call, (value, *arguments))


@CHECKS.register(PLATFORMS)
def test_p18_the_gradient_lowers_for_every_platform(subject: Suite) -> None:
    check_lowers(subject, "gradient of the call", *subject.gradient_program())
