"""P17: the treedef names the class."""

from collections.abc import Iterator
from typing import Any, Protocol

from ...engine.registry import Checks
from ...inspect.trees import structure
from ...report import Law, check

LAW = Law(
    number="P17",
    name="identity",
    statement="The treedef differs from that of a twin class with the same fields.",
    protects="Two classes that jax takes for one: `register_dataclass` makes treedefs that are equal for all classes with the same fields, so that `lax.cond` accepts an instance of one for the other, and `jax.jit` may run the program that was compiled for the other class.",
    mistake="register_dataclass (flax.struct too) does not record the class in the treedef, so jit and scan mix two such classes up.",
    fix="Use register_pytree_with_keys, or an Equinox Module.",
    # It is how jax compares such nodes, and no choice of the class.
    severity="advice",
    rests_on=("test_p03_round_trip",),
)
CHECKS = Checks(LAW)


class HasTwins(Protocol):
    """A subject that can make a second class with the same fields."""

    def cached_instance(self, seed: int = 0) -> Any: ...

    def twins(self, instance: Any) -> Iterator[Any]:
        """Yield instances of second classes with the leaves of `instance`."""
        ...


@CHECKS.register()
def test_p17_the_treedef_names_the_class(subject: HasTwins) -> None:
    instance = subject.cached_instance()
    for twin in subject.twins(instance):
        same = structure(twin) == structure(instance)
        check(not same, type(instance).__name__, "a twin class with the same fields has an equal treedef")
