"""Modules with `equinox.nn.State` as subjects of laws."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..declare.leaf_spec import Leaf
from ..inspect.classes import is_state
from ..report import check
from .pytree import PytreeSuite

RETURN = "end the call with `return result, state`, on every path"


class StateSuite(PytreeSuite):
    """A suite of a Module with state: the declared states, and how they advance."""

    has_state_beside = True
    states: ClassVar[Sequence[Leaf]] = ()  # the declared states, in order

    def state(self, seed: int) -> Any:
        """Return the initial state of the instance that `make` builds from this seed."""
        raise NotImplementedError("say how the state is made: def state(self, seed)")

    def place(self, arguments: Sequence[Any]) -> int:
        """Return the position of the state among the arguments of the call."""
        places = [i for i, argument in enumerate(arguments) if is_state(argument)]
        message = f"{len(places)} of the example arguments are an eqx.nn.State"
        check(len(places) == 1, "arguments", message, "declare one in `arguments`")
        return places[0]

    def carried_argument(self) -> tuple[int | None, Any]:
        return self.place(self.arguments(0)), self.state(0)

    def advance(self, instance: Any, arguments: Sequence[Any]) -> tuple[Any, Any]:
        """Call the instance, and return its outputs without the state, and the next state."""
        result = self.apply(instance, *arguments)
        parts = result if isinstance(result, tuple) else (result,)
        last = is_state(parts[-1]) if parts else False
        check(last, "call", f"it returns {type(result).__name__}, and no state as its last part", RETURN)
        return parts[:-1], parts[-1]

    def after(self, seed: int, steps: int = 1) -> Any:
        """Return the state after some calls."""
        instance, arguments = self.make(seed), list(self.arguments(seed))
        place = self.place(arguments)
        for _ in range(steps):
            _, arguments[place] = self.advance(instance, arguments)
        return arguments[place]
