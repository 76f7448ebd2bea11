"""Dims of parts that are equal, since the call passes the result of one part to the next.

In `self.second(relu(self.first(x)))` the second takes what the first returns, whatever both name their dims.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from scaffold.source.expressions import dedented
from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.grammar.types import ArrayType, ClassType, ListType, Type
from scaffold.spec.model import Call, ModuleSpec
from scaffold.spec.skeletons.shapes.algebra.functions import ELEMENTWISE, MAPS

Place = tuple[str, str]
"""The field of a part, or an empty text for the class itself, and a dim that it names."""
Shape = tuple[Place, ...] | None


def parts_of(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, ModuleSpec]:
    """Return the classes of the parts that a class holds, by field, if their call is known."""
    kinds = (
        (each.name, each.type.item if isinstance(each.type, ListType) else each.type) for each in spec.stored
    )
    named = ((name, kind.name) for name, kind in kinds if isinstance(kind, ClassType) and kind.module is None)
    return {name: known[of] for name, of in named if of in known and known[of].call is not None}


def equal_dims(spec: ModuleSpec, parts: Mapping[str, ModuleSpec]) -> list[list[Place]]:
    """Return groups of dims of a class and its parts that its call uses as equal, in its order."""
    if spec.call is None or not parts:
        return []
    reading = _Reading(parts, {argument.name: _shape("", argument.type) for argument in spec.call.args})
    given = reading.block(ast.parse(dedented(spec.call.looped or spec.call.body)).body)
    reading.equate(given, _given("", spec.call))
    return reading.groups


def _shape(part: str, kind: Type | None) -> Shape:
    """Return the dims of an array, named by the class of a part.

    Return None for any other type, and for any number of dims.
    """
    if not isinstance(kind, ArrayType) or any(dim.startswith("*") for dim in kind.dims):
        return None
    return tuple((part, dim) for dim in kind.dims)


def _given(part: str, call: Call) -> Shape:
    return _shape(part, call.returns[0]) if len(call.returns) == 1 else None


class _Reading(Struct):
    """The statements of a call, read for what they pass from one part to the next."""

    parts: Mapping[str, ModuleSpec]
    shapes: dict[str, Shape]
    """The shapes of locals."""
    loops: dict[str, str] = field(default_factory=dict[str, str])
    """The field over whose parts a local runs, by local."""
    groups: list[list[Place]] = field(default_factory=list[list[Place]])

    def block(self, statements: Sequence[ast.stmt]) -> Shape:
        """Read statements, and return the shape of what they return last."""
        given: Shape = None
        for statement in statements:
            match statement:
                case ast.Return(value=ast.expr() as value):
                    given = self.value(value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.shapes[name] = self.value(value)
                case ast.For(target=ast.Name(id=name), iter=over, body=body):
                    self.loops[name] = attribute_of_self(over) or ""
                    # Twice, since what one part gives is what the next one takes.
                    given = self.block([*body, *body]) or given
                case _:
                    for value in _expressions(statement):
                        self.value(value)
                    given = self.block(list(_statements(statement))) or given
        return given

    def value(self, node: ast.expr) -> Shape:
        """Return the shape of an expression, if known."""
        match node:
            case ast.Name(id=name):
                return self.shapes.get(name)
            case ast.Call(func=ast.Call(func=mapping, args=[mapped], keywords=[]), args=[_, *_]) if last_name(
                mapping
            ) in MAPS and self.part(mapped):
                return self.mapped(self.part(mapped), [self.value(argument) for argument in node.args])
            case ast.Call(func=function) if part := self.part(function):
                return self.applied(part, [self.value(argument) for argument in node.args])
            case ast.Call(func=function, args=[first, *_]) if last_name(function) in ELEMENTWISE:
                return self.value(first)
            case ast.BinOp(left=left, right=right) if not isinstance(node.op, ast.MatMult):
                sides = self.value(left), self.value(right)
                self.equate(*sides)
                return max(sides, key=lambda shape: len(shape or ()))
            case _:
                for part in _expressions(node):
                    self.value(part)
                return None

    def part(self, node: ast.expr) -> str:
        """Return the field of the part that an expression calls, or an empty text."""
        name = self.loops.get(node.id, "") if isinstance(node, ast.Name) else attribute_of_self(node)
        return name if name is not None and name in self.parts else ""

    def applied(self, part: str, taken: Sequence[Shape]) -> Shape:
        """Equate the arguments of a part with its parameters, and return the shape of its result."""
        call = self.parts[part].call
        assert call is not None
        for argument, shape in zip(call.args, taken, strict=False):
            self.equate(shape, _shape(part, argument.type))
        return _given(part, call)

    def mapped(self, part: str, taken: Sequence[Shape]) -> Shape:
        """Apply a part to each row of its arguments, and return the shape of all results."""
        given = self.applied(part, [shape[1:] if shape else None for shape in taken])
        rows = next((shape[0] for shape in taken if shape), None)
        return None if given is None or rows is None else (rows, *given)

    def equate(self, left: Shape, right: Shape) -> None:
        """Note that two shapes are equal."""
        if left is not None and right is not None and len(left) == len(right):
            for pair in zip(left, right, strict=True):
                self._join(pair)

    def _join(self, pair: tuple[Place, Place]) -> None:
        met = [group for group in self.groups if not set(group).isdisjoint(pair)]
        joined = dict.fromkeys([*(place for group in met for place in group), *pair])
        self.groups = [*(group for group in self.groups if group not in met), [*joined]]


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    return (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    return (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
