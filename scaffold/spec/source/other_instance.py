"""Arguments that are another instance of the class, as code says that no annotation does: `other` of `__add__(self, other)`."""

import ast

from scaffold.spec.source.expressions import Function, nodes_of
from scaffold.spec.source.instance import last_name

_OPERATORS = tuple(f"__{name}__" for name in ("add", "sub", "mul", "truediv", "matmul", "mod", "floordiv"))
"""The operators of two instances; `__radd__` is for what is none."""


def is_any(annotation: ast.expr) -> bool:
    """Whether an annotation says nothing of what is given."""
    return last_name(annotation) in ("Any", "object")


def is_used_as_instance(node: Function, name: str, owner: ast.ClassDef) -> bool:
    """Whether code asks if an argument is of the class; of an operator, also whether it reads what the class has, or maps over both."""
    for call in nodes_of(ast.Call, node):
        given = [ast.unparse(argument) for argument in call.args]
        if last_name(call) == "isinstance" and given == [name, owner.name]:
            return True
        if node.name in _OPERATORS and last_name(call) in ("map", "tree_map") and {"self", name} <= {*given}:
            return True
    return node.name in _OPERATORS and bool(_read_of(node, name) & _read_of(owner, "self"))


def _read_of(tree: ast.AST, name: str) -> set[str]:
    """The attributes that code reads or stores of what it calls by a name."""
    attributes = nodes_of(ast.Attribute, tree)
    return {each.attr for each in attributes if isinstance(each.value, ast.Name) and each.value.id == name}
