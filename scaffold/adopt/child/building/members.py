"""Properties and methods without arguments, which cannot be traced if sizes are wrong."""

from typing import Any

import jax

from pytree_laws.declare.methods import Method, names_without_arguments
from pytree_laws.inspect.trees import combine, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES


def all_members_work(instance: Any) -> bool:
    """Whether all properties and methods without arguments can be traced."""
    return all(works(instance, Method(name)) for name in names_without_arguments(instance))


def works(instance: Any, member: Method) -> bool:
    """Whether a member can be traced.

    A member also counts if it needs concrete values or raises `NotImplementedError`: sizes are not to blame.
    """
    static, arrays = partition(instance)

    def use(values: Any) -> Any:
        return partition(member.use(combine(static, values)))[1]

    try:
        jax.eval_shape(use, arrays)
    except (*NEEDS_VALUES, NotImplementedError):
        return True
    except Exception:
        return False
    return True
