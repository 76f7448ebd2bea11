"""The laws of closures: what a function with captured arrays must hold besides the pytree laws.

Subclass `ClosureLaws` like `PytreeLaws`. `call` passes the arguments by position. `inputs` contains an
`example`, which is the tuple of arguments that fixes their structure.
"""

from typing import Any

from .engine.registry import with_tests_of
from .laws import PytreeLaws
from .laws.of_kinds import closure


@with_tests_of(closure.CHECKS)
class ClosureLaws(PytreeLaws):
    """The suite of a closure. Subclass it with a name that starts with `Test`."""

    held_besides = ("structure",)  # of the example

    def computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        return False  # its example fixes the dtype; a law of closures casts that too
