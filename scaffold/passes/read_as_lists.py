"""Lists stored as tuples, which the author's Python adds to other lists."""

import ast
from collections.abc import Iterator, Sequence

from scaffold.source.expressions import nodes_of
from scaffold.source.instance import attribute_of_self, calls
from scaffold.source.rewriting import rewrite
from scaffold.spec.grammar.types import ListType
from scaffold.spec.model import ModuleSpec


def as_lists(spec: ModuleSpec, source: str) -> str:
    """Write `list(self.layers)` in sums with a list, as in `self.layers + [layer]`, to avoid a TypeError."""
    names = {field.name for field in spec.stored if isinstance(field.type, ListType) and not field.built}
    if not names or "+" not in source:
        return source
    tree = ast.parse(source)
    lists = {*_names_of_lists(tree)}

    def change(node: ast.AST, above: tuple[ast.AST, ...]) -> str | None:
        is_read = attribute_of_self(node, ast.Load) in names and _is_added_to_list(node, above, lists)
        return f"list({ast.unparse(node)})" if is_read else None

    return rewrite(source, change, tree)


def _is_added_to_list(node: ast.AST, above: Sequence[ast.AST], lists: set[str]) -> bool:
    """Whether a value, or a slice of it, is a term of a sum with a list."""
    above = [*above]
    if above and isinstance(above[-1], ast.Subscript) and isinstance(above[-1].slice, ast.Slice):
        node = above.pop()
    sums: list[ast.AST] = []
    while above and _is_sum(above[-1]):
        sums.append(above.pop())
    return bool(sums) and any(_is_list(term, lists) for term in _terms(sums[-1]) if term is not node)


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def _terms(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and _is_sum(node):
        yield from (*_terms(node.left), *_terms(node.right))
    else:
        yield node


def _is_list(node: ast.AST, lists: set[str]) -> bool:
    is_named = isinstance(node, ast.Name) and node.id in lists
    return (
        is_named or isinstance(node, ast.List | ast.ListComp) or calls(node, "list") or calls(node, "sorted")
    )


def _names_of_lists(tree: ast.AST) -> Iterator[str]:
    """Yield the names that are annotated as lists, or bound to lists."""
    for argument in nodes_of(ast.arg, tree):
        if argument.annotation is not None and ast.unparse(argument.annotation).startswith(("list", "List")):
            yield argument.arg
    for statement in nodes_of(ast.Assign, tree):
        if _is_list(statement.value, set()):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
