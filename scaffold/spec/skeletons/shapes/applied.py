"""Shapes that layers and functions imply for their arguments, and shapes of their results."""

import ast
from collections.abc import Mapping
from typing import Any, cast

from scaffold.source.expressions import whole_number
from scaffold.source.instance import given_as, last_name
from scaffold.source.lists import RANGES, argument_of
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.shapes.algebra.functions import (
    CONVOLUTIONS,
    ELEMENTWISE,
    OF_SQUARE,
    OF_THREE,
    OF_TWO,
    PLACES,
    PRODUCTS,
    SOLVERS,
    SPECTRA,
    SQUARE,
)
from scaffold.spec.skeletons.shapes.algebra.indexing import has_rows, read_behind
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import (
    Dims,
    Leading,
    Parts,
    Places,
    Shape,
    Unknown,
)
from scaffold.spec.skeletons.shapes.algebra.products import contracted, product, together
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.layers.known_layers import SIZE_OF_IMAGE, Layer


def take(shapes: Shapes, shape: Shape, meant: Shape) -> None:
    """Learn that an argument has the shape `meant` that a layer or a function takes."""
    if isinstance(meant, Leading):
        shapes.learn_leading(shape, meant.dims)
    elif isinstance(meant, tuple):
        shapes.learn(shape, meant)
    elif meant is not None:
        shapes.learn(shape, () if shapes.known(meant) == () else None)  # a number is no array of any shape
        shapes.unify(meant, shape)


def along_last(shapes: Shapes, layer: Layer, shape: Shape) -> Shape:
    """Return the result of a layer that works along the last axis, as in Flax.

    A table of rows keeps all axes of its indices and adds an axis.
    """
    gives = layer.gives if isinstance(layer.gives, tuple) else ()
    takes = layer.takes[0]
    known = shapes.known(shape)
    if takes == ():
        return (*known, *gives) if known is not None and gives else None
    if known:
        shapes.learn((known[-1],), takes[-1:] if isinstance(takes, tuple) else None)
    elif layer.keeps and isinstance(takes, tuple):
        shapes.expect(shape, takes)
    else:
        take(shapes, shape, takes)
    lead = known[:-1] if known else takes[:-1] if isinstance(takes, tuple) and shape is not None else None
    return shape if layer.keeps else (*lead, gives[-1]) if lead is not None and gives else None


def learn_of_claim(shapes: Shapes, shape: Shape, dims: Dims | None) -> None:
    """Learn the unnamed dims of a result from its annotation, whose other dims the tests check."""
    noted, empty = len(shapes.met), {*shapes.empty}
    shapes.learn(shape, dims)
    del shapes.met[noted:]
    shapes.empty = empty


def over(shapes: Shapes, shape: Shape, size: str) -> Shape:
    """Return the shape of `size` results of a function, as `jax.vmap` stacks them."""
    if isinstance(shape, Parts):
        return Parts(tuple(over(shapes, part, size) for part in shape.shapes))
    dims = shapes.known(shape)
    if dims is not None or not isinstance(shape, Unknown):
        return None if dims is None else (size, *dims)
    every = shapes.part(shape, f"of {size}")
    shapes.lengths[every.name, 0] = size
    row = shapes.row(every)
    shapes.learn(shape, shapes.known(row))
    shapes.unify(shape, row)
    return every


def given_by(shapes: Shapes, call: ast.Call, name: str, arrays: list[Shape]) -> Shape:
    """Return the result of a jax function, or of an array method with its array first."""
    match arrays:
        case _ if name in RANGES:
            return (shapes.new(),)
        case _ if name in PLACES:
            return places_along(shapes, call, name, arrays)
        case [_, *operands] if name == "einsum":
            return contracted(shapes, call.args[0], operands)
        case [left, right] if name in PRODUCTS:
            return product(shapes, left, right)
        case [left, right] if name in OF_TWO:
            return together(shapes, left, right)
        case [condition, left, right] if name in OF_THREE:
            return together(shapes, together(shapes, left, right), condition)
        case [data, kernel, *_] if name in CONVOLUTIONS:
            return convolved(shapes, call, data, kernel)
        case [data, places, *_] if name == "take_along_axis":
            return taken_along(shapes, call, data, places)
        case [data, *_] if name == "pad":
            return padded(shapes, call, data)
        case [data, *_] if name in SPECTRA:
            return transformed(shapes, call, name, data)
        case [matrix, *_] if name in (*SQUARE, *OF_SQUARE):
            return square(shapes, matrix) if name in SQUARE else None
        case [matrix, sides, *_] if name in SOLVERS:
            return product(shapes, square(shapes, matrix), sides)
        case [first] if name[:1].isupper():
            return first  # a Variable, or the place of a state
        case [first, *_] if name in ELEMENTWISE:
            shapes.computes([first])
            return shapes.cast(first) if name == "astype" else first
        case _:
            return None


