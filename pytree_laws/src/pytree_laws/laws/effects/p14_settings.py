"""P14, of settings: `load` refuses a file with another setting, however near, or with a namesake function."""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax.numpy as jnp

from ...discover.invocation import PLAIN
from ...engine.applicability import LOADS, need
from ...engine.registry import Checks
from ...inspect.arrays import is_array, is_key
from ...inspect.files import is_refused
from ...inspect.static_values import another_value
from ...inspect.trees import named_leaves, replace_leaves
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, Fault, check
from .p14_save import SAVES_WHOLE, saved

CHECKS = Checks()
Put = Callable[[Any], Any]
"""A function that returns the skeleton with another function in one place."""
NEAR = 1e-6
"""Relative difference of a number from the file's: more than rounding, less than a few digits show."""


@CHECKS.register(LOADS, SAVES_WHOLE)
def test_p14_each_setting_of_another_value_is_refused(subject: Suite, tmp_path: Any) -> None:
    _, path = saved(subject, tmp_path)
    skeletons = list(_skeletons(subject))
    need(skeletons, "the class has no settings")
    for name, value, other, skeleton in skeletons:
        accepted = f"a file with {value!r} was loaded into an instance with {other!r}"
        hint = "a file says each setting in full, `repr` of a float, and `load` compares all"
        check_named(subject, path, skeleton, [name], Fault(name, accepted, hint))


@CHECKS.register(LOADS, SAVES_WHOLE, severity=ADVICE)
def test_p14_all_that_differs_is_told(subject: PytreeSuite, tmp_path: Any) -> None:
    _, path = saved(subject, tmp_path)
    names, skeleton = _with_two_differences(subject)
    need(len(names) >= 2, "the class has too little that may differ")
    accepted = "a file was loaded into an instance of another setting and another shape"
    check_named(subject, path, skeleton, names, Fault(names[0], accepted))


def check_named(subject: Suite, path: Any, skeleton: Any, names: Sequence[str], accepted: Fault) -> None:
    """Check that `load` refuses the file, by an error that names each of these."""
    try:
        subject.load(path, skeleton)
    except ANY_ERROR as error:
        hint = "an error lists what differs, by path"
        for name in names:
            is_named = re.findall(r"\w+", name)[-1] in str(error)
            check(is_named, name, f"the error does not name it: {error!s:.200}", hint)
        return
    raise accepted


@CHECKS.register(LOADS, SAVES_WHOLE)
def test_p14_a_variable_of_another_type_is_refused(subject: MutableSuite, tmp_path: Any) -> None:
    instance, path = saved(subject, tmp_path)
    hint = "a file says the type of each Variable, and `load` compares all"
    for name, skeleton in subject.retyped(instance):
        message = "a file was loaded into a module that has a Variable of another type there"
        check(is_refused(functools.partial(subject.load, path, skeleton)), name, message, hint)


def _skeletons(subject: Suite) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield each setting with its value, another value, and an instance that has the other value."""
    instance = subject.spare(1)
    for name, value in (*subject.statics_of(instance), *subject.settings_of_parts(instance)):
        if type(value) in PLAIN:
            other = value * (1 + NEAR) + NEAR * (not value) if type(value) is float else another_value(value)
            with contextlib.suppress(AttributeError, TypeError):  # it is an entry of a tuple
                yield name, value, other, subject.with_static(instance, name, other)


def _with_two_differences(subject: PytreeSuite) -> tuple[list[str], Any]:
    """Return the paths of two differences from the file, and an instance that has them.

    A setting has another value, and an array has a further axis. Without settings, two arrays do.
    """
    changed = [(name, skeleton) for name, _, _, skeleton in _skeletons(subject)][:1]
    names, skeleton = [name for name, _ in changed], changed[0][1] if changed else subject.spare(1)
    for place, (name, leaf) in enumerate(named_leaves(skeleton)):
        if is_array(leaf) and not is_key(leaf) and len(names) < 2:
            names.append(name)
            skeleton = replace_leaves(skeleton, {place: leaf[None]})
    return names, skeleton


@CHECKS.register(LOADS, severity=ADVICE)
def test_p14_a_function_is_told_from_its_namesake(subject: PytreeSuite, tmp_path: Any) -> None:
    _, path = saved(subject, tmp_path)
    places = [(name, f, put) for name, f, put in _functions(subject) if _is_compared(subject, path, f, put)]
    need(places, "no file of the class says which function it has")
    hint = "a function by its name alone: `__module__` belongs to it, and `__qualname__`"
    for name, function, put in places:
        refused = is_refused(functools.partial(subject.load, path, put(namesake(function))))
        message = (
            f"a file with `{function.__name__}` was loaded with a function of this name from another module"
        )
        check(refused, name, message, hint)


def _is_compared(subject: PytreeSuite, path: Any, function: Any, put: Put) -> bool:
    """Whether `load` refuses another function in a place, and accepts the same function."""
    other = jnp.sin if function is not jnp.sin else jnp.cos
    same, differs = (functools.partial(subject.load, path, put(f)) for f in (function, other))
    return is_refused(differs) and not is_refused(same)


def _functions(subject: PytreeSuite) -> Iterator[tuple[str, Any, Put]]:
    """Yield the functions that an instance holds, each with its path and a way to replace the function."""
    skeleton = subject.spare(1)
    for name, value in subject.statics_of(skeleton):
        if is_function(value):
            yield name, value, functools.partial(subject.with_static, skeleton, name)
    for i, (name, leaf) in enumerate(named_leaves(skeleton)):
        if is_function(leaf):
            yield name, leaf, functools.partial(_with_leaf, skeleton, i)


def _with_leaf(skeleton: Any, i: int, function: Any) -> Any:
    return replace_leaves(skeleton, {i: function})


def is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and hasattr(value, "__name__")


def namesake(function: Any) -> Any:
    """Return a function with the same name from another module."""

    def copy(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    copy.__name__, copy.__qualname__ = function.__name__, getattr(function, "__qualname__", function.__name__)
    copy.__module__ = "elsewhere"
    return copy
