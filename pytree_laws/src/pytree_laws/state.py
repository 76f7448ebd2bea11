"""The laws of state: what a Module with an `equinox.nn.State` must hold besides the pytree laws.

Subclass `StateLaws` like `PytreeLaws`. `build` returns the model without its initial state, and
`state` returns that state. The example arguments of the call contain the state:

    class TestCounter(StateLaws):
        states = (Leaf("count", "state", (), "int32"),)

        def build(self, **inputs):
            return eqx.nn.make_with_state(Counter.create)(**inputs)[0]

        def state(self, seed):
            return eqx.nn.make_with_state(Counter.create)(**self.inputs(seed))[1]

        def arguments(self, seed):
            return sample(seed, (3,)), self.state(seed)

        def call(self, instance, *arguments):
            x, state = arguments
            return instance(x, state)
"""

from .engine.registry import with_tests_of
from .kinds.state import StateSuite
from .laws import PytreeLaws
from .laws.of_kinds import state


@with_tests_of(state.CHECKS)
class StateLaws(StateSuite, PytreeLaws):
    """The suite of a Module with state. Subclass it with a name that starts with `Test`."""
