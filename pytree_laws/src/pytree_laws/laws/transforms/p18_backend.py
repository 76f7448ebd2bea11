"""P18: where the tests run, and for what else the class compiles."""

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest

from ...engine.applicability import PLATFORMS, applies_where
from ...engine.runner import guard
from ...report import Law, check
from ...suites.base import Suite
from ...trace.platforms import BACKEND_VARIABLE, committed, lowering_fault, platform_fault

LAW = Law(
    number="P18",
    name="backend",
    statement="The tests run on the platform that was asked for and on no other; the class commits nothing to a device; the call and its gradient lower for every platform in `lower_for`.",
    protects="Tests that ran on the CPU in silence because no GPU was found, and arrays committed to one device that cannot be combined with others.",
    mistake="jax fell back to the CPU, an array was put on a device by name, or the call uses a primitive that a platform lacks.",
    fix="Let the caller place arrays (no `device_put` in the class), and use primitives that every target has.",
)


@guard
class Backend(Suite):
    """P18."""

    backend: ClassVar[str | None] = None  # None: wherever jax runs
    lower_for: ClassVar[Sequence[str]] = ()  # platforms, with or without the hardware
    refused: ClassVar[bool] = False  # True once it has been said that this is not `backend`

    @pytest.fixture(autouse=True)
    def on_the_platform_that_was_asked_for(self) -> None:
        """Refuses to run anywhere else, before any work; nothing falls back."""
        wanted = os.environ.get(BACKEND_VARIABLE) or self.backend
        fault = platform_fault(wanted) if wanted else None
        if fault is None:
            return
        message = f"P18 backend: the tests must run on {wanted}, and {fault}"
        if type(self).refused:
            pytest.skip(message)
        type(self).refused = True
        pytest.fail(
            f"{message}\n"
            f"  to run on {wanted}: install jax for it, and set JAX_PLATFORMS={wanted}\n"
            f"  to run elsewhere: set {BACKEND_VARIABLE} to cpu, cuda, rocm or tpu for this run,\n"
            "    or change `backend` in the test class",
            pytrace=False,
        )

    def check_lowers(self, where: str, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        """Says each platform of `lower_for` for which the function does not lower, and why."""
        found = [lowering_fault(function, name, *arguments) for name in self.lower_for]
        check(not any(found), where, "; ".join(filter(None, found)))

    def test_p18_nothing_is_committed_to_a_device(self) -> None:
        instance = self.make(0)
        arguments = self.arguments(0) if self.called() else ()
        if committed((self.inputs(0), arguments)):
            pytest.skip("the examples are committed to a device")
        message = "is committed to a device, so that no caller can place it elsewhere"
        for name in committed(self.named(instance)):
            check(False, name, message)
        output = self.call(instance, *arguments) if self.called() else ()
        for name in committed(output):
            check(False, f"output {name}", message)

    @applies_where(PLATFORMS)
    def test_p18_the_call_lowers_for_every_platform(self) -> None:
        self.check_lowers("call", *self.call_program())

    @applies_where(PLATFORMS)
    def test_p18_the_gradient_lowers_for_every_platform(self) -> None:
        self.check_lowers("gradient of the call", *self.gradient_program())
