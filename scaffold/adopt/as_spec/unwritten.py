"""A class without what every constructor has for the arrays that it is given, so that drafts are compared by the rest."""

import ast
from collections.abc import Iterator

from scaffold.emit.given import COPIERS
from scaffold.spec.rewriting import rewrite

_FORMS = {ast.unparse(ast.parse(text)) for forms in COPIERS.values() for text in forms}


def without_given(text: str) -> str:
    """The module with copies written as `jnp.array(x, dtype)`, and without the statements about shapes."""
    tree = ast.parse(text)
    dropped = [one for one in tree.body if ast.unparse(one) in _FORMS]
    dropped += [one for one in _inner(tree) if _is_about_given(one)]
    if not dropped:
        return text
    lines = text.split("\n")
    for one in sorted(dropped, key=lambda one: one.lineno, reverse=True):
        del lines[one.lineno - 1 : one.end_lineno]
    return rewrite("\n".join(lines), _as_array)


def _inner(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of functions, from the outermost; those of a statement that goes are not looked at."""
    ahead: list[ast.AST] = list(tree.body)
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef):
            yield node
        if not (isinstance(node, ast.stmt) and _is_about_given(node)):
            ahead += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]


def _is_about_given(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Name(id="dtype")):
            return True
        case ast.Assign(targets=[ast.Tuple()], value=value) | ast.If(test=ast.Compare(left=value)):
            return ast.unparse(value).startswith("np.shape(")
        case ast.For(body=[ast.If() as inner]):
            return _is_about_given(inner)
        case _:
            return False


def _as_array(node: ast.AST, _: tuple[ast.AST, ...]) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[value, *dtypes]) if name in COPIERS:
            chosen = next((ast.unparse(one) for one in dtypes if not isinstance(one, ast.Name)), "dtype")
            return f"jnp.array({ast.unparse(value)}, {chosen})"
        case _:
            return None
