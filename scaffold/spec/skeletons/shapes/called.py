"""Calls of functions of the file and of records' methods: shapes of arguments and results."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scaffold.source.definitions import parameters_with_defaults
from scaffold.source.expressions import elements_of, whole_number
from scaffold.source.instance import arguments_by_name, attribute_of_self, last_name
from scaffold.source.lists import SHAPE_AT, argument_of, created_shape
from scaffold.spec.construction.written_dtypes import dtypes_given
from scaffold.spec.grammar.types import dim_names, with_sizes
from scaffold.spec.skeletons.shapes.algebra.functions import (
    COUNTS_AT,
    NUMBER_AT,
    OF_ARRAYS,
    SEGMENTS,
    SPECTRA,
)
from scaffold.spec.skeletons.shapes.algebra.indexing import axes_of_index, updated_part, without_index
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import STATE, Dims, Parts, Record, Shape, Unknown
from scaffold.spec.skeletons.shapes.applied import learn_of_claim
from scaffold.spec.skeletons.shapes.layers.known_layers import Layer
from scaffold.spec.skeletons.shapes.layers.layers import Makers, dims_of
from scaffold.spec.skeletons.shapes.loops import layers_of
from scaffold.spec.skeletons.shapes.required import size_asked, size_named

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope

_DEEPEST = 4
"""Limit of nested calls of the file's functions."""


def helper_called(scope: "Scope", function: ast.expr) -> ast.FunctionDef | None:
    """Return the called function of the file, or a base's constructor for `super().__init__`, or None.

    None is returned also if a local name hides the function, or if calls nest too deeply.
    """
    if ast.unparse(function) == "super().__init__" and scope.name == "__init__":
        return scope.uses.maker_of_base
    if not isinstance(function, ast.Name) or function.id in scope.bound or scope.depth == _DEEPEST:
        return None
    return scope.uses.helpers.get(function.id)


def in_order(names: Sequence[str], taken: list[Shape], named: Mapping[str, Shape]) -> list[Shape]:
    """Return arguments in the order of the parameters `names`, with None for a missing argument."""
    return [*taken, *(named.get(name) for name in names[len(taken) :])]


def created(scope: "Scope", call: ast.Call) -> Shape:
    """Return the shape of an array that a call makes: `normal(key, x.shape)`, `jnp.zeros((n, 3))`."""
    at = SHAPE_AT.get(last_name(call))
    match argument_of(call, at, "shape") if at is not None else None:
        case ast.Attribute(value=array, attr="shape"):
            return scope.value(array)
        case _:
            makers = Makers(scope.sizes, {})
            return created_shape(call, lambda node: size_named(scope, node) or makers.size(node))


def of_sizes(scope: "Scope", call: ast.Call, taken: Sequence[Shape]) -> Shape:
    """Return the result of a split, a reshape or a segment sum, or None."""
    name = last_name(call)
    if name == "tile":
        return _tiled(scope, call, taken)
    if name == "split":
        return _split(scope, call, taken)
    if name == "reshape":
        return _reshaped(scope, call)
    return _summed_rows(scope, call, *taken[:2]) if name in SEGMENTS and len(taken) > 1 else None


def _summed_rows(scope: "Scope", call: ast.Call, data: Shape, places: Shape) -> Shape:
    """Return the shape of `segment_sum(data, places, num_segments=n)`, a row for each segment.

    Data and places have equally many rows.
    """
    scope.shapes.computes([data])
    scope.shapes.be_as_many([data, places])
    row, count = scope.shapes.known(scope.shapes.row(data)), argument_of(call, 2, "num_segments")
    size = "" if count is None else size_named(scope, count)
    return None if row is None else (size or scope.shapes.new(), *row)


def _tiled(scope: "Scope", call: ast.Call, taken: Sequence[Shape]) -> Dims | None:
    """Return the shape of `jnp.tile(x, (n, 1))`, as far as each axis is repeated or has one entry."""
    dims, counts = scope.shapes.known(taken[0] if taken else None), argument_of(call, 1, "reps")
    if dims is None or not isinstance(counts, ast.Tuple):
        return None
    repeated = [size_named(scope, count) or ast.unparse(count) for count in counts.elts]
    axes = max(len(dims), len(repeated))
    of_array, of_counts = (("1",) * (axes - len(each)) + tuple(each) for each in (dims, repeated))
    sizes = [many if size == "1" else size for size, many in zip(of_array, of_counts, strict=True)]
    is_known = all("1" in pair for pair in zip(of_array, of_counts, strict=True))
    return tuple(sizes) if is_known and all(size.isidentifier() or size.isdigit() for size in sizes) else None


