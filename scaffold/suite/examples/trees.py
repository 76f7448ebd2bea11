"""Leaves of trees whose annotation states none, taken from other trees of the class."""

from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.named_dims import leaf_of_tree, type_with_named_dims
from scaffold.spec.grammar.types import ArrayType, OpaqueType, TreeType, Type, walk
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once


@once
def leaf_of_fields(spec: ModuleSpec) -> ArrayType | None:
    """Return the leaf that all trees of the class share, as `grads` shares the leaf of `momentum`."""
    kinds = (each.type for each in (*spec.stored, *parameters(spec)))
    named = (type_with_named_dims(kind.text) for kind in kinds if isinstance(kind, TreeType | OpaqueType))
    trees = (kind for kind in named if isinstance(kind, TreeType))
    leaves = {leaf_of_tree(tree.text) for tree in trees}
    return leaves.pop() if len(leaves) == 1 else None


def holds_tree(kind: Type | None) -> bool:
    """Whether a type holds a tree of unknown leaves, such as `tuple[PyTree, Array]`, for which any example is
    made up."""
    parts = () if kind is None else (part for part in walk(kind) if isinstance(part, TreeType))
    return any(leaf_of_tree(part.text) is None for part in parts)
