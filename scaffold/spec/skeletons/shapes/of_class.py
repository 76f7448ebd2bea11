"""The shapes that the code of a class asks of its fields, and of the arguments of its methods."""

import ast
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from scaffold.spec.skeletons.shapes.layers import Made, dims_of, instance_of
from scaffold.spec.skeletons.shapes.products import FIELD
from scaffold.spec.skeletons.shapes.unknown_shapes import Shape, Shapes, Unknown
from scaffold.spec.skeletons.shapes.uses import Uses
from scaffold.spec.source.definitions import annotated_names, arguments_with_defaults, method_of
from scaffold.spec.source.expressions import Function, nodes_of

_READINGS = 2
"""How often the methods are read: what one says of a field, those above it say no more."""


class ClassShapes(Struct, frozen=True):
    """What the code of one class says."""

    shapes: Shapes
    given: Mapping[str, Shape]
    """What each method gives."""

    def of_argument(self, function: str, name: str) -> str:
        """The type in the grammar of an argument of a method; empty where no use tells it."""
        return self._type(f"{function}.{name}")

    def of_field(self, name: str) -> str:
        """The type in the grammar of a field."""
        return self._type(FIELD + name)

    def _type(self, name: str) -> str:
        dims = None if name in self.shapes.objects else self.shapes.known(Unknown(name))
        dtype = "i32" if name in self.shapes.counts else "f"
        return self._tuple(name) if dims is None else f"{dtype}[{','.join(dims)}]"

    def _tuple(self, name: str) -> str:
        """The type of a tuple of arrays, as a carry is."""
        parts = [self._type(part.name) for part in self.shapes.parts_of(name)]
        return f"tuple[{', '.join(parts)}]" if parts and all(parts) else ""


def shapes_by_class(classes: Mapping[str, ast.ClassDef]) -> dict[str, ClassShapes]:
    """What the code of each class of a file says; one may call those that stand above it."""
    by_class: dict[str, ClassShapes] = {}
    made: dict[str, Made] = {}
    read = {part.attr for part in nodes_of(ast.Attribute, *classes.values())}
    for name, node in classes.items():
        by_class[name] = _shapes_of(node, made, read)
        call, maker = method_of(node, "__call__"), method_of(node, "__init__")
        if call is not None and maker is not None:
            takes = tuple(_first_known(call, by_class[name].shapes))
            arguments = tuple(argument.arg for argument, _ in arguments_with_defaults(maker))
            made[name] = Made(
                arguments, takes, by_class[name].shapes.told(by_class[name].given.get("__call__"))
            )
    return by_class


def _shapes_of(owner: ast.ClassDef, made: Mapping[str, Made], read: Collection[str]) -> ClassShapes:
    methods = [part for part in owner.body if isinstance(part, Function)]
    uses = Uses(instance_of(owner, made), Shapes(), {method.name: method for method in methods}, {})
    for method in methods * _READINGS:
        uses.read(method)
    uses.shapes.settle(_vectors(owner, uses.shapes, read))
    for method in methods:
        uses.read(method)
    return ClassShapes(uses.shapes, uses.given)


def _vectors(owner: ast.ClassDef, shapes: Shapes, read: Collection[str]) -> Iterator[str]:
    """The fields of which elements are computed, or that no class of the file reads (`read`): any shape will do."""
    yield from sorted(name for name in shapes.computed if name.startswith(FIELD))
    yield from (FIELD + name for name, _ in annotated_names(owner.body) if name not in read)


def _first_known(call: ast.FunctionDef, shapes: Shapes) -> Iterator[Shape]:
    """The dims of the first arguments of a call, up to one of which they are not known."""
    for argument, _ in arguments_with_defaults(call):
        said = dims_of(argument.annotation)
        shape = shapes.told(Unknown(f"__call__.{argument.arg}")) if said is None else said
        if shape is None:
            return
        yield shape
