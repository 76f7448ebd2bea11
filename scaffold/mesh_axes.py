"""Mesh axes by the names of dims, as a spec, a skeleton or a project says them."""

from collections.abc import Callable, Mapping
from typing import Any, cast

Rules = tuple[tuple[str, tuple[str, ...]], ...]
"""In the order of the author; no axes where the dim is replicated."""
NONE = "=None"
"""How a skeleton says that a dim is replicated."""


def read_rules(table: Mapping[str, Any], add: Callable[[str, str, str], None]) -> Rules:
    """The rules in a table; `add` is given the name, fault and fix of each value that is no mesh axis."""
    rules: dict[str, tuple[str, ...]] = {}
    for name, value in table.items():
        is_none = value in ([], NONE)
        axes = [] if is_none else [value] if isinstance(value, str) else value
        axes = cast("list[Any]", axes) if isinstance(axes, list) else []
        if (axes or is_none) and all(isinstance(axis, str) and axis.isidentifier() for axis in axes):
            rules[name] = tuple(map(str, axes))
        else:
            fix = f'write `{name} = "model"`, several axes as a list, or `[]` for none'
            add(name, f"`{value!r}` is no mesh axis", fix)
    return tuple(rules.items())


def axes_of(dim: str, rules: Rules) -> tuple[str, ...]:
    """The mesh axes of a dim: `4*hidden` lies as `hidden` unless it has a rule of its own."""
    known = dict(rules)
    return next((known[name] for name in (dim, *dim.split("*")) if name in known), ())
