"""Layers of Equinox and Flax: the shapes that a call takes and gives, by constructor arguments."""

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from scaffold.source.expressions import whole_number
from scaffold.source.instance import last_name
from scaffold.source.lists import argument_of, literal_slice
from scaffold.spec.grammar.named_dims import ROWS
from scaffold.spec.grammar.types import dim_names, with_sizes
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import STATE, Chosen, Dims, Leading, Parts, Shape

Size = Callable[[ast.expr], str]
"""Function that reads a size as a dim, or returns `""` for any other expression."""
SIZE_OF_IMAGE = Chosen("8")
"""Size of an image along each of its axes."""
_STATE = Parts((("hidden_size",), ("hidden_size",)))
T = TypeVar("T")


class Layer(Struct, frozen=True):
    """Shapes that the call of a layer takes and gives, as far as known."""

    takes: tuple[Shape, ...]
    gives: Shape = None
    counts: tuple[int, ...] = ()
    """Positions of the arguments that hold whole numbers."""
    keeps: bool = False
    """Whether the result has the shape of the first argument."""
    with_state: bool = False
    """Whether the call returns an `eqx.nn.State` as well."""
    any_rank: bool = False
    """Whether the layer works along the last axis and keeps all others, whatever their number."""

    @property
    def result(self) -> Shape:
        """Shape of the result, as far as it does not depend on the argument."""
        first = self.takes[0] if self.keeps and self.takes else self.gives
        return None if isinstance(first, Leading) else first


class _Form(Struct, frozen=True):
    """A layer by the arguments that are its sizes, in the order of the constructor. `_` is no size."""

    sizes: str
    takes: tuple[Shape, ...]
    gives: Shape = None
    keeps: bool = False
    with_state: bool = False


_SAME = _Form("", (), keeps=True)
_OF_EQUINOX = {
    "Linear": _Form("in_features out_features", (("in_features",),), ("out_features",)),
    "MLP": _Form("in_size out_size", (("in_size",),), ("out_size",)),
    "LayerNorm": _Form("shape", (("shape",),), keeps=True),
    "RMSNorm": _Form("shape", (("shape",),), keeps=True),
    "BatchNorm": _Form("input_size", (Leading(("input_size",)), STATE), keeps=True, with_state=True),
    "GroupNorm": _Form("_ channels", (Leading(("channels",)),), keeps=True),
    "GRUCell": _Form("input_size hidden_size", (("input_size",), ("hidden_size",)), ("hidden_size",)),
    "LSTMCell": _Form("input_size hidden_size", (("input_size",), _STATE), _STATE),
    "MultiheadAttention": _Form("_ query_size", ((ROWS, "query_size"),) * 3, (ROWS, "query_size")),
    **dict.fromkeys(("Dropout", "Identity", "PReLU"), _SAME),
}
_CARRY = Parts(((ROWS, "hidden_features"), (ROWS, "hidden_features")))
_HIDDEN = (ROWS, "hidden_features")
_INPUT = (ROWS, "in_features")
_OF_FLAX = {
    "Linear": _Form("in_features out_features", (_INPUT,), (ROWS, "out_features")),
    "LayerNorm": _Form("num_features", ((ROWS, "num_features"),), keeps=True),
    "RMSNorm": _Form("num_features", ((ROWS, "num_features"),), keeps=True),
    "BatchNorm": _Form("num_features", ((ROWS, "num_features"),), keeps=True),
    "GRUCell": _Form("in_features hidden_features", (_HIDDEN, _INPUT), Parts((_HIDDEN, _HIDDEN))),
    "SimpleCell": _Form("in_features hidden_features", (_HIDDEN, _INPUT), Parts((_HIDDEN, _HIDDEN))),
    "LSTMCell": _Form("in_features hidden_features", (_CARRY, _INPUT), Parts((_CARRY, _HIDDEN))),
    "OptimizedLSTMCell": _Form("in_features hidden_features", (_CARRY, _INPUT), Parts((_CARRY, _HIDDEN))),
    "MultiHeadAttention": _Form(
        "_ in_features", ((ROWS, "seq", "in_features"),), (ROWS, "seq", "in_features")
    ),
    "Dropout": _SAME,
}
_TABLES = ("Embedding", "Embed")
"""Layers that look up rows."""
GIVEN_SIZES = (
    *("in_features", "out_features", "in_size", "out_size", "shape", "input_size", "hidden_size"),
    *("query_size", "hidden_features", "num_features", "embedding_size", "features"),
    *("in_channels", "out_channels"),
)
"""Arguments of layers that are sizes of the shapes in a call."""


