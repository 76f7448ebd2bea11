"""Iterables of loops over stacked layers, alone or beside arrays with an entry for each layer."""

import ast
from collections.abc import Iterator

from msgspec import Struct

from scaffold.source.instance import attribute_of_self


class Iterated(Struct, frozen=True):
    """Arrays to scan in place of a loop's iterable, in the structure of the loop's target."""

    source: str
    """Source of the arrays."""
    layers: tuple[tuple[str, str], ...] = ()
    """Names of layers in the body, with their fields."""
    reverse: bool = False


def field_of(node: ast.AST, names: frozenset[str]) -> str | None:
    """Return the stacked field that `node` reads from `self`, or None."""
    name = attribute_of_self(node, ast.Load)
    return name if name in names else None


def stacked_fields(node: ast.AST, names: frozenset[str]) -> tuple[str, ...]:
    """Return the stacked fields that are read in `node`, in order."""
    read = (field_of(part, names) for part in ast.walk(node))
    return tuple(dict.fromkeys(name for name in read if name is not None))


def iterated(loop: ast.For, names: frozenset[str], length: str) -> Iterated | None:
    """Convert the iterable of `loop` for a scan, or return None if that is impossible.

    `length` is source for the number of layers.
    """
    reverse, over = _reversed(loop.iter)
    pairs = list(_pairs(loop.target, over))
    layers = tuple((name, field) for target, part in pairs for name, field in _layers(target, part, names))
    source = _source(loop.target, over, names, length)
    read = stacked_fields(loop.iter, names)
    if source is None or not layers or len(read) != len(layers):
        return None
    return Iterated(source, layers, reverse)


def _reversed(node: ast.expr) -> tuple[bool, ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="reversed"), args=[over], keywords=[]):
            return True, over
        case _:
            return False, node


def _pairs(target: ast.expr, over: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the parts of the target with their iterables."""
    match target, over:
        case (ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=parts)) if len(targets) == len(
            parts
        ):
            for inner, part in zip(targets, parts, strict=True):
                yield from _pairs(inner, part)
        case (ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[part])):
            yield from _pairs(inner, part)
        case _:
            yield target, over


def _layers(target: ast.expr, over: ast.expr, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    name = field_of(_unsliced(over), names)
    if name is not None and isinstance(target, ast.Name):
        yield target.id, name


def _unsliced(node: ast.expr) -> ast.expr:
    match node:
        case ast.Subscript(value=value, slice=ast.Slice()):
            return value
        case _:
            return node


def _source(target: ast.expr, over: ast.expr, names: frozenset[str], length: str) -> str | None:
    match target, over:
        case (ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=parts)) if len(targets) == len(
            parts
        ):
            inner = [
                _source(expression, part, names, length)
                for expression, part in zip(targets, parts, strict=True)
            ]
            known = [source for source in inner if source is not None]
            return f"({', '.join(known)})" if len(known) == len(inner) else None
        case (ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[part], keywords=[])):
            below = None if _has_slice(part) else _source(inner, part, names, length)
            return None if below is None else f"(jnp.arange({length}), {below})"
        case (_, ast.Call(func=ast.Name(id="range"))):
            return f"jnp.arange{ast.unparse(over).removeprefix('range')}"
        case (_, ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed"))):
            return None
        case _:
            return _arrays(over, names)


def _has_slice(node: ast.expr) -> bool:
    """Whether a slice may leave out layers, so that their number is unknown."""
    return any(isinstance(part, ast.Slice) for part in ast.walk(node))


def _arrays(over: ast.expr, names: frozenset[str]) -> str | None:
    """Return the stacked arrays, with `{field}` as a placeholder, or any other iterable as it is."""
    match over:
        case ast.Subscript(value=value, slice=ast.Slice() as part) if field := field_of(value, names):
            return f"jax.tree.map(lambda leaf: leaf[{ast.unparse(part)}], {{{field}}})"
        case _:
            field = field_of(over, names)
            return f"{{{field}}}" if field else _escaped(ast.unparse(over))


def _escaped(source: str) -> str:
    return source.replace("{", "{{").replace("}", "}}")