def _split(scope: "Scope", call: ast.Call, taken: Sequence[Shape]) -> Shape:
    """Return the parts of `jnp.split(x, [self.inner])`, and note which axis they form together."""
    at, along = argument_of(call, 1, "indices_or_sections"), argument_of(call, 2, "axis")
    axis, dims = 0 if along is None else whole_number(along), scope.shapes.known(taken[0] if taken else None)
    if not isinstance(at, ast.List) or len(at.elts) != 1:
        return None
    size, rest = size_asked(scope, at.elts[0]), scope.shapes.new()
    if not size or axis is None or not dims or not -len(dims) <= axis < len(dims):
        return None
    place = axis % len(dims)
    scope.shapes.wholes[size, rest] = dims[place]
    return Parts(tuple((*dims[:place], part, *dims[place + 1 :]) for part in (size, rest)))


def holder_of(scope: "Scope", call: ast.Call) -> ast.expr | None:
    """Return the value on which a method is called: `x` of `x.sum()`, but None of `jnp.sum(x)`."""
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    return None if isinstance(holder, ast.Name) and holder.id not in scope.bound else holder


def _reshaped(scope: "Scope", call: ast.Call) -> Dims | None:
    """Return the shape of `x.reshape(n, self.heads, -1)`, with new dims for sizes without a name."""
    sizes = call.args if holder_of(scope, call) is not None else call.args[1:]
    if len(sizes) == 1:
        sizes = elements_of(sizes[0])
    is_open = any(isinstance(size, ast.Starred) for size in sizes) or (
        len(sizes) == 1 and isinstance(sizes[0], ast.Name | ast.Attribute)
    )
    dims = [size_named(scope, size) for size in sizes]
    named = (dim if dim.isidentifier() or dim.isdigit() else scope.shapes.new() for dim in dims)
    return None if is_open else tuple(named) or None


def learn_axes(scope: "Scope", node: ast.expr, index: Sequence[ast.expr]) -> None:
    """Learn the axes of a transformed array from an index of the result: two in `rfft(x)[:, :modes]`."""
    axes = axes_of_index(index)
    if isinstance(node, ast.Call) and node.args and last_name(node) in SPECTRA and axes > 1:
        given = scope.value(node.args[0])
        is_known = scope.shapes.known(given) is not None
        scope.shapes.learn(given, None if is_known else tuple(scope.shapes.new() for _ in range(axes)))


_ADDED = ("add", "subtract", "multiply", "mul", "max", "min")


def _hold_alike(scope: "Scope", array: ast.expr, put: Shape) -> None:
    """Take it that what is put into an array is of its dtype."""
    held = scope.uses.made_dtypes.get(attribute_of_self(array) or "")
    is_count = held == "counts" or scope.shapes.is_count(scope.value(array))
    scope.shapes.hold_counts([put] if is_count else [])
    scope.shapes.flags |= {put.name} if held == "flags" and isinstance(put, Unknown) else set[str]()


def updated(scope: "Scope", call: ast.Call, taken: Sequence[Shape]) -> Shape:
    """Return the shape of `x.at[index].set(part)`, and learn the shape of `part` from the array.

    If an index has several places, or if parts are added, places and part have equally many rows.
    """
    if (place := updated_part(call.func)) is None:
        return None
    array, part = scope.value(place.value), scope.value(place)
    scope.shapes.learn(part, scope.shapes.known(taken[0]) or None if taken else None)
    for put in taken[:1] if last_name(call) == "set" else ():
        scope.shapes.learn(put, scope.shapes.known(part))
        _hold_alike(scope, place.value, put)
    places = [scope.value(part) for part in elements_of(place.slice) if not isinstance(part, ast.Slice)]
    are_added, given = last_name(call) in _ADDED, taken[:1]
    if len(places) > 1 or are_added:
        scope.shapes.be_as_many([*places, *given])
    scope.shapes.computes(given if are_added else ())
    return array


def method_called(scope: "Scope", function: ast.expr) -> str:
    """Return the method of the class that is called, on `self` or on an unknown argument, or `""`."""
    match function:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if (
            attr in scope.uses.methods and attr not in OF_ARRAYS and name not in scope.layers
        ):
            return attr if isinstance(scope.bound.get(name), Unknown) else attribute_of_self(function) or ""
        case _:
            return attribute_of_self(function) or ""


def names_taken(layer: Layer) -> list[str]:
    """Return the argument names of a function of the class, or `""` for each argument of a layer."""
    return [shape.name.rpartition(".")[2] if isinstance(shape, Unknown) else "" for shape in layer.takes]


