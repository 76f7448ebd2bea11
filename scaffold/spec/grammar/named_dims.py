"""Dims that jaxtyping leaves without a name, with one: the tests have to choose a size for each."""

import re

from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import ArrayType, Type

ROWS = "rows"
"""The dim of an axis that has no name."""
AXIS = "axis_"
"""How the names of dims begin that code alone says, and nobody named."""
_WIDE = r"\b(Real|Num|Shaped)\["
_DIMS = r"([\"'])([^\"']*)\1"


def with_named_dims(text: str) -> str:
    """The text of a type with one axis for `...`, and for `_`: `Float[Array, "rows dim"]` of `Float[Array, "... dim"]`.

    What takes numbers of any dtype is given floats.
    """
    text = re.sub(_WIDE, "Float[", text)
    return re.sub(_DIMS, lambda dims: f'"{" ".join(map(_named, dims[2].split()))}"', text)


def type_with_named_dims(text: str) -> Type | None:
    """The type that a text is with a name for each dim; None where it is none."""
    try:
        return parse_type(with_named_dims(text))
    except TypeSyntaxError:
        return None


def leaf_of_tree(text: str) -> ArrayType | None:
    """The type of each leaf of a tree, with a name for each dim: `Float[Array, "n rows"]` of `PyTree[Float[Array, "n ..."]]`."""
    try:
        leaf = parse_type(with_named_dims(text.removeprefix("PyTree")[1:-1]))
    except TypeSyntaxError:
        return None
    return leaf if isinstance(leaf, ArrayType) and leaf.dims else None


def _named(dim: str) -> str:
    """The name of a dim; what an instance holds, as in `"{self.size}"`, is called so."""
    held = re.sub(r"[{}]|\bself\.", "", dim)
    return ROWS if dim == "..." else held.lstrip("#?").lstrip("_") or ROWS