def known_layer(call: ast.Call, size: Size) -> Layer | None:
    """Return the layer that a call makes, or None if nothing says what the layer takes."""
    *room, name = ast.unparse(call.func).split(".")
    is_flax = "nnx" in room
    if name in _TABLES:
        [width] = _sizes(call, "_ features" if is_flax else "_ embedding_size", size).values()
        return Layer(((),), (width,) if width else None, counts=(0,), any_rank=is_flax)
    if name.startswith("Conv"):
        return _convolution(call, size, is_flax=is_flax)
    if "Pool" in name and not is_flax:
        return _pooling(call)
    form = (_OF_FLAX if is_flax else _OF_EQUINOX).get(name)
    if form is None:
        return None
    sizes = _sizes(call, form.sizes, size)
    if not all(sizes.values()):
        return None
    takes = tuple(renamed(shape, sizes) for shape in form.takes)
    is_along_last = is_flax and len(takes) == 1 and takes[0] == (ROWS, *sizes.values())[:2]
    gives = renamed(form.gives, sizes)
    return Layer(takes, gives, keeps=form.keeps, with_state=form.with_state, any_rank=is_along_last)


def _sizes(call: ast.Call, names: str, size: Size) -> dict[str, str]:
    """Return the dims of a layer's size arguments by name, or `""` for an unknown size."""
    values = {name: argument_of(call, place, name) for place, name in enumerate(names.split()) if name != "_"}
    return {name: "" if value is None else size(value) for name, value in values.items()}


def renamed(shape: Shape, sizes: Mapping[str, str]) -> Shape:
    """Replace dims of a shape by `sizes`. The dim `"scalar"` leaves out its axis."""
    if isinstance(shape, Parts):
        return Parts(tuple(renamed(part, sizes) for part in shape.shapes))
    if isinstance(shape, Leading):
        return Leading(tuple(with_sizes(dim, sizes) for dim in shape.dims))
    if not isinstance(shape, tuple):
        return shape
    dims: Dims = tuple(with_sizes(dim, sizes) for dim in shape)
    return tuple(dim for dim in dims if dim.strip("'\"") != "scalar")


def _convolution(call: ast.Call, size: Size, *, is_flax: bool) -> Layer | None:
    """Build a convolution: channels first in Equinox, a batch first and channels last in Flax."""
    sizes = _sizes(call, "in_features out_features" if is_flax else "in_channels out_channels", size)
    inputs, outputs = sizes.values()
    space = _space(call, is_flax=is_flax)
    if not (inputs and space):
        return None
    left = tuple(map(_left, space, _windows(call, len(space), is_flax=is_flax)))
    is_known = outputs and all(left)
    if is_flax:
        return Layer(((ROWS, *space, inputs),), (ROWS, *left, outputs) if is_known else None)
    return Layer(((inputs, *space),), (outputs, *left) if is_known else None)


def _pooling(call: ast.Call) -> Layer:
    """Build a pooling of Equinox, which keeps any number of channels."""
    space, channels = _space(call, is_flax=False), f"{ROWS}_channels"
    target = argument_of(call, 0, "target_shape") if last_name(call).startswith("Adaptive") else None
    sizes = _numbers(target, len(space)) if target is not None else []
    left = map(str, sizes) if sizes else (f"{ROWS}_{axis}" for axis, _ in enumerate(space))
    return Layer(((channels, *space),), (channels, *left))


