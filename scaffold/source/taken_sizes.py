"""The names that stand where calls take sizes: `width` of `nn.Linear(3, width)` and of `jnp.zeros((width, 2))`."""

import ast
import re
from collections.abc import Iterator

_SIZED = ("range", "zeros", "ones", "empty", "eye", "identity", "arange", "tri")
"""Functions whose arguments are sizes."""
_PLACES = (("full", 0), ("split", 1), ("linspace", 2), ("top_k", 1), ("one_hot", 1), ("fori_loop", 1))
"""Functions that take a size at one place."""
_KEYWORDS = ("length", "num", "num_classes", "num_segments", "total_repeat_length", "axis_size")
"""Arguments of functions of jax that are sizes, whichever function takes them."""
_LAYERS = ("nn", "nnx")
"""The rooms of layers, which take sizes."""
RATES = ("Dropout", "AlphaDropout")
"""Layers that take a rate first."""
_SIZE = re.compile(
    r"size|shape|features|dim|width|depth|num|channels|heads|dilation|stride|groups|length|^n_|^in_|^out_"
)
"""Names of arguments that are sizes."""
NAMED_SIZE = re.compile(
    r"(^|_)(size|width|depth|dim|features|channels|heads|hidden|units|levels|classes|modes|layers)$"
)
"""Names that say that an argument is one size, where nothing else says it."""


RANDOM = ("random", "jr", "jrandom")
"""What `jax.random` is called, whose functions take a key first, and a shape."""


def sizes_taken(call: ast.Call, *, any_shape: bool = True) -> Iterator[str]:
    """The names that stand in a shape, or where a function or a layer takes a size.

    With `any_shape` any tuple and list is a shape, as in a constructor, and else those of functions that take one.
    """
    *path, function = ast.unparse(call.func).split(".")
    is_layer = function[:1].isupper() and function not in RATES and not set(_LAYERS).isdisjoint(path)
    takes_sizes = function in _SIZED or is_layer
    given = [*call.args, *(keyword.value for keyword in call.keywords if _SIZE.search(keyword.arg or ""))]
    for place, value in enumerate(given):
        is_shape = isinstance(value, ast.Tuple | ast.List) and (any_shape or not set(RANDOM).isdisjoint(path))
        is_shape = is_shape or (function, place) in _PLACES
        if takes_sizes or is_shape:
            yield from names_in_size(value)
    for keyword in call.keywords:
        yield from names_in_size(keyword.value) if keyword.arg in _KEYWORDS else ()


def names_in_size(expression: ast.expr) -> Iterator[str]:
    """The names in an expression of sizes, as `(2 * width, depth)`."""
    match expression:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            yield f"self.{name}"
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from names_in_size(part)
        case ast.BinOp(left=left, right=right):
            yield from names_in_size(left)
            yield from names_in_size(right)
        case _:
            pass