def inlined(scope: "Scope", helper: ast.FunctionDef, taken: list[Shape], named: Mapping[str, Shape]) -> Shape:
    """Return the result of a function of the file for these arguments. Each call has dims of its own."""
    pairs = parameters_with_defaults(helper)[helper is scope.uses.maker_of_base :]
    held = in_order([argument.arg for argument, _ in pairs], taken, named)
    renamed: dict[str, str] = {}
    bound: dict[str, Shape] = {}
    for (argument, default), shape in zip(pairs, held, strict=False):
        said = _renamed(scope, dims_of(argument.annotation), renamed)
        scope.shapes.learn(shape, said)
        is_number = isinstance(default, ast.Constant) and isinstance(default.value, int | float)
        bound[argument.arg] = said if shape is None else shape
        if shape is None and is_number:
            bound[argument.arg] = ()
    inner = replace(
        scope, name=f"{scope.name}.{helper.name}", bound=bound, layers={}, functions={}, sizes=set(), axes={}
    )
    inner.depth += 1
    given, said = inner.block(helper.body), _renamed(scope, dims_of(helper.returns), renamed)
    learn_of_claim(scope.shapes, given, said)
    return said if given is None else given


def method_of_record(scope: "Scope", function: ast.expr) -> Layer | None:
    """Return the method of a record that is called, or the record's `__call__`, or None."""
    owner = function.value if isinstance(function, ast.Attribute) else function
    pairs = ((owner, getattr(function, "attr", "")), (function, "__call__"))
    held = ((scope.value(node), method) for node, method in pairs)
    names = (f"{record.name}.{method}" for record, method in held if isinstance(record, Record))
    return next((scope.uses.layers[name] for name in names if name in scope.uses.layers), None)


def listed(scope: "Scope", numbers: ast.expr) -> Shape:
    """Return the shape of `jnp.array([0.0, below, above])` if all entries share a known shape.

    A matrix that is written out, `[[c, -s], [s, c]]`, has scalars as entries.
    """
    if not isinstance(numbers, ast.List):
        return scope.value(numbers)
    rows = [part.elts for part in numbers.elts if isinstance(part, ast.List)]
    for number in (part for row in rows for part in row if not isinstance(part, ast.List)):
        scope.shapes.learn(scope.value(number), ())
    entries = {scope.shapes.known(listed(scope, part)) for part in numbers.elts}
    [dims] = entries if len(entries) == 1 else [None]
    return None if dims is None else (str(len(numbers.elts)), *dims)


def fields_of_counts(record: Record, call: ast.Call) -> Iterator[Unknown]:
    """Yield fields that a call fills with whole numbers: `Tree(feature=jnp.zeros(3, jnp.int32))`."""
    for name, value in arguments_by_name(call, record.fields):
        if name in record.fields and any(re.match(r"[iu]\d", dtype) for dtype in dtypes_given(value)):
            yield record.field(name)


def learn_counts(scope: "Scope", call: ast.Call, taken: Sequence[Shape]) -> None:
    """Learn that the arguments of a call are whole numbers where its function or layer takes such.

    A part of an array reveals this of the whole array.
    """
    name, layers = last_name(call), layers_of(scope, call.func)
    places = (COUNTS_AT[name],) if name in COUNTS_AT else layers[0].counts if layers else ()
    for array in (call.args[place] for place in places if place < len(call.args)):
        scope.shapes.holds_counts(scope.value(without_index(array)))
    for number in taken[NUMBER_AT[name] :][:1] if name in NUMBER_AT else ():
        scope.shapes.holds_counts(number)
        scope.shapes.learn(number, ())


def gradient(scope: "Scope", call: ast.Call, taken: list[Shape], named: Mapping[str, Shape]) -> Shape:
    """Return the shape of `jax.grad(self.loss)` at its arguments: as the first, with or without the value."""
    given, first = scope.applied(call.args[0], taken, named), taken[0] if taken else None
    own = None if call.keywords or call.args[1:] else first  # `argnums` or `has_aux`, which change the result
    return Parts((given, own)) if "value" in last_name(call) else own


def _renamed(scope: "Scope", dims: Dims | None, renamed: dict[str, str]) -> Dims | None:
    """Give the dims of an annotation names that this call alone has."""
    for name in (name for dim in dims or () for name in dim_names(dim)):
        renamed[name] = renamed.get(name) or scope.shapes.new()
    return None if dims is None else tuple(with_sizes(dim, renamed) for dim in dims)


def of_state(scope: "Scope", call: ast.Call, taken: Sequence[Shape]) -> Shape:
    """Return the result of `state.get(self.mean)` or `state.set(self.mean, mean)`, or None."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name) as holder, attr="get" | "set" as asked) if "state" in name:
            is_index = bool(call.args) and attribute_of_self(call.args[0]) is not None
            held = scope.value(holder)
            if not is_index or scope.shapes.known(held) not in (None, STATE):
                return None
            scope.shapes.learn(held, STATE)
            return taken[0] if asked == "get" else STATE
        case _:
            return None
