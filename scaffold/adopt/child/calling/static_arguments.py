"""The arguments of a call that are the same for every example: functions, words, ints that decide shapes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax

from pytree_laws.inspect.arrays import is_array

from ..values.sources import Source
from .called import Called, Subject
from .invoke import Axis, invoke

VARIES = re.compile(r"\b(seed|self)\b")


def with_static_arguments(called: Called, subject: Subject) -> Called:
    """The call, in which what holds no arrays and no numbers is the same for every example, too."""
    same = {name: one for name, one in called.arguments.items() if not VARIES.search(one.text)}
    values = {name: one.value(0, subject.owner) for name, one in same.items()}
    held = {name: jax.tree.leaves(value) for name, value in values.items() if value is not None}
    fixed = [name for name, leaves in held.items() if not any(map(is_number, leaves))]
    return replace(called, static=tuple(dict.fromkeys([*called.static, *fixed])))


def static_arguments(
    subject: Subject, name: str, chosen: Mapping[str, Source], keywords: Sequence[str], axis: Axis | None
) -> tuple[str, ...]:
    """The ints, words and functions among the arguments, where the call takes no tracers for them."""
    given = {key: one.value(0, subject.owner) for key, one in chosen.items() if "seed" not in one.text}
    given = {key: value for key, value in given.items() if is_constant(value)}
    found = tuple(given)

    def run(given: Mapping[str, Any]) -> Any:
        values = {key: one.value(0, subject.owner) for key, one in chosen.items()} | dict(given)
        method = getattr(subject.instance, name) if name else subject.instance
        result = invoke(method, values, keywords, axis)
        return [leaf for leaf in jax.tree.leaves(result) if is_array(leaf)]

    try:
        if found:
            jax.eval_shape(run, given)
    except Exception:
        return found
    return ()


def is_constant(value: Any) -> bool:
    """Whether a value holds something, and no array and no float."""
    leaves = jax.tree.leaves(value)
    return bool(leaves) and not any(is_array(one) or isinstance(one, float) for one in leaves)


def is_number(leaf: Any) -> bool:
    return is_array(leaf) or isinstance(leaf, bool | int | float)
