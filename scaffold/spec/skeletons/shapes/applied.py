"""What a layer, or a function, says of its arguments, and what it gives of them."""

import ast
from typing import Any, cast

from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.shapes.functions import ELEMENTWISE, OF_THREE, OF_TWO, PRODUCTS, SEGMENTS
from scaffold.spec.skeletons.shapes.known_layers import Layer
from scaffold.spec.skeletons.shapes.products import contracted, product, together
from scaffold.spec.skeletons.shapes.unknown_shapes import Parts, Shape, Shapes
from scaffold.spec.source.lists import argument_of


def take(shapes: Shapes, shape: Shape, meant: Shape) -> None:
    """Take it that a value is what a layer, or a function, is called with."""
    if isinstance(meant, tuple):
        shapes.match(shape, meant)
    elif meant is not None:
        shapes.unify(meant, shape)


def along_last(shapes: Shapes, layer: Layer, shape: Shape) -> Shape:
    """What a layer of Flax gives, which keeps all axes but the last; a table of rows keeps all, and adds one."""
    gives = layer.gives if isinstance(layer.gives, tuple) else ()
    [takes] = layer.takes
    known = shapes.known(shape)
    if takes == ():
        return (*known, *gives) if known is not None and gives else None
    if known:
        shapes.match((known[-1],), takes[-1:] if isinstance(takes, tuple) else None)
    else:
        take(shapes, shape, takes)
    lead = known[:-1] if known else takes[:-1] if isinstance(takes, tuple) and shape is not None else None
    return shape if layer.keeps else (*lead, gives[-1]) if lead is not None and gives else None


def over(shapes: Shapes, shape: Shape, size: str) -> Shape:
    """Several of what a function gives."""
    if isinstance(shape, Parts):
        return Parts(tuple(over(shapes, part, size) for part in shape.shapes))
    dims = shapes.known(shape)
    return None if dims is None else (size, *dims)


def given_by(shapes: Shapes, call: ast.Call, name: str, arrays: list[Shape]) -> Shape:
    """What a function of jax gives of arrays, or a method of the first."""
    match arrays:
        case [_, *operands] if name == "einsum":
            return contracted(shapes, call.args[0], operands)
        case [left, right] if name in PRODUCTS:
            return product(shapes, left, right)
        case [left, right] if name in OF_TWO:
            return together(shapes, left, right)
        case [condition, left, right] if name in OF_THREE:
            return together(shapes, together(shapes, left, right), condition)
        case [data, *_] if name in SEGMENTS:
            row = shapes.known(shapes.row(data))
            return None if row is None else (shapes.new(), *row)
        case [first] if name[:1].isupper():
            return first  # a Variable, or the place of a state
        case [first, *_] if name in ELEMENTWISE:
            return first
        case _:
            return None


def joined(shapes: Shapes, call: ast.Call, arrays: list[Shape]) -> Shape:
    """What `jnp.concatenate([x, y], axis=-1)` gives: the last axis of each is a part of its own."""
    axis = argument_of(call, 1, "axis")
    known = [dims for array in arrays if (dims := shapes.known(array)) is not None]
    lead = known[0][:-1] if known else ()
    is_last = axis is None or ast.unparse(axis) == "-1"
    if not is_last or (axis is None and lead) or any(array is None for array in arrays) or () in known:
        return None
    for array in arrays:
        shapes.learn(array, (*lead, shapes.new()))
    ends = [dims[-1] for array in arrays if (dims := shapes.known(array))]
    return (*lead, "+".join(ends)) if len(ends) == len(arrays) else None


def number_of(shapes: Shapes, call: ast.Call, arrays: list[Shape], *, is_method: bool) -> Shape:
    """What a sum or a mean gives: a number, or a row where it goes over the first axis."""
    axes = [keyword.value for keyword in call.keywords if keyword.arg == "axis"]
    axes += call.args[0 if is_method else 1 :]
    if arrays and [ast.unparse(axis) for axis in axes] == ["0"]:
        return shapes.row(arrays[0])
    return None if not arrays or axes or call.keywords else ()


def axes_of_vmap(call: ast.Call, count: int) -> list[int | None]:
    """The axis of each of `count` arguments that `jax.vmap` maps over: the first where nothing is said, and none of what is not mapped."""
    said = argument_of(call, 1, "in_axes")
    each = [0] * count if said is None else literal_or_none(said)
    listed = cast("list[Any]", each) if isinstance(each, tuple | list) else [each] * count
    return [axis if isinstance(axis, int | None) else 0 for axis in (*listed, *[0] * count)][:count]


def has_other_result(call: ast.Call) -> bool:
    """Whether the rows of a result lie along another axis than the first."""
    return argument_of(call, 2, "out_axes") is not None
