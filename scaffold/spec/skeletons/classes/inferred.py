"""The types of arguments of a constructor that have no annotation, as far as the constructor and the fields tell them."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.spec.source.definitions import method_of
from scaffold.spec.source.expressions import nodes_of
from scaffold.spec.source.instance import made_attributes
from scaffold.spec.source.local_makers import unfolded

_SIZED = ("range", "zeros", "ones", "empty", "eye", "identity", "arange", "tri")
"""Functions whose arguments are sizes."""
_PLACES = (("full", 0), ("split", 1))
"""Functions that take a size at one place."""
_LAYERS = ("nn", "nnx")
"""The rooms of layers, which take sizes."""
_SIZE = re.compile(
    r"size|shape|features|dim|width|depth|num|channels|heads|dilation|stride|groups|length|^n_|^in_|^out_"
)
"""Names of arguments that are sizes."""
_NAMED_SIZE = re.compile(
    r"(^|_)(size|width|depth|dim|features|channels|heads|hidden|units|levels|classes|modes|layers)$"
)
"""Names that say that an argument is one size, where nothing else says it."""
_RANDOM = ("random", "jr", "jrandom")
"""What `jax.random` is called, whose functions take a key first."""


def inferred_types(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], classes: Mapping[str, ast.ClassDef]
) -> dict[str, str]:
    """The types in the grammar by argument: that of the field of its name, of a random key, or of a size.

    What is handed on to another of the `classes` of the file is what that takes.
    """
    bare = [argument.arg for argument in _arguments(node) if argument.annotation is None]
    calls = [*nodes_of(ast.Call, *unfolded(node).body)]
    keys = {name for call in calls for name in random_keys(call)}
    sizes = {name for call in calls for name in _sizes(call)} | {*_sizes_kept(node, classes)}
    types = {name: kind for call in calls for name, kind in _handed_on(call, classes)}
    types |= dict.fromkeys(sizes, "int") | dict.fromkeys(keys, "key[]")
    types |= {name: str(table["type"]) for name, table in fields.items() if _is_known(table)}
    types = dict.fromkeys(filter(_NAMED_SIZE.search, bare), "int") | types
    return {name: types[name] for name in bare if name in types}


def _is_known(table: Mapping[str, Any]) -> bool:
    """Whether a field has a type of the grammar, and not one that stands as it is behind `=`."""
    return not str(table.get("type", "=")).startswith("=")


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args[1:], *node.args.kwonlyargs]


def _handed_on(call: ast.Call, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """The names that a call hands to a class of the file, each with the type of what that takes."""
    name = ast.unparse(call.func)
    maker = method_of(classes[name], "__init__") if name in classes else None
    if maker is None:
        return
    others = {other: node for other, node in classes.items() if other != name}
    types = {part.arg: "int" for part in _arguments(maker) if ast.unparse(part.annotation or part) == "int"}
    types |= inferred_types(maker, {}, others)
    places = [argument.arg for argument in (*maker.args.posonlyargs, *maker.args.args[1:])]
    given = [
        *zip(places, call.args, strict=False),
        *((keyword.arg or "", keyword.value) for keyword in call.keywords),
    ]
    yield from ((v.id, types[taken]) for taken, v in given if isinstance(v, ast.Name) and taken in types)


def random_keys(call: ast.Call) -> Iterator[str]:
    """The names of random keys that a call takes: first in a function of `jax.random`, or by that name."""
    is_random = (
        isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).split(".")[-1] in _RANDOM
    )
    given = [*call.args[:1]] if is_random else []
    given += [keyword.value for keyword in call.keywords if keyword.arg == "key"]
    yield from (value.id for value in given if isinstance(value, ast.Name))


def _sizes(call: ast.Call) -> Iterator[str]:
    """The names that stand in a shape, or where a function or a layer takes a size."""
    *path, function = ast.unparse(call.func).split(".")
    takes_sizes = function in _SIZED or not set(_LAYERS).isdisjoint(path)
    given = [*call.args, *(keyword.value for keyword in call.keywords if _SIZE.search(keyword.arg or ""))]
    for place, value in enumerate(given):
        is_shape = isinstance(value, ast.Tuple | ast.List) or (function, place) in _PLACES
        if takes_sizes or is_shape:
            yield from _names(value)


def _sizes_kept(node: ast.FunctionDef, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """The arguments that an instance keeps, and that its methods take for sizes: `jnp.zeros(self.slots)`."""
    bodies = (owner.body for owner in classes.values() if node in owner.body)
    read = {name for body in bodies for call in nodes_of(ast.Call, *body) for name in _sizes(call)}
    yield from (
        value.id
        for name, value in made_attributes(ast.unparse(node))
        if isinstance(value, ast.Name) and f"self.{name}" in read
    )


def _names(expression: ast.expr) -> Iterator[str]:
    """The names in an expression of sizes, as `(2 * width, depth)`."""
    match expression:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            yield f"self.{name}"
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _names(part)
        case ast.BinOp(left=left, right=right):
            yield from _names(left)
            yield from _names(right)
        case _:
            pass
