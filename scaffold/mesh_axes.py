"""Mesh axes by names of dims, as a spec, a skeleton or a project states them."""

from collections.abc import Callable, Mapping
from typing import Any, cast

Rules = tuple[tuple[str, tuple[str, ...]], ...]
"""Mesh axes of each dim, in the author's order. A replicated dim has no axes."""
NONE = "=None"
"""Value by which a skeleton marks a dim as replicated."""


def read_rules(table: Mapping[str, Any], add: Callable[[str, str, str], None]) -> Rules:
    """Read the rules in a table. `add` receives the name, fault and fix of each invalid value."""
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
    """Return the mesh axes of a dim. A dim `4*hidden` follows `hidden` unless it has a rule of its own."""
    known = dict(rules)
    return next((known[name] for name in (dim, *dim.split("*")) if name in known), ())
