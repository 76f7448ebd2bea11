"""P90: no leaf of a new instance is NaN or infinite."""

import jax
import numpy as np

from pytree_laws.engine.registry import Checks
from pytree_laws.kinds.suite import Suite
from pytree_laws.report import Law, check

LAW = Law(
    number="P90",
    name="finite",
    statement="Each number in a new instance is finite.",
    mistake="The constructor divides by a size that is zero, or takes the logarithm of it.",
    fix="Check the sizes, or start from zeros.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_p90_new_leaves_are_finite(subject: Suite) -> None:
    instance = subject.cached_instance()
    for path, leaf in jax.tree_util.tree_leaves_with_path(instance):
        check(bool(np.isfinite(leaf).all()), jax.tree_util.keystr(path), f"it holds {leaf}")
