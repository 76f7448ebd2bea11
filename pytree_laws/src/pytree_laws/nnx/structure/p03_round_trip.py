"""P3 for NNX modules: split and merge."""

import jax

from ...engine.runner import guard
from ...inspect.trees import one_level
from ...report import Law
from ..subject.suite import NnxSuite
from ..subject.variables import check_copy, copy_of, values_of

LAW = Law(
    number="P3",
    name="round trip",
    statement="nnx.split and nnx.merge, and flatten and unflatten of jax, keep the type, every attribute and every Variable.",
    mistake="A method that Flax flattens or rebuilds modules with is replaced, or `__setattr__` keeps values elsewhere.",
    fix="Keep every value as an attribute of the module, and leave flattening to Flax.",
)


@guard
class NnxRoundTrip(NnxSuite):
    """P3 for NNX modules."""

    def test_p03_split_and_merge_keep_everything(self) -> None:
        instance = self.cached_instance()
        hint = "a method of one's own that Flax flattens or rebuilds modules with"
        check_copy(instance, copy_of(instance), "nnx.split and nnx.merge", hint)
        leaves = len(jax.tree.leaves(instance)), len(values_of(instance))
        # Else it was made with pytree=False, or holds a Variable twice.
        if one_level(instance) is not None and leaves[0] == leaves[1]:
            rebuilt = jax.tree.map(lambda leaf: leaf, instance)
            check_copy(instance, rebuilt, "flatten and unflatten", hint)
