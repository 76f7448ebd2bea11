"""What the laws of methods share: how suites of each kind open, copy and compare an instance."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..declare.methods import Method, has_members
from ..engine.applicability import Condition, class_of, declared_class, not_applicable
from ..inspect.references import snapshot
from ..inspect.trees import new_carry
from ..values.closeness import settle
from ..values.precision import tolerated
from .base import Suite
from .method_programs import only_of_methods, traceable, usable

NO_METHOD = "there is no method beside the call"
MEMBERS = Condition(
    NO_METHOD,
    lambda suite: bool(suite.methods) or has_members(class_of(suite)),
    "methods",
    lambda suite: bool(suite.methods) or declared_class(suite) is not None,
)


class MethodSuite(Suite):
    """A suite whose laws use the methods of its class."""

    def to_arrays(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        """What a transformation can take, and the way back from it to an instance."""
        raise NotImplementedError

    def copied(self, instance: Any) -> Any:
        """The instance, or a copy where a method may change it in place."""
        return instance

    def changed_in_place(self, instance: Any) -> Any:
        """What a method may have changed in place."""
        return []

    def remembered(self, instance: Any) -> Any:
        """What no method may change, to compare with ==."""
        return snapshot(instance, identity=True)

    def flowing_values(self, instance: Any) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]:
        """The floats that gradients flow through, by path, and the way back from such."""
        raise NotImplementedError

    def buffer_values(self, instance: Any) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]:
        """The floats to which no gradient may flow, by path, and the way back from such."""
        return {}, lambda values: instance

    def next_instance(self, method: Method, instance: Any, arguments: Any) -> Any:
        """The instance that a method gives which carries it."""
        return new_carry(method.use(instance, *arguments), instance)

    def is_unused(self, path: str) -> bool:
        """Whether nothing of the call has to show what a leaf holds: a method may be what reads it."""
        above: Any = super()
        return above.is_unused(path) or path in only_of_methods(self)

    def usable_methods(self, declared: bool = False) -> list[Method]:
        """The methods that the example does not break; skips where there are none."""
        self._be_as_exact_as_the_call()
        return _some(usable(self), declared)

    def traced_methods(self, declared: bool = False) -> list[Method]:
        """The methods that can be traced; skips where there are none."""
        self._be_as_exact_as_the_call()
        return _some(traceable(self), declared)

    def _be_as_exact_as_the_call(self) -> None:
        if not self.strict:  # or the call may never end, which is no matter of its methods
            settle(lambda: tolerated(self))


def _some(methods: tuple[Method, ...], declared: bool) -> list[Method]:
    result = [method for method in methods if not (declared and method.found)]
    if not result:
        not_applicable(NO_METHOD)
    return result


def names_of(methods: Sequence[Method]) -> str:
    """The names of methods, for a message about all of them."""
    return ", ".join(method.name for method in methods)
