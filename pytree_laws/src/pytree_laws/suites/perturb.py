"""Instances as training may leave them."""

from typing import Any

import jax

from ..inspect.trees import named_leaves, replace_leaves
from ..values.randomize import randomize
from .pytree import PytreeSuite


def perturb(suite: Any, instance: Any) -> Any:
    """The instance with other values in the parameters that begin as a constant, of the same sign if they have one."""
    if not isinstance(suite, PytreeSuite):
        return instance
    fixed = {path for path in suite.fixed_values() if suite.role(path) == "param"}
    places = [
        i for i, (name, _) in enumerate(named_leaves(instance)) if name in fixed and not suite.is_frozen(name)
    ]
    other = jax.tree.leaves(randomize(instance, 2, places))
    return replace_leaves(instance, {i: other[i] for i in places})