def square(shapes: Shapes, matrix: Shape) -> Shape:
    """Learn that a matrix, or each of several, has as many rows as columns, and return it."""
    dims = shapes.known(matrix) or ()
    shapes.read_axis(matrix, 1)
    shapes.learn(dims[-1:], dims[-2:-1] if len(dims) > 1 else None)
    return matrix


def places_along(shapes: Shapes, call: ast.Call, name: str, arrays: list[Shape]) -> Shape:
    """Return the indices that `jnp.argmax(x, axis=-1)` or a similar function returns, or None."""
    others = [keyword.arg for keyword in call.keywords if keyword.arg not in ("axis", "descending")]
    array = arrays[PLACES[name]] if len(arrays) > PLACES[name] else None
    dims = shapes.known(array)
    if isinstance(array, Unknown) and dims is None and name == "argsort":
        shapes.computes([array])  # which makes it a vector, if nothing else says its axes
        dims = (shapes.length(array, 0),)
    said = next(iter(given_as(call, "axis")), call.args[1] if len(call.args) > 1 + PLACES[name] else None)
    is_flat = said is None and name in ("argmax", "argmin")
    axis = -1 if said is None else whole_number(said)
    if others or not dims or axis is None or not -len(dims) <= axis < len(dims):
        return None
    if is_flat and len(dims) > 1:
        return None
    place = axis % len(dims)
    return Places.along(dims[place], dims if name == "argsort" else (*dims[:place], *dims[place + 1 :]))


def transformed(shapes: Shapes, call: ast.Call, name: str, data: Shape) -> Shape:
    """Return the result of a Fourier transform, with new dims for axes whose length changes."""
    dims, length = shapes.known(data), argument_of(call, 1, "n", "s")
    shapes.computes([data])
    if length is None and name[0] not in "hr" and name[:2] not in ("ih", "ir"):
        return data
    said = argument_of(call, 2, SPECTRA[name])
    along = -1 if said is None else literal_or_none(said)
    axes = cast("tuple[Any, ...]", along if isinstance(along, tuple | list) else (along,))
    if not dims or (said is None and length is not None and SPECTRA[name] == "axes"):
        return None
    if not all(isinstance(axis, int) and -len(dims) <= axis < len(dims) for axis in axes):
        return None
    changed = {axis % len(dims) for axis in (axes if length is not None else axes[-1:])}
    return tuple(shapes.new() if place in changed else dim for place, dim in enumerate(dims))


def padded(shapes: Shapes, call: ast.Call, data: Shape) -> Shape:
    """Return the shape of `jnp.pad(x, ((0, 0), (1, 1)))`, with new dims for padded axes."""
    widths = argument_of(call, 1, "pad_width")
    each = widths.elts if isinstance(widths, ast.Tuple | ast.List) else []
    if not (each and all(isinstance(part, ast.Tuple | ast.List) for part in each)):
        return None
    if shapes.known(data) is None:
        shapes.learn(data, tuple(shapes.new() for _ in each))
    dims = shapes.known(data) or ()
    kept = [ast.unparse(part) in ("(0, 0)", "[0, 0]") for part in each]
    pairs = zip(dims, kept, strict=True) if len(dims) == len(each) else ()
    return tuple(dim if is_kept else shapes.new() for dim, is_kept in pairs) or None


def taken_along(shapes: Shapes, call: ast.Call, data: Shape, places: Shape) -> Shape:
    """Return the shape of `jnp.take_along_axis`, the shape of the indices, and equate all other axes."""
    axis, dims, taken = argument_of(call, 2, "axis"), shapes.known(data), shapes.known(places)
    along = None if axis is None else literal_or_none(axis)
    if dims and taken and len(dims) == len(taken) and isinstance(along, int):
        others = [place for place in range(len(dims)) if place != along % len(dims)]
        shapes.learn(tuple(dims[place] for place in others), tuple(taken[place] for place in others))
    return places


def joined(shapes: Shapes, call: ast.Call, arrays: list[Shape]) -> Shape:
    """Return the shape of `jnp.concatenate([x, y], axis=-1)`, along the first or the last axis."""
    if last_name(call) == "stack":
        return stacked(shapes, call, arrays)
    at = argument_of(call, 1, "axis")
    axis = 0 if at is None else whole_number(at)
    known = [dims for array in arrays if (dims := shapes.known(array)) is not None]
    for array in arrays:
        shapes.read_axis(array, max(axis or 0, 0))
    is_last = axis == -1 or (axis != 0 and axis in {len(dims) - 1 for dims in known})
    if not (is_last or axis == 0) or () in known:
        return None
    if is_last and any([read_behind(shapes, array) or has_rows(shapes, array) for array in arrays]):
        return None  # rows of numbers, which may be matrices
    turn = slice(None, None, 1 if is_last else -1)  # so that the axis that grows is the last
    others = known[0][turn][:-1] if known else ()
    for array in arrays:
        shapes.learn(array, (*others, shapes.new())[turn] if known or None not in arrays else None)
    ends = [dims[turn][-1] for array in arrays if (dims := shapes.known(array))]
    return (*others, _whole_of(shapes, ends))[turn] if len(ends) == len(arrays) else None


