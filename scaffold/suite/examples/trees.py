"""What trees without a said leaf hold: the leaves of the trees that the class has."""

from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.named_dims import leaf_of_tree, type_with_named_dims
from scaffold.spec.grammar.types import ArrayType, OpaqueType, TreeType, Type, walk
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once


@once
def leaf_of_fields(spec: ModuleSpec) -> ArrayType | None:
    """The leaf that all trees have which the class holds: `grads` beside `momentum` are as many and as large."""
    kinds = (each.type for each in (*spec.stored, *parameters(spec)))
    named = (type_with_named_dims(kind.text) for kind in kinds if isinstance(kind, TreeType | OpaqueType))
    trees = (kind for kind in named if isinstance(kind, TreeType))
    leaves = {leaf_of_tree(tree.text) for tree in trees}
    return leaves.pop() if len(leaves) == 1 else None


def holds_tree(kind: Type | None) -> bool:
    """Whether a type holds a tree of which nothing says how it is built, as `tuple[PyTree, Array]` does: an example of it is made up."""
    parts = () if kind is None else (part for part in walk(kind) if isinstance(part, TreeType))
    return any(leaf_of_tree(part.text) is None for part in parts)
