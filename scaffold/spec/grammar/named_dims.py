"""Dims that jaxtyping leaves without a name, with one: the tests have to choose a size for each."""

import re
from contextlib import suppress
from keyword import iskeyword

from scaffold.spec.grammar.type_parser import MODULES, TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import ArrayType, Type

ROWS = "rows"
"""The dim of an axis that has no name."""
AXIS = "axis_"
"""How the names of dims begin that code alone says, and nobody named."""
_WIDE = r"\b(Real|Num|Shaped)\["
_CLASS = r"\b((?:[a-z_]\w*\.)*[a-z_]\w*)\.([A-Z]\w*)"
"""A class of a library as Python names it: `eqx.nn.Linear`, which is `equinox.nn:Linear` in the grammar."""
_DIMS = r"([\"'])([^\"']*)\1"


def with_named_dims(text: str) -> str:
    """The text of a type with one axis for `...`, and for `_`: `Float[Array, "rows dim"]` of `Float[Array, "... dim"]`.

    What takes numbers of any dtype is given floats.
    """
    text = re.sub(_WIDE, "Float[", text)
    return re.sub(_DIMS, lambda dims: f'"{" ".join(map(_named, dims[2].split()))}"', text)


def type_with_named_dims(text: str) -> Type | None:
    """The type that a text is with a name for each dim, also by the name that Python has for a class; None where it is none."""
    named = with_named_dims(text)
    for form in (named, re.sub(_CLASS, _class_of_library, named)):
        with suppress(TypeSyntaxError):
            return parse_type(form)
    return None


def _class_of_library(match: re.Match[str]) -> str:
    return match[0] if match[1] in MODULES else f"{match[1]}:{match[2]}"


def leaf_of_tree(text: str) -> ArrayType | None:
    """The type of each leaf of a tree, with a name for each dim: `Float[Array, "n rows"]` of `PyTree[Float[Array, "n ..."]]`."""
    try:
        leaf = parse_type(with_named_dims(text.removeprefix("PyTree")[1:-1]))
    except TypeSyntaxError:
        return None
    return leaf if isinstance(leaf, ArrayType) and leaf.dims else None


def _named(dim: str) -> str:
    """The name of a dim; what an instance holds, as in `"{self.size}"`, is called so, and `class` is `class_`."""
    held = re.sub(r"[{}]|\bself\.", "", dim)
    name = ROWS if dim == "..." else held.lstrip("#?").lstrip("_") or ROWS
    return f"{name}_" if iskeyword(name) else name
