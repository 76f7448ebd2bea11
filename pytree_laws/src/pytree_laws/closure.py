"""The laws of closures: what a function with captured arrays must hold besides the pytree laws.

Subclass `ClosureLaws` as one subclasses `PytreeLaws`: `call` passes the arguments by
position, and the inputs have an `example`, the tuple of arguments that fixes their structure.
"""

from typing import Any

from .engine.registry import with_tests_of
from .laws import PytreeLaws
from .laws.of_kinds import closure


@with_tests_of(closure.CHECKS)
class ClosureLaws(PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    held_besides = ("structure",)  # of the example

    def computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        return False  # its example fixes the dtype; a law of closures casts that too
