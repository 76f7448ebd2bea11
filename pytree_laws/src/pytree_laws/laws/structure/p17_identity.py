"""P17: the treedef names the class."""

from ...engine.runner import guard
from ...inspect.classes import twins
from ...inspect.trees import structure
from ...report import Law, check
from ...suites.pytree import PytreeSuite

LAW = Law(
    number="P17",
    name="identity",
    statement="The treedef differs from that of a twin class with the same fields.",
    mistake="register_dataclass (flax.struct too) does not record the class in the treedef, so jit and scan mix two such classes up.",
    fix="Use register_pytree_with_keys, or an Equinox Module.",
    rests_on=("test_p03_round_trip",),
)


@guard
class Identity(PytreeSuite):
    """P17."""

    def test_p17_the_treedef_names_the_class(self) -> None:
        instance = self.cached_instance()
        for twin in twins(instance):
            message = "a twin class with the same fields has an equal treedef"
            same = structure(twin) == structure(instance)
            check(not same, type(instance).__name__, message)
