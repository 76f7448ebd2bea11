"""Suites of specimens that keep their state in `equinox.nn.State`."""

from typing import Any

import equinox as eqx
from right.specimens import sample

from pytree_laws.state import StateLaws


class MadeWithState(StateLaws):
    """Builds `cls.create` with its state, and calls it with an array of three numbers."""

    cls: Any = None

    def made(self, inputs):
        return eqx.nn.make_with_state(self.cls.create)(**inputs)

    def build(self, **inputs):
        return self.made(inputs)[0]

    def state(self, seed):
        return self.made(self.inputs(seed))[1]

    def arguments(self, seed):
        return sample(seed + 3, (3,)), self.state(seed)
