"""Static attributes of a class that is registered with jax by hand."""

import ast

from scaffold.source.definitions import method_of
from scaffold.source.expressions import nodes_of
from scaffold.source.instance import assigned_pairs, attribute_of_self
from scaffold.source.taken_sizes import sizes_taken

_FLATTEN = ("tree_flatten", "tree_flatten_with_keys")


def numbers_beside_leaves(owner: ast.ClassDef) -> dict[str, str]:
    """Return the aux attributes that are used as sizes or numbers, with their types.

    Attributes that the code indexes, or multiplies as matrices, are left out.
    """
    beside = {f"self.{name}": name for name in _static_attributes(owner)}
    sizes = {name for call in nodes_of(ast.Call, owner) for name in sizes_taken(call, any_shape=False)}
    sides = [(each.op, side) for each in nodes_of(ast.BinOp, owner) for side in (each.left, each.right)]
    computed = {ast.unparse(side) for _, side in sides}
    accesses = (*nodes_of(ast.Attribute, owner), *nodes_of(ast.Subscript, owner))
    factors = (side for op, side in sides if isinstance(op, ast.MatMult))
    as_arrays = {*map(ast.unparse, (*factors, *(access.value for access in accesses)))}
    return {
        name: "int" if path in sizes else "float"
        for path, name in beside.items()
        if path in (sizes | computed) - as_arrays
    }


def _static_attributes(owner: ast.ClassDef) -> set[str]:
    """Return the attributes that `tree_flatten` returns as aux and not among the children."""
    flatten = next(filter(None, (method_of(owner, name) for name in _FLATTEN)), None)
    if flatten is None:
        return set()
    local = {
        ast.unparse(name): value
        for node in nodes_of(ast.Assign, flatten)
        for name, value in assigned_pairs(node)
    }
    returned = [node.value for node in nodes_of(ast.Return, flatten) if isinstance(node.value, ast.Tuple)]
    pairs = [
        [local.get(ast.unparse(part), part) for part in node.elts] for node in returned if len(node.elts) == 2
    ]
    leaves = {
        name for children, _ in pairs for part in ast.walk(children) if (name := attribute_of_self(part))
    }
    static = {name for _, aux in pairs for part in _entries(aux) if (name := attribute_of_self(part))}
    return static - leaves


def _entries(aux: ast.expr) -> list[ast.expr]:
    """Return the entries of a display of a tuple, list or dict, or the expression itself."""
    match aux:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return parts
        case _:
            return [aux]
