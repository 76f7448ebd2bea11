"""Methods that give an instance of their class, whole or as a part."""

from typing import Any

import jax

from ..declare.methods import Method
from ..inspect.trees import arrays_of


def gives_an_instance(suite: Any, method: Method, instance: Any, arguments: Any) -> bool:
    """Whether a method gives another instance of the class, as an edit does."""
    return isinstance(_abstract_result(suite, method, instance, arguments), type(instance))


def holds_an_instance(suite: Any, method: Method) -> bool:
    """Whether a part of what a method gives is of the class, or holds one whole, as the sum of two kernels does."""
    cls = type(suite.cached_instance())
    result = _abstract_result(suite, method, suite.cached_instance(), method.arguments(0))
    return any(
        isinstance(node, cls) for node in jax.tree.leaves(result, is_leaf=lambda n: isinstance(n, cls))
    )


def _abstract_result(suite: Any, method: Method, instance: Any, arguments: Any) -> Any:
    result: list[Any] = []

    def run() -> Any:
        result[:] = [method.use(suite.copied(instance), *arguments)]
        return arrays_of(result)

    jax.eval_shape(run)
    return result[0]
