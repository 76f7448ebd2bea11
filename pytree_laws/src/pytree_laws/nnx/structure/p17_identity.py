"""P17 for NNX modules: the treedef names the class."""

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.trees import clone_as, one_level, structure
from ...report import Law, check
from ..subject.suite import NnxSuite
from ..subject.variables import twin_class

LAW = Law(
    number="P17",
    name="identity",
    statement="The treedef differs from that of a twin class with the same attributes.",
    mistake="The class was registered by hand in a way that does not record it.",
    fix="Subclass nnx.Module and let Flax register it.",
)


@guard
class NnxIdentity(NnxSuite):
    """P17 for NNX modules."""

    def test_p17_the_treedef_names_the_class(self) -> None:
        instance = self.cached_instance()
        if one_level(instance) is None:
            not_applicable("the class is no pytree")
        cls = type(instance)
        twin = clone_as(twin_class(cls), instance)
        message = "a twin class with the same attributes has an equal treedef"
        same = structure(twin) == structure(instance)
        check(not same, cls.__name__, message)