def _whole_of(shapes: Shapes, parts: list[str]) -> str:
    """Return the dim of an axis joined from parts: an axis that was split into them, or their sum."""
    split = (whole for dims, whole in shapes.wholes.items() if shapes.known(dims) == (*parts,))
    return next(split, "+".join(parts))


def stacked(shapes: Shapes, call: ast.Call, arrays: list[Shape]) -> Shape:
    """Return the shape of `jnp.stack([x, v])`, and learn that all arrays share a shape."""
    for array in arrays[1:]:
        shapes.unify(arrays[0], array)
    axis, dims = argument_of(call, 1, "axis"), shapes.known(arrays[0]) if arrays else None
    along = 0 if axis is None else literal_or_none(axis)
    if dims is None:
        return over(shapes, arrays[0], str(len(arrays))) if along == 0 and arrays else None
    if along not in (0, -1):
        return None
    return (str(len(arrays)), *dims) if along == 0 else (*dims, str(len(arrays)))


def number_of(shapes: Shapes, call: ast.Call, arrays: list[Shape], *, is_method: bool) -> Shape:
    """Return the shape of a sum or mean: a scalar, or the axes left if an axis is given."""
    axis = argument_of(call, 0 if is_method else 1, "axis")
    others = [keyword.arg for keyword in call.keywords if keyword.arg not in ("axis", "keepdims")]
    if not arrays or others:
        return None
    if axis is None:
        return None if call.keywords else ()
    along, dims = literal_or_none(axis), shapes.known(arrays[0])
    keeps = literal_or_none(argument_of(call, 3 if is_method else 4, "keepdims") or ast.Constant(False))
    if along == 0 and not keeps:
        return shapes.row(arrays[0])
    if (
        read_behind(shapes, arrays[0])
        or dims is None
        or not isinstance(along, int)
        or not -len(dims) <= along < len(dims)
    ):
        return None
    left, place = list(dims), along % len(dims)
    left[place : place + 1] = ["1"] if keeps else []
    return tuple(left)


def convolved(shapes: Shapes, call: ast.Call, data: Shape, kernel: Shape) -> Shape:
    """Return the shape of a convolution of `jax.lax`, by its `dimension_numbers`."""
    numbers = argument_of(call, 7, "dimension_numbers")
    dims, texts = shapes.known(kernel), literal_or_none(numbers) if numbers is not None else None
    if texts is None and dims is not None:
        space = "HWD"[: len(dims) - 2]
        texts = (f"NC{space}", f"OI{space}", f"NC{space}")
    if not (isinstance(texts, tuple) and len(cast("tuple[Any, ...]", texts)) == 3):
        return None
    of_data, of_kernel, of_result = cast("tuple[str, str, str]", texts)
    shapes.learn(kernel, tuple(shapes.new() for _ in of_kernel))
    sizes = dict(zip(of_kernel, shapes.known(kernel) or (), strict=False))
    if len(sizes) != len(of_kernel) or argument_of(call, 8, "feature_group_count") is not None:
        return None
    shapes.learn(data, tuple(_axis_of_image(shapes, letter, sizes) for letter in of_data))
    taken = dict(zip(of_data, shapes.known(data) or (), strict=False))
    shapes.windows |= {size: sizes[letter] for letter, size in taken.items() if letter in sizes}
    strides, padding = (argument_of(call, 2, "window_strides"), argument_of(call, 3, "padding"))
    steps = literal_or_none(strides) if strides is not None else None
    is_same = padding is not None and literal_or_none(padding) == "SAME" and steps == (1,) * (len(taken) - 2)
    given = {letter: size if is_same else shapes.new() for letter, size in taken.items()}
    given |= {"N": taken.get("N", ""), "C": sizes["O"]}
    return tuple(given.get(letter, "") for letter in of_result)


def _axis_of_image(shapes: Shapes, letter: str, sizes: Mapping[str, str]) -> str:
    """Return the dim of an image's axis: the channels of the kernel, a batch, or a chosen size."""
    return {"C": sizes["I"], "N": shapes.new()}.get(letter, SIZE_OF_IMAGE)


def axes_of_vmap(call: ast.Call, count: int) -> list[int | None]:
    """Return the axis that `jax.vmap` maps for each of `count` arguments, or None for no mapped axis."""
    said = argument_of(call, 1, "in_axes")
    each = [0] * count if said is None else literal_or_none(said)
    listed = cast("list[Any]", each) if isinstance(each, tuple | list) else [each] * count
    return [axis if isinstance(axis, int | None) else 0 for axis in (*listed, *[0] * count)][:count]


def has_other_result(call: ast.Call) -> bool:
    """Whether `jax.vmap` gets `out_axes`, so that results may lie along another axis than the first."""
    axes = argument_of(call, 2, "out_axes")
    return axes is not None and literal_or_none(axes) != 0
