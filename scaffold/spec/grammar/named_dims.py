"""Names for dims that jaxtyping leaves unnamed, since the tests must choose a size for each."""

import re
from contextlib import suppress
from keyword import iskeyword

from scaffold.spec.grammar.type_parser import MODULES, TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import ArrayType, Type

ROWS = "rows"
"""The dim of an axis that has no name."""
AXIS = "axis_"
"""The prefix of dims that code implies and no author named."""
_WIDE = r"\b(Real|Num|Shaped)\["
_CLASS = r"\b((?:[a-z_]\w*\.)*[a-z_]\w*)\.([A-Z]\w*)"
"""A class of a library by its Python name: `eqx.nn.Linear`, in the grammar `equinox.nn:Linear`."""
_DIMS = r"([\"'])([^\"']*)\1"


def with_named_dims(text: str) -> str:
    """Name each unnamed dim of a type: `Float[Array, "rows dim"]` for `Float[Array, "... dim"]`.

    Annotations of numbers with any dtype become `Float`.
    """
    text = re.sub(_WIDE, "Float[", text)
    return re.sub(_DIMS, lambda dims: f'"{" ".join(map(_named, dims[2].split()))}"', text)


def type_with_named_dims(text: str) -> Type | None:
    """Parse a type with a name for each dim, or return None if the text is no type.

    A class may have its Python name, such as `eqx.nn.Linear`.
    """
    named = with_named_dims(text)
    for form in (named, re.sub(_CLASS, _class_of_library, named)):
        with suppress(TypeSyntaxError):
            return parse_type(form)
    return None


def _class_of_library(match: re.Match[str]) -> str:
    return match[0] if match[1] in MODULES else f"{match[1]}:{match[2]}"


def leaf_of_tree(text: str) -> ArrayType | None:
    """Return the type of each leaf of a tree, with named dims, if the leaves are arrays with dims.

    `PyTree[Float[Array, "n ..."]]` gives `Float[Array, "n rows"]`.
    """
    try:
        leaf = parse_type(with_named_dims(text.removeprefix("PyTree")[1:-1]))
    except TypeSyntaxError:
        return None
    return leaf if isinstance(leaf, ArrayType) and leaf.dims else None


def _named(dim: str) -> str:
    """Return a name for a dim: `size` for `{self.size}`, `rows` for `...`, `class_` for `class`."""
    held = re.sub(r"[{}]|\bself\.", "", dim)
    name = ROWS if dim == "..." else held.lstrip("#?").lstrip("_") or ROWS
    return f"{name}_" if iskeyword(name) else name
