"""Names in places where calls take sizes: `width` in `nn.Linear(3, width)` and `jnp.zeros((width, 2))`."""

import ast
import re
from collections.abc import Iterator

from scaffold.source.definitions import without_parameters
from scaffold.source.expressions import nodes_of
from scaffold.source.lists import SHAPE_AT, argument_of

_SIZED = ("range", "zeros", "ones", "empty", "eye", "identity", "arange", "tri")
"""Functions that take sizes."""
_PLACES = (("full", 0), ("split", 1), ("linspace", 2), ("top_k", 1), ("one_hot", 1), ("fori_loop", 1))
"""Functions that take a size at a single position."""
_KEYWORDS = ("length", "num", "num_classes", "num_segments", "total_repeat_length", "axis_size")
"""Keywords of jax's functions that are sizes."""
_LAYERS = ("nn", "nnx")
"""Modules of layers, whose arguments are sizes."""
RATES = ("Dropout", "AlphaDropout")
"""Layers whose first argument is a rate."""
_SIZE = re.compile(
    r"size|shape|features|dim|width|depth|num|channels|heads|dilation|stride|groups|length|^n_|^in_|^out_"
)
"""Pattern for names of arguments that are sizes."""
NAMED_SIZE = re.compile(
    r"(^|_)(size|width|depth|dim|features|channels|heads|hidden|units|levels|classes|modes|layers)$"
)
"""Pattern for names that mark an argument as a single size, if nothing else tells."""


RANDOM = ("random", "jr", "jrandom")
"""Usual names of `jax.random`, whose functions take a key before the shape."""


def sizes_taken(call: ast.Call, *, any_shape: bool = True) -> Iterator[str]:
    """Yield the names in shapes, and in sizes that functions or layers take.

    With `any_shape`, as for constructors, any tuple or list is a shape. Otherwise only functions of
    `jax.random` take shapes.
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


def shapes_taken(call: ast.Call) -> Iterator[str]:
    """Yield the names that a call takes as a whole shape, behind a key or starred as in `(2, *inner)`."""
    function = ast.unparse(call.func)
    *path, name = function.split(".")
    is_initialiser = _INITIALISER.search(function) is not None
    is_drawn = is_initialiser or not set(RANDOM).isdisjoint(path)
    place = 1 if is_initialiser else 0 if name in _SIZED else SHAPE_AT.get(name)
    shape = None if place is None else argument_of(call, place, "shape")
    if isinstance(shape, ast.Name | ast.Attribute):
        yield from names_in_size(shape) if is_drawn and place == 1 else ()
    elif shape is not None:
        yield from gone_through(shape)


_INITIALISER = re.compile(r"\binitializers\.|(^|[._])init(ializer)?(\(.*\))?$")
"""Pattern for initialisers, such as `nnx.initializers.normal()`, which take a key before the shape."""


def gone_through(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code iterates over, in a loop, by a star, or by `tuple` and `list`."""
    loops = (part for _, part in _loops(tree))
    stars = (each.value for each in nodes_of(ast.Starred, tree))
    copies = (each.args for each in nodes_of(ast.Call, tree) if ast.unparse(each.func) in ("tuple", "list"))
    for node in (*loops, *stars, *(part for parts in copies for part in parts)):
        yield from names_in_size(without_parameters(node))


def lists_of_sizes(tree: ast.AST) -> Iterator[str]:
    """Yield the names whose entries serve as sizes: `hidden` of `for width in hidden: Linear(3, width)`."""
    sizes = {name for call in nodes_of(ast.Call, tree) for name in sizes_taken(call)}
    for target, every in _loops(tree):
        if isinstance(target, ast.Name) and target.id in sizes:
            yield from names_in_size(without_parameters(every))


def _loops(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of loops with the iterables of their values."""
    for kind in (ast.For, ast.comprehension):
        for loop in nodes_of(kind, tree):
            yield from _entries(loop.target, loop.iter)


def _entries(target: ast.expr, every: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    match target, every:
        case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[first, *_]):
            yield from _entries(inner, first)
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=several):
            for each, part in zip(targets, several, strict=False):
                yield from _entries(each, part)
        case _:
            yield target, every


def names_in_size(expression: ast.expr) -> Iterator[str]:
    """Yield the names in an expression of sizes, such as `(2 * width, depth)`."""
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


def is_paired(name: str, *trees: ast.AST) -> bool:
    """Whether code reads neighbouring entries of a sequence together: `zip(sizes[:-1], sizes[1:])`."""
    for part in nodes_of(ast.Subscript, *trees):
        if ast.unparse(part.value).removeprefix("self.") == name:
            match part.slice:
                case ast.Slice(lower=ast.Constant(value=1), upper=None, step=None):
                    return True
                case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)):
                    return True
                case _:
                    pass
    calls = (call for call in nodes_of(ast.Call, *trees) if ast.unparse(call.func).endswith("pairwise"))
    return any([ast.unparse(part).removeprefix("self.") for part in call.args] == [name] for call in calls)
