"""Draws from a key: the keys that statements split off, and the values that they draw."""

import ast
from collections.abc import Collection, Iterator

from scaffold.source.expressions import dedented, draws_from, own_names, own_nodes

_KEYS = ("split", "fold_in", "clone", "wrap_key_data", "key", "PRNGKey")
_SIZES = ("shape", "ndim", "size", "dtype")


def keys_and_draws(setup: str, key: str = "key") -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that statements bind to keys made from `key`, and to draws from such keys."""
    keys, drawn = {key}, set[str]()
    for value, names in _bindings(setup):
        source = ast.unparse(value)
        if not (any(draws_from(source, key) for key in keys) or reads_value(source, drawn)):
            continue
        if reads_value(source, drawn) or not _is_of_keys(value, keys):
            drawn |= names
        else:
            keys |= names
    return frozenset(keys - {key}), frozenset(drawn)


def _bindings(setup: str) -> Iterator[tuple[ast.expr, frozenset[str]]]:
    """Yield each expression whose value a statement binds, with the names, in order."""
    for node in own_nodes(ast.parse(dedented(setup)).body):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield value, _stored(targets)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
            ):
                yield value, _stored([target])
            case ast.NamedExpr(target=target, value=value) | ast.For(target=target, iter=value):
                yield value, _stored([target])
            case _:
                pass


def _stored(targets: list[ast.expr]) -> frozenset[str]:
    nodes = (node for target in targets for node in ast.walk(target))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _is_of_keys(node: ast.expr, keys: Collection[str]) -> bool:
    """Whether a value is a key or several: a split, an entry of a split, or a name."""
    match node:
        case ast.Name(id=name):
            return name in keys
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return _is_of_keys(value, keys)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return all(_is_of_keys(item, keys) for item in items)
        case ast.Call(func=ast.Name(id="iter" | "list" | "tuple" | "next"), args=[value, *_]):
            return _is_of_keys(value, keys)
        case ast.Call(func=function):
            return ast.unparse(function).rpartition(".")[2] in _KEYS
        case _:
            return False


def reads_value(source: str, names: Collection[str]) -> bool:
    """Whether an expression reads the value of one of the names, and not its sizes alone."""
    tree = ast.parse(source.strip(), mode="eval")
    of_sizes = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in _SIZES
    }
    return any(node.id in names and id(node) not in of_sizes for node in own_names(tree))
