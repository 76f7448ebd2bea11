"""What a class checks of itself, as conditions over its fields."""

import ast
from collections.abc import Mapping

from scaffold.spec.rewriting import rewrite


def conditions(node: ast.ClassDef) -> tuple[str, ...]:
    """What `__check_init__`, or `__init__` of what it has made, demands, as conditions over the names of fields."""
    names = ("__init__", "__check_init__")
    functions = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in names]
    checks = [one for function in functions for one in function.body if _is_check(one, function.name)]
    return tuple(_without_self(_opposite(one.test)) for one in checks if isinstance(one, ast.If))


def _is_check(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    reads_self = any(isinstance(one, ast.Name) and one.id == "self" for one in ast.walk(statement.test))
    return (reads_self or name != "__init__") and any(isinstance(one, ast.Raise) for one in statement.body)


def _opposite(test: ast.expr) -> str:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _OPPOSITES:
            return ast.unparse(ast.Compare(left, [_OPPOSITES[type(operator)]()], [right]))
        case _:
            return f"not ({ast.unparse(test)})"


_OPPOSITES: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _without_self(text: str) -> str:
    def change(node: ast.AST, above: tuple[ast.AST, ...]) -> str | None:
        is_own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
        return node.attr if is_own and isinstance(node, ast.Attribute) else None

    return rewrite(text, change)
