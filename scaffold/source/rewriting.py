"""Replacement of the author's source at positions from the AST, which preserves comments and layout."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from scaffold.source.expressions import is_identity_test, local_names, own_names
from scaffold.source.instance import attribute_of_self

Edit = tuple[tuple[int, int], tuple[int, int], str]
"""Start and end of a span, by line and column, and the new text."""
Rewrite = Callable[[ast.AST, tuple[ast.AST, ...]], str | None]
"""Function of a node and its ancestors that returns the new text, or None to keep the node."""


def rewrite(source: str, change: Rewrite, tree: ast.AST | None = None) -> str:
    """Replace every node for which `change` returns a text, outermost first. Nodes inside it stay."""
    return spliced(source, _edits(tree or ast.parse(source), (), change))


def spliced(source: str, edits: Iterable[Edit]) -> str:
    """Replace each span by its text. The parser counts columns in bytes."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)
    data = source.encode()
    for (first, begin), (last, end), text in sorted(edits, reverse=True):
        data = data[: starts[first - 1] + begin] + text.encode() + data[starts[last - 1] + end :]
    return data.decode()


def in_place_of(node: ast.expr | ast.stmt, text: str) -> Edit:
    """Return the edit that replaces a node."""
    return (node.lineno, node.col_offset), end_of(node), text


def end_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Return the line and the column behind a node."""
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _edits(node: ast.AST, ancestors: tuple[ast.AST, ...], change: Rewrite) -> Iterator[Edit]:
    # Python 3.11 does not know the places of what is inside an f-string, so that is written anew as a whole.
    text = _fstring(node, ancestors, change) if isinstance(node, ast.JoinedStr) else change(node, ancestors)
    if text is not None and isinstance(node, ast.expr):
        yield in_place_of(node, text)
    elif not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _edits(child, (*ancestors, node), change)


def _fstring(node: ast.JoinedStr, ancestors: tuple[ast.AST, ...], change: Rewrite) -> str | None:
    changed = ast.unparse(_replaced(node, ancestors, change))
    return changed if changed != ast.unparse(node) else None


def _replaced(node: Any, ancestors: tuple[ast.AST, ...], change: Rewrite) -> Any:
    if isinstance(node, list):
        return [_replaced(element, ancestors, change) for element in cast("list[Any]", node)]
    if not isinstance(node, ast.AST):
        return node
    text = change(node, ancestors)
    if text is not None:
        return ast.parse(text, mode="eval").body
    above = (*ancestors, node)
    return type(node)(**{name: _replaced(value, above, change) for name, value in ast.iter_fields(node)})


def rename(source: str, names: Mapping[str, str]) -> str:
    """Replace every free name in `names`, such as `key` by `weight_key`, or `depth` by `self.depth`.

    A name that the source assigns stays, unless the new name can be assigned too.
    """
    tree = ast.parse(source)
    nodes = [node for node in own_names(tree) if node.id in names]
    stored = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    assigned = local_names([tree]) - {name for name in stored if names[name].isidentifier()}
    free = {id(node): names[node.id] for node in nodes if node.id not in assigned}
    return rewrite(source, lambda node, _: free.get(id(node)), tree)


def read_as(
    source: str, reads: Mapping[str, str], unless: Callable[[ast.AST], bool] | None = is_identity_test
) -> str:
    """Replace reads of `self.NAME` by the text in `reads`, except below a node for which `unless` holds."""

    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        is_kept = ancestors and unless is not None and unless(ancestors[-1])
        return None if is_kept else reads.get(attribute_of_self(node, ast.Load) or "")

    return rewrite(source, change) if reads else source
