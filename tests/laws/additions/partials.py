"""Functions with bound arguments, `jax.tree_util.Partial`, as subjects of laws."""

from typing import Any

from jax.tree_util import Partial

from additions import finite
from pytree_laws.engine.registry import with_tests_of
from pytree_laws.kinds.suite import Suite
from pytree_laws.laws.structure import p17_identity


@with_tests_of(p17_identity.CHECKS, finite.CHECKS)
class PartialLaws(Suite):
    """Laws of bound functions: `bound` is the function with its arguments."""

    bound: Partial

    def build(self, **inputs: Any) -> Partial:
        return type(self).bound

    def twins(self, instance: Partial) -> Any:
        """The same arguments, bound to another function."""

        def other(*arguments: Any) -> None: ...

        yield Partial(other, *instance.args, **instance.keywords)
