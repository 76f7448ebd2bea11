"""Severity of code that needs concrete values, which it does not have under jit."""

from collections.abc import Callable, Iterator, Sequence
from traceback import walk_tb
from typing import Any

import jax
import jax.numpy as jnp

from ..inspect.arrays import is_inexact, is_key
from ..inspect.trees import arrays_of, instances_in
from ..report import ADVICE, FAULT
from ..trace.jaxprs import NEEDS_VALUES

CONSTRUCTORS = ("__new__", "__init__", "__post_init__", "__check_init__")


def severity_of_needing_values(arguments: Sequence[Any]) -> str:
    """Return the severity of a constructor that needs values.

    A constructor of keys and seeds alone has to build under vmap. A caller with data has the values.
    """
    are_keys = [is_key(value) or not (is_inexact(value) or jnp.ndim(value)) for value in arguments]
    return FAULT if are_keys and all(are_keys) else ADVICE


def severity_of_made(error: Exception, given: Any, call: Callable[[], Any]) -> str:
    """Return the severity of a call whose result is made by a constructor that needs values.

    The call is judged as the constructor is. Return an empty text for any other error. The same holds if
    `given`, the instance and the arguments, already holds an instance of the class.
    """
    made = set(classes_in_construction(error)) if isinstance(error, NEEDS_VALUES) else set[type]()
    made = {cls for cls in made if not holds_kind(given, cls)}
    result = call() if made else None
    is_of_result = any(instances_in(result, cls) for cls in made)
    return severity_of_needing_values(arrays_of(given)) if is_of_result else ""


def holds_kind(tree: Any, cls: type) -> bool:
    """Whether a tree holds an instance of a class or of a subclass."""
    nodes = jax.tree.leaves(tree, is_leaf=lambda node: isinstance(node, cls))
    return any(isinstance(node, cls) for node in nodes)


def classes_in_construction(error: Exception) -> Iterator[type]:
    """Yield the classes, with their bases, whose constructors were running when an error was raised."""
    for frame, _ in walk_tb(error.__traceback__):
        code = frame.f_code
        if code.co_name in CONSTRUCTORS and code.co_argcount:
            owner = frame.f_locals.get(code.co_varnames[0])
            yield from (owner if isinstance(owner, type) else type(owner)).__mro__
