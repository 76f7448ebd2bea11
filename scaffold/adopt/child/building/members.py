"""The members of an instance that need no arguments: of wrong sizes they cannot be traced."""

from typing import Any

import jax

from pytree_laws.declare.methods import Method, names_without_arguments
from pytree_laws.inspect.trees import combine, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES


def all_members_work(instance: Any) -> bool:
    """Whether its properties, and its methods without arguments, can be traced: of wrong sizes they cannot."""
    return all(works(instance, Method(name)) for name in names_without_arguments(instance))


def works(instance: Any, member: Method) -> bool:
    """Whether a member gives something; what needs values, or is left to subclasses, says nothing of sizes."""
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
