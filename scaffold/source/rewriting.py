"""Rewriting the author's Python without running it.

Source text is replaced at the positions that the parser gives, so comments and layout survive.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from scaffold.source.expressions import is_identity_test, local_names, own_names
from scaffold.source.instance import attribute_of_self

Edit = tuple[tuple[int, int], tuple[int, int], str]
"""Where a span begins and ends, by line and column, and what goes there."""
Rewrite = Callable[[ast.AST, tuple[ast.AST, ...]], str | None]
"""From a node and its ancestors to the text that replaces it, or None to leave it."""


def rewrite(source: str, change: Rewrite, tree: ast.AST | None = None) -> str:
    """`source` with every node of its tree replaced for which `change` gives a text; outermost first, inner ones left."""
    return spliced(source, _edits(tree or ast.parse(source), (), change))


def spliced(source: str, edits: Iterable[Edit]) -> str:
    """`source` with a text in the place of each span. The parser counts columns in bytes."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)
    data = source.encode()
    for (first, begin), (last, end), text in sorted(edits, reverse=True):
        data = data[: starts[first - 1] + begin] + text.encode() + data[starts[last - 1] + end :]
    return data.decode()


def in_place_of(node: ast.expr | ast.stmt, text: str) -> Edit:
    """The edit that writes a text in the place of a node."""
    return (node.lineno, node.col_offset), end_of(node), text


def end_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Line and column behind a node."""
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
    """`source` with every free name in `names` replaced: `key` by `weight_key`, `depth` by `self.depth`.

    A name that the source itself assigns stays, unless the new one can be assigned in its place.
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
    """`source` with `self.NAME` replaced where it is read by what `reads` has for the name, `unless` the node above says no."""

    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        is_kept = ancestors and unless is not None and unless(ancestors[-1])
        return None if is_kept else reads.get(attribute_of_self(node, ast.Load) or "")

    return rewrite(source, change) if reads else source
