"""Sizes that a constructor takes one after the other: `def __init__(self, *sizes: int, key)`."""

import ast

from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.definitions import function_of

EXAMPLE = "(2, 3, 2)"


def starred_sizes(spec: ModuleSpec) -> str:
    """The name of the sizes of which a constructor of the author's own takes any number; empty where it takes others first."""
    own = spec.own_constructor
    function = function_of(own.call.source) if own is not None else None
    starred = function.args.vararg if function is not None else None
    if function is None or starred is None or starred.annotation is None:
        return ""
    is_first = len(function.args.args) == 1 and not function.args.posonlyargs
    return starred.arg if is_first and ast.unparse(starred.annotation) == "int" else ""
