"""Methods of a class, read in turn for the shapes that they imply."""

import ast
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from scaffold.source.definitions import (
    annotations_passed,
    annotations_taken,
    arguments_of,
    arguments_with_defaults,
    numbers_passed,
)
from scaffold.source.expressions import Function, nodes_of
from scaffold.source.instance import last_name
from scaffold.source.taken_sizes import sizes_taken
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Held, Parts, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.applied import learn_of_claim
from scaffold.spec.skeletons.shapes.axes import learn_axes_read
from scaffold.spec.skeletons.shapes.layers.known_layers import Layer
from scaffold.spec.skeletons.shapes.layers.layers import Instance, dims_of, says_counts
from scaffold.spec.skeletons.shapes.records import Records, record_of
from scaffold.spec.skeletons.shapes.scope import Scope


class Uses(Struct):
    """Reader of the methods of a class, statement by statement."""

    owner: str
    """Name of the class."""
    instance: Instance
    shapes: Shapes
    methods: dict[str, Function]
    given: dict[str, Shape]
    """Result of each method that has been read."""
    records: Records
    layers: Mapping[str, Layer]
    """Methods of records as layers, under names such as `Kernel.cross`."""
    helpers: Mapping[str, ast.FunctionDef] = {}
    """Functions of the file."""
    maker_of_base: ast.FunctionDef | None = None
    """Constructor that the class inherits from a class of the file."""

    made_dtypes: Mapping[str, str] = {}
    """By field what its array holds, where that is no float."""
    held: dict[str, Held] = {}
    """Layers with which a function is called, by argument."""

    def read(self, node: Function) -> None:
        """Read a method for the shapes that it implies."""
        self.given[node.name] = self.function(node, node.name, {})
        self._carries(node)

    def _carries(self, node: Function) -> None:
        """Equate a carry with its next value: `v, s = state` and `return (v, s), y`."""
        layer = self.as_layer(node.name)
        given = layer.gives.shapes[0] if isinstance(layer.gives, Parts) and layer.gives.shapes else None
        match layer.takes, given:
            case [Unknown(name=name), *_], Parts(shapes=parts) if len(self.shapes.parts_of(name)) == len(
                parts
            ):
                self.shapes.equate(layer.takes[0], given)
            case _:
                pass

    def as_layer(self, method: str) -> Layer:
        """Return a method as a layer: its arguments without the instance, and its result."""
        arguments = arguments_of(self.methods[method])
        takes = tuple(Unknown(f"{method}.{argument.arg}") for argument in arguments)
        for shape, argument in zip(takes, arguments, strict=True):
            self.shapes.learn(shape, dims_of(argument.annotation))
            self.shapes.counts |= {shape.name} if says_counts(argument.annotation) else set[str]()
        counts = tuple(i for i, argument in enumerate(takes) if self.shapes.is_count(argument))
        return Layer(takes, self.given.get(method), counts)

    def keeps_rank(self) -> bool:
        """Whether the call returns the shape of its first argument also if that has another axis."""
        call = self.methods["__call__"]
        first = next((Unknown(f"{call.name}.{argument.arg}") for argument in arguments_of(call)), None)
        dims = self.shapes.known(first)
        if first is None or not dims:
            return False
        shapes = Shapes(count=self.shapes.count)
        wider = (shapes.new(), *dims)
        shapes.learn(first, wider)
        tried = replace(self, shapes=shapes, given={})
        for method in (*self.methods.values(), call):
            tried.read(method)
        given = shapes.known(tried.given[call.name])
        return not shapes.misfits and given == shapes.known(first) == wider

    def is_property(self, method: str) -> bool:
        """Whether a method is read as an attribute."""
        decorators = map(last_name, self.methods[method].decorator_list)
        return any(decorator in ("property", "cached_property") for decorator in decorators)

    def function(self, node: Function | ast.Lambda, name: str, outer: Mapping[str, Shape]) -> Shape:
        """Return the result of a function, whose arguments are arrays named `function.argument`."""
        arguments = node.args
        taken = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        is_named = not isinstance(node, ast.Lambda)
        said = self._annotations_elsewhere(node) if is_named else {}
        bound: dict[str, Shape] = {
            **outer,
            **{each.arg: self._of_argument(each, name, said.get(each.arg)) for each in taken},
        }
        defaults = dict(arguments_with_defaults(node)) if is_named else {}
        constants = (
            (each, default.value) for each, default in defaults.items() if isinstance(default, ast.Constant)
        )
        bound |= {each.arg: () for each, value in constants if isinstance(value, float | int)}
        sizes = {each.arg for each in taken if each.annotation and ast.unparse(each.annotation) == "int"}
        of_shapes = {each.arg for each, default in defaults.items() if isinstance(default, ast.Tuple)}
        named = _bare_sizes(node, (each for each in taken if each.arg not in of_shapes))
        numbers = numbers_passed(node, self.methods) if is_named else set[str]()
        for each in numbers:
            self.shapes.learn(Unknown(f"{name}.{each}"), ())
        bound |= dict.fromkeys((*named, *numbers), ())
        sizes |= named
        scope = Scope(self, name, bound, {}, {}, sizes)
        if isinstance(node, ast.Lambda):
            return scope.value(node.body)
        learn_axes_read(scope, node)
        given, said = scope.block(node.body), dims_of(node.returns)
        learn_of_claim(self.shapes, given, said)
        return said if given is None else given

    def _annotations_elsewhere(self, node: Function) -> dict[str, ast.expr]:
        """Return annotations of bare arguments, from methods that are passed them or pass them."""
        return {**annotations_passed(node, self.methods), **annotations_taken(node, self.methods)}

    def _of_argument(self, argument: ast.arg, function: str, taken: ast.expr | None) -> Shape:
        """Return the shape in the annotation of an argument, or an unknown array.

        A bare argument is the record that a method takes for it.
        """
        dims = dims_of(argument.annotation)
        unknown = record_of(argument.annotation or taken, self.records) or Unknown(
            f"{function}.{argument.arg}"
        )
        return unknown if dims is None else dims


def _bare_sizes(node: Function | ast.Lambda, taken: Iterable[ast.arg]) -> set[str]:
    """Return the arguments without annotation that a function names in shapes."""
    bare = {each.arg for each in taken if each.annotation is None}
    calls = nodes_of(ast.Call, node) if bare else ()
    return bare.intersection(size for call in calls for size in sizes_taken(call, any_shape=False))
