"""Annotations in Python text: their places, and the names that they read in quotes."""

import ast
from collections.abc import Iterator

from scaffold.source.expressions import elements_of, expression_or_none
from scaffold.source.instance import last_name
from scaffold.spec.grammar.types import ARRAY_NAMES


def annotations_in(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the annotations of fields, arguments and results."""
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=ast.expr() as annotation):
                yield annotation
            case (
                ast.FunctionDef(returns=ast.expr() as returns)
                | ast.AsyncFunctionDef(returns=ast.expr() as returns)
            ):
                yield returns
            case _:
                pass


def names_in_quotes(annotation: ast.AST) -> Iterator[str]:
    """Yield the names that an annotation reads in quotes: `jax` of `"jax.Array | None"`.

    Shapes and literals read none.
    """
    match annotation:
        case ast.Constant(value=str(text)):
            inner = expression_or_none(text.strip())
            yield from (node.id for node in ast.walk(inner) if isinstance(node, ast.Name)) if inner else ()
        case ast.Subscript(value=head):
            yield from (name for part in (head, *types_in(annotation)) for name in names_in_quotes(part))
        case _:
            yield from (name for part in ast.iter_child_nodes(annotation) for name in names_in_quotes(part))


def types_in(annotation: ast.Subscript) -> list[ast.expr]:
    """Return the parameters of an annotation that are types themselves.

    Literals, the dims of an array, and the metadata of `Annotated` are not.
    """
    word, parts = last_name(annotation.value), elements_of(annotation.slice)
    is_array = bool(parts) and last_name(parts[0]) in (*ARRAY_NAMES, "ArrayLike")
    return [] if word == "Literal" else parts[:1] if word == "Annotated" or is_array else parts
