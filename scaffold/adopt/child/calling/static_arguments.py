"""Arguments of a call that are the same in every example, such as functions, strings and sizes."""

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
    """Mark arguments as static that hold no arrays or numbers and do not depend on the seed."""
    same = {name: source for name, source in called.arguments.items() if not VARIES.search(source.text)}
    values = {name: source.value(0, subject.owner) for name, source in same.items()}
    leaves_by_name = {name: jax.tree.leaves(value) for name, value in values.items() if value is not None}
    fixed = [name for name, leaves in leaves_by_name.items() if not any(map(is_number, leaves))]
    return replace(called, static=tuple(dict.fromkeys([*called.static, *fixed])))


def static_arguments(
    subject: Subject, name: str, chosen: Mapping[str, Source], keywords: Sequence[str], axis: Axis | None
) -> tuple[str, ...]:
    """Return the ints, strings and functions among the arguments, if the call takes no tracers for them."""
    constants = {
        key: source.value(0, subject.owner) for key, source in chosen.items() if "seed" not in source.text
    }
    constants = {key: value for key, value in constants.items() if is_constant(value)}
    names = tuple(constants)

    def run(arguments: Mapping[str, Any]) -> Any:
        values = {key: source.value(0, subject.owner) for key, source in chosen.items()} | dict(arguments)
        method = getattr(subject.instance, name) if name else subject.instance
        result = invoke(method, values, keywords, axis)
        return [leaf for leaf in jax.tree.leaves(result) if is_array(leaf)]

    try:
        if names:
            jax.eval_shape(run, constants)
    except Exception:
        return names
    return ()


def is_constant(value: Any) -> bool:
    """Whether a value has leaves, and none is an array or a float."""
    leaves = jax.tree.leaves(value)
    return bool(leaves) and not any(is_array(leaf) or isinstance(leaf, float) for leaf in leaves)


def is_number(leaf: Any) -> bool:
    return is_array(leaf) or isinstance(leaf, bool | int | float)
