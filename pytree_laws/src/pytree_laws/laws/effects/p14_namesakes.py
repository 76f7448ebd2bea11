"""P14, of functions: a file that says which function an instance has tells it from its namesakes."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp

from ...engine.applicability import LOADS, not_applicable
from ...engine.registry import Checks
from ...inspect.files import is_refused
from ...inspect.trees import named_leaves, replace_leaves
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, check
from .p14_save import saved

CHECKS = Checks()

Put = Callable[[Any], Any]
"""A skeleton with another function in a place."""


@CHECKS.register(LOADS, severity=ADVICE)
def test_p14_a_function_is_told_from_its_namesake(subject: PytreeSuite, tmp_path: Any) -> None:
    path = tmp_path / "saved"
    saved(subject, path)
    places = [(name, f, put) for name, f, put in _functions(subject) if _is_compared(subject, path, f, put)]
    if not places:
        not_applicable("no file of the class says which function it has")
    hint = "a function by its name alone: `__module__` belongs to it, and `__qualname__`"
    for name, function, put in places:
        refused = is_refused(functools.partial(subject.load, path, put(namesake(function))))
        message = (
            f"a file with `{function.__name__}` was loaded with a function of this name from another module"
        )
        check(refused, name, message, hint)


def _is_compared(subject: PytreeSuite, path: Any, function: Any, put: Put) -> bool:
    """Whether a file with one function is refused for a skeleton with another, and taken for the same."""
    other = jnp.sin if function is not jnp.sin else jnp.cos
    same, differs = (functools.partial(subject.load, path, put(f)) for f in (function, other))
    return is_refused(differs) and not is_refused(same)


def _functions(subject: PytreeSuite) -> Iterator[tuple[str, Any, Put]]:
    """The functions that an instance holds, static and as leaves, each with a way to put another one there."""
    skeleton = subject.spare(1)
    for name, value in subject.statics_of(skeleton):
        if is_function(value):
            yield name, value, functools.partial(subject.with_static, skeleton, name)
    for i, (name, leaf) in enumerate(named_leaves(skeleton)):
        if is_function(leaf):
            yield name, leaf, lambda function, i=i: replace_leaves(skeleton, {i: function})


def is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and hasattr(value, "__name__")


def namesake(function: Any) -> Any:
    """A function that has the name of another, in another module."""

    def copy(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    copy.__name__, copy.__qualname__ = function.__name__, getattr(function, "__qualname__", function.__name__)
    copy.__module__ = "elsewhere"
    return copy
