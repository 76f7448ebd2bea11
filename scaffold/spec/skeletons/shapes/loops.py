"""Loops over layers and rows, also by `jax.vmap` and scans, and names that stand for layers."""

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.skeletons.shapes.algebra.functions import SAME_LAYERS
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import (
    NOT_CALLED,
    Held,
    Parts,
    Record,
    Shape,
    Unknown,
)
from scaffold.spec.skeletons.shapes.applied import axes_of_vmap, has_other_result, over
from scaffold.spec.skeletons.shapes.layers.known_layers import Layer, layers_at, parted
from scaffold.spec.skeletons.shapes.records import record_of_elements

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope


def name_layers(scope: "Scope", target: ast.expr, value: ast.expr) -> None:
    """Bind names to layers of a field: `*inner, last = self.layers`, and `last = self.layers[-1]`."""
    layers = layers_of(scope, value)
    if isinstance(target, ast.Name):
        pairs = [(target, layers)]
    else:
        parts = getattr(target, "elts", [])
        pairs = zip(parts, parted(layers, [isinstance(part, ast.Starred) for part in parts]), strict=True)
    for part, held in pairs:
        name = part.value if isinstance(part, ast.Starred) else part
        if held and isinstance(name, ast.Name):
            scope.layers[name.id] = held


def layers_of(scope: "Scope", value: ast.expr) -> list[Layer]:
    """Return the layers for which an expression stands, or none."""
    match value:
        case ast.Subscript(value=inner, slice=index):
            return layers_at(layers_of(scope, inner), index)
        case ast.Name(id=name):
            return scope.layers.get(name) or _layers_taken(scope, scope.bound.get(name))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _all_of([layers_of(scope, part) for part in (left, right)])
        case ast.Call(args=[inner, *_]) if last_name(value) in SAME_LAYERS:
            return layers_of(scope, inner)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            inner = (part.value if isinstance(part, ast.Starred) else part for part in parts)
            return _all_of([layers_of(scope, part) for part in inner])
        case _:
            return scope.uses.instance.layers.get(attribute_of_self(value) or "", [])


def hold_layers(scope: "Scope", taken: Iterable[Shape], layer: Layer) -> None:
    """Record which arguments of a function of the class are layers: `model` of `loss(self.model, x)`."""
    for shape, meant in zip(taken, layer.takes, strict=False):
        if isinstance(shape, Held) and isinstance(meant, Unknown):
            scope.uses.held[meant.name] = shape


def _layers_taken(scope: "Scope", shape: Shape) -> list[Layer]:
    """Return the layers that a function is called with as the argument `shape`."""
    held = scope.uses.held.get(shape.name) if isinstance(shape, Unknown) else shape
    return scope.uses.instance.layers.get(held.name, []) if isinstance(held, Held) else []


def _all_of(several: list[list[Layer]]) -> list[Layer]:
    """Join lists of layers, or return none if a list is empty."""
    return [layer for layers in several for layer in layers] if all(several) else []


def rounds(scope: "Scope", every: ast.expr) -> int:
    """Count the iterations of a loop over layers, or return 1."""
    parts = every.args if isinstance(every, ast.Call) else [every]
    return max([1, *(len(layers_of(scope, part)) for part in parts)])


def enter_loop(scope: "Scope", target: ast.expr, every: ast.expr, place: int = 0) -> None:
    """Bind the targets of a loop to a layer, the layer at `place`, or to a row of an array."""
    scope.bind([target], None)
    inner = every.args if isinstance(every, ast.Call) else []
    match target, last_name(every):
        case ast.Tuple(elts=[_, element]), "enumerate" if inner:
            enter_loop(scope, element, inner[0], place)
        case ast.Tuple(elts=elements), "zip":
            for element, part in zip(elements, inner, strict=False):
                enter_loop(scope, element, part, place)
        case _, "reversed" | "list" | "tuple" if inner:
            enter_loop(scope, target, inner[0], place)
        case _:
            _bind_element(scope, target, every, place)


def _bind_element(scope: "Scope", target: ast.expr, every: ast.expr, place: int) -> None:
    layers = layers_of(scope, every)
    if layers and isinstance(target, ast.Name):
        scope.layers[target.id] = layers[place : place + 1] or layers[-1:]
    elif record := _record_in(scope, every):
        scope.bind([target], record)
    else:
        scope.bind([target], scope.shapes.row(scope.value(every)))


def _record_in(scope: "Scope", every: ast.expr) -> Record | None:
    """Return the record of which a field holds several, or None."""
    annotation = scope.uses.instance.annotations.get(attribute_of_self(every) or "")
    return record_of_elements(annotation, scope.uses.records)


def mapped(scope: "Scope", call: ast.Call, taken: list[Shape], named: Mapping[str, Shape]) -> Shape:
    """Return the result of a call of `jax.vmap(f)`, where `f` takes rows of the arguments."""
    axes = axes_of_vmap(call, len(taken))
    pairs = list(zip(taken, axes, strict=True))
    rows = [shape if axis is None else scope.shapes.row(shape, axis) for shape, axis in pairs]
    rows_by_name = {name: scope.shapes.row(shape) for name, shape in named.items()}
    given = scope.applied(call.args[0], rows, rows_by_name)
    if given is NOT_CALLED:
        return None
    sizes = (scope.shapes.length(shape, 0) for shape, axis in pairs if axis == 0)
    size = next(filter(None, sizes), "")
    return None if has_other_result(call) else over(scope.shapes, given, size or scope.shapes.new())


def scanned(scope: "Scope", function: ast.expr, carry: Shape, rows: Shape) -> Shape:
    """Return the carry and the stacked outputs of a scan, whose function takes a row of the inputs."""
    given = scope.applied(function, [carry, scope.shapes.row(rows)], {})
    if not isinstance(given, Parts) or len(given.shapes) != 2:
        return Parts((carry, None))
    scope.shapes.equate(carry, given.shapes[0])
    size = scope.shapes.length(rows, 0) or scope.shapes.new()
    return Parts((carry, over(scope.shapes, given.shapes[1], size)))
