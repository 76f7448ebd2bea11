"""Groups of fields, each with a filter spec by path and a partition."""

from typing import Any

from scaffold.emit.docs import BODY
from scaffold.kind import kind_of
from scaffold.source.text import block, docstring, listed
from scaffold.spec.model import Group, ModuleSpec

# Not cached by structure: docs/decisions.md says why, benchmarks/groups.py what it would save.
_SELECT = "return jax.tree_util.tree_map_with_path(lambda path, _: path[0].name in {names!r}, self)"
_SELECT_CHILD = 'return jax.tree_util.tree_map_with_path(lambda path, _: path[0].name == "{name}", self)'
_PARTITION_TREE = """
spec = self.{select}()
return (
    jax.tree.map(lambda leaf, kept: leaf if kept else None, self, spec),
    jax.tree.map(lambda leaf, kept: None if kept else leaf, self, spec),
)
"""
_COMBINE_TREE = """
return jax.tree.map(
    lambda one, other: other if one is None else one,
    self,
    rest,
    is_leaf=lambda leaf: leaf is None,
)
"""


def group_context(spec: ModuleSpec) -> dict[str, Any]:
    """Return name, result, docstring and body of each group's methods."""
    methods = [method for group in spec.groups for method in _methods(spec, group)]
    combines = bool(spec.groups) and kind_of(spec.kind).combines
    return {
        "group_methods": methods,
        "has_combine": combines,
        "combine_body": block(_COMBINE_TREE, BODY) if combines else "",
    }


def _methods(spec: ModuleSpec, group: Group) -> list[list[str]]:
    name, fields = group.name, group.fields
    names = listed(f"`{name}`" for name in fields)
    combines = kind_of(spec.kind).combines
    back = "`combine` puts" if combines else "`eqx.combine` puts"
    doc = docstring(f"Filter spec: True at each leaf of {names}, False at every other.", BODY)
    parted = docstring(
        f"The leaves of {names}, and the rest, with None in the gaps; {back} them together.", BODY
    )
    partition = f"return eqx.partition(self, self.select_{name}())"
    if combines:
        partition = _PARTITION_TREE.format(select=f"select_{name}")
    select = _SELECT_CHILD.format(name=name) if spec.nests else _SELECT.format(names=fields)
    pair = f'tuple["{spec.name}", "{spec.name}"]'
    return [
        [f"select_{name}", f'"{spec.name}"', doc, block(select, BODY)],
        [f"partition_{name}", pair, parted, block(partition, BODY)],
    ]
