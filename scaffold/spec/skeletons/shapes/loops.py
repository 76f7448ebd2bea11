"""Names that stand for layers, and loops: `for layer in self.layers`, and functions of jax that go through rows."""

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.skeletons.shapes.algebra.functions import SAME_LAYERS
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import NOT_CALLED, Held, Parts, Shape, Unknown
from scaffold.spec.skeletons.shapes.applied import axes_of_vmap, has_other_result, over
from scaffold.spec.skeletons.shapes.layers.known_layers import Layer, layers_at, parted

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope


def name_layers(scope: "Scope", target: ast.expr, value: ast.expr) -> None:
    """Take it that names stand for layers of a field: `*inner, last = self.layers`, and `last = self.layers[-1]`."""
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
    """The layers for which an expression stands."""
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
    """Note which arguments of a function of the class stand for layers: `model` of `loss(self.model, x)`."""
    for shape, meant in zip(taken, layer.takes, strict=False):
        if isinstance(shape, Held) and isinstance(meant, Unknown):
            scope.uses.held[meant.name] = shape


def _layers_taken(scope: "Scope", shape: Shape) -> list[Layer]:
    """The layers that a function is called with, where its argument is the shape."""
    held = scope.uses.held.get(shape.name) if isinstance(shape, Unknown) else shape
    return scope.uses.instance.layers.get(held.name, []) if isinstance(held, Held) else []


def _all_of(several: list[list[Layer]]) -> list[Layer]:
    """The layers of parts that are put together; none where one of the parts is no layers."""
    return [layer for layers in several for layer in layers] if all(several) else []


def rounds(scope: "Scope", every: ast.expr) -> int:
    """How often a loop runs that goes through layers."""
    parts = every.args if isinstance(every, ast.Call) else [every]
    return max([1, *(len(layers_of(scope, part)) for part in parts)])


def enter_loop(scope: "Scope", target: ast.expr, every: ast.expr, place: int = 0) -> None:
    """A loop binds names anew, to layers where it is one over those, to rows where it is one over an array."""
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
    else:
        scope.bind([target], scope.shapes.row(scope.value(every)))


def mapped(scope: "Scope", call: ast.Call, taken: list[Shape]) -> Shape:
    """What `jax.vmap` gives of a function, which takes rows of what it is given, or what lies along another axis."""
    axes = axes_of_vmap(call, len(taken))
    pairs = list(zip(taken, axes, strict=True))
    rows = [shape if axis is None else scope.shapes.row(shape, axis) for shape, axis in pairs]
    given = scope.applied(call.args[0], rows, {})
    if given is NOT_CALLED:
        return None
    sizes = (scope.shapes.length(shape, 0) for shape, axis in pairs if axis == 0)
    size = next(filter(None, sizes), "")
    return None if has_other_result(call) else over(scope.shapes, given, size or scope.shapes.new())


def scanned(scope: "Scope", function: ast.expr, carry: Shape, rows: Shape) -> Shape:
    """A scan takes rows of what its function takes second, and gives the carry with all that it gives second."""
    given = scope.applied(function, [carry, scope.shapes.row(rows)], {})
    if not isinstance(given, Parts) or len(given.shapes) != 2:
        return Parts((carry, None))
    scope.shapes.equate(carry, given.shapes[0])
    size = scope.shapes.length(rows, 0) or scope.shapes.new()
    return Parts((carry, over(scope.shapes, given.shapes[1], size)))
