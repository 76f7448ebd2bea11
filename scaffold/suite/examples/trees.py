"""What trees without a said leaf hold: the leaves of the trees that the class has."""

from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.named_dims import leaf_of_tree, type_with_named_dims
from scaffold.spec.grammar.types import ArrayType, OpaqueType, TreeType
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
