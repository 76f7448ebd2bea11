"""Layers of Equinox and Flax that a class is given, with dims for sizes that no code names."""

import ast
from collections.abc import Iterator, Mapping

from scaffold.source.definitions import annotated_names, arguments_of, method_of
from scaffold.source.instance import kept_arguments, last_name
from scaffold.spec.grammar.named_dims import AXIS
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Parts
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.layers.known_layers import GIVEN_SIZES, Layer, known_layer

_SEVERAL = ("list", "List", "tuple", "Tuple", "Sequence")


def given_layers(owner: ast.ClassDef) -> Iterator[tuple[str, str, list[Layer]]]:
    """Yield the fields with layers that a class is given, each with the argument and the layers.

    Two layers of equal width stand for a list, because its layers may be a chain.
    """
    for name, argument, annotation in given_fields(owner):
        item = _item(annotation)
        layer = _layer(annotation, argument) if item is None else _layer(item, argument, "size")
        if layer is not None:
            yield name, argument, [layer] if item is None else [layer, layer]


def ties_of_given(owner: ast.ClassDef, shapes: Shapes) -> dict[str, str]:
    """Map each size of a given layer, as `linear_in_features`, to the dim that the code implies."""
    ties: dict[str, str] = {}
    for _, argument, annotation in given_fields(owner):
        item = _item(annotation)
        layer = _layer(annotation if item is None else item, argument)
        own = {*_dims(layer)} if layer is not None else set[str]()
        for size in (size for size in GIVEN_SIZES if _dim(argument, size) in own):
            dim = _dim(argument, size if item is None else "size")
            [ties[f"{argument}_{size}"]] = shapes.known((dim,)) or (dim,)
    return ties


def _dims(layer: Layer) -> Iterator[str]:
    """Yield the dims of the shapes that a layer takes and gives."""
    for shape in (*layer.takes, layer.gives):
        for part in shape.shapes if isinstance(shape, Parts) else [shape]:
            yield from part if isinstance(part, tuple) else ()


def given_fields(owner: ast.ClassDef) -> Iterator[tuple[str, str, ast.expr]]:
    """Yield the fields that hold an argument as given, each with the argument and the annotation."""
    annotated = {name: statement.annotation for name, statement in annotated_names(owner.body)}
    maker = method_of(owner, "__init__")
    if maker is None:
        yield from ((name, name, annotation) for name, annotation in annotated.items())
        return
    arguments = {argument.arg: argument.annotation for argument in arguments_of(maker)}
    for argument, name in kept_arguments(maker, through=("tuple", "list")):
        annotation = annotated.get(name) or arguments.get(argument)
        if annotation is not None:
            yield name, argument, annotation


def _item(annotation: ast.expr) -> ast.expr | None:
    """Return the annotation of the entries of a list or tuple, or None."""
    match annotation:
        case ast.Subscript(value=several, slice=ast.Tuple(elts=[item, ast.Constant(value=value)])):
            return item if last_name(several) in _SEVERAL and value is ... else None
        case ast.Subscript(value=several, slice=item):
            return item if last_name(several) in _SEVERAL else None
        case _:
            return None


def _layer(annotation: ast.expr, argument: str, all_sizes: str = "") -> Layer | None:
    """Build the layer that an annotation names, with a dim for each size, or a single dim `all_sizes`."""
    if _is_function_of_one(annotation):
        return Layer((), keeps=True)  # the tests give a function of each element
    if not isinstance(annotation, ast.Name | ast.Attribute):
        return None
    if last_name(annotation) in ("Sequential", "Module"):  # the tests give a linear layer
        room = ast.unparse(annotation).rpartition(".")[0] or "nn"
        annotation = ast.Attribute(ast.Name(room), "Linear")
    named: Mapping[str, ast.expr] = {
        size: ast.Name(_dim(argument, all_sizes or size)) for size in GIVEN_SIZES
    }
    keywords = [ast.keyword(*pair) for pair in {**named, "kernel_size": ast.Constant(3)}.items()]
    return known_layer(ast.Call(annotation, [], keywords), ast.unparse)


def _is_function_of_one(annotation: ast.expr) -> bool:
    """Whether an annotation is `Callable`, with a single argument or without argument types."""
    match annotation:
        case ast.Subscript(value=head, slice=ast.Tuple(elts=[ast.List(elts=arguments), _])):
            return last_name(head) == "Callable" and len(arguments) == 1
        case ast.Subscript(value=head):
            return last_name(head) == "Callable"
        case _:
            return last_name(annotation) == "Callable"


def _dim(argument: str, size: str) -> str:
    return f"{AXIS}{argument}_{size}"