def _space(call: ast.Call, *, is_flax: bool) -> Dims:
    """Return the spatial axes of an image, counted by Equinox's class name or by Flax's kernel."""
    *_, name = ast.unparse(call.func).split(".")
    if not is_flax:
        return (SIZE_OF_IMAGE,) * int(name[-2]) if name.endswith(("1d", "2d", "3d")) else ()
    kernel = argument_of(call, 2, "kernel_size")
    return (SIZE_OF_IMAGE,) * (len(kernel.elts) if isinstance(kernel, ast.Tuple | ast.List) else 1)


def _windows(call: ast.Call, rank: int, *, is_flax: bool) -> list[tuple[int, int, int] | None]:
    """Return the size, step and padding of the window per axis, or None if any is no plain number."""
    stride = "strides" if is_flax else "stride"
    kernel = _numbers(argument_of(call, 2, "kernel_size"), rank)
    steps = _numbers(argument_of(call, 3, stride), rank, usual=1)
    text = ast.unparse(argument_of(call, 4, "padding") or ast.Constant("SAME" if is_flax else 0)).strip("'")
    is_same = text == "SAME"
    padding = (
        [0] * rank if text == "VALID" or is_same else _numbers(argument_of(call, 4, "padding"), rank, usual=0)
    )
    is_plain = "Transpose" not in ast.unparse(call.func) and "dilation" not in ast.unparse(call)
    if not is_plain or not (kernel and steps and padding):
        return [None] * rank
    if is_same:
        return [(step, step, 0) for step in steps]  # as many windows as steps begin
    return list(zip(kernel, steps, padding, strict=True))


def _left(size: str, window: tuple[int, int, int] | None) -> str:
    """Count the windows along an axis, or return `""`."""
    if window is None:
        return ""
    width, step, padding = window
    count = (int(size) + 2 * padding - width) // step + 1
    return Chosen(count) if count > 0 else ""


def _numbers(node: ast.expr | None, rank: int, usual: int | None = None) -> list[int]:
    """Return an argument's number for each axis, or none if the argument does not say `rank` numbers."""
    if isinstance(node, ast.Tuple | ast.List):
        numbers = [whole_number(part) for part in node.elts]
    else:
        numbers = [usual if node is None else whole_number(node)] * rank
    known = [number for number in numbers if number is not None]
    return known if len(known) == rank else []


def with_new_rows(layer: Layer, new: Callable[[], str]) -> Layer:
    """Return the layer in a single call, with new dims for axes that no code names."""
    dims = [dim for shape in (*layer.takes, layer.gives) for dim in _dims_in(shape)]
    names = sorted({name for dim in dims for name in dim_names(dim)})
    rows = {name: new() for name in names if name.startswith(ROWS)}
    takes = tuple(renamed(shape, rows) for shape in layer.takes)
    return replace(layer, takes=takes, gives=renamed(layer.gives, rows)) if rows else layer


def _dims_in(shape: Shape) -> Iterator[str]:
    if isinstance(shape, Parts):
        yield from (dim for part in shape.shapes for dim in _dims_in(part))
    elif isinstance(shape, tuple):
        yield from shape


def parted(layers: list[Layer], starred: list[bool]) -> list[list[Layer]]:
    """Split layers over the targets of an assignment with at most one star: `*inner, last = layers`."""
    if len(layers) < 2 or sum(starred) > 1 or len(layers) + sum(starred) < len(starred):
        return [layers] * len(starred)
    at = starred.index(True) if True in starred else len(starred)
    behind = len(layers) - len(starred[at + 1 :])
    rest = [layers[at:behind]] if True in starred else []
    return [[layer] for layer in layers[:at]] + rest + [[layer] for layer in layers[behind:]]


def layers_at(layers: list[Layer], index: ast.expr) -> list[Layer]:
    """Return the layers of `layers[-1]` or `layers[1:]`, or none if the index is computed.

    A single layer stands for all layers of the list.
    """
    if len(layers) < 2:
        return layers
    if isinstance(index, ast.Slice):
        bounds = literal_slice(index)
        return [] if bounds is None else layers[bounds]
    at = whole_number(index)
    return [] if at is None else layers[at:][:1]
