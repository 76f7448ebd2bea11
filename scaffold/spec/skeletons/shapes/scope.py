"""Reading of expressions for shapes: `self.weight @ x` takes as many numbers as the weight has columns."""

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.source.expressions import elements_of, without_annotation
from scaffold.source.instance import attribute_of_self, last_name, variable_read
from scaffold.spec.skeletons.shapes.algebra.functions import (
    GRADIENTS,
    JOINS,
    MAPS,
    NUMBERS,
    OF_ARRAYS,
    SAME_FUNCTION,
)
from scaffold.spec.skeletons.shapes.algebra.indexing import part_of, transposed
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import (
    NOT_CALLED,
    STATE,
    Held,
    Parts,
    Places,
    Record,
    Shape,
    Unknown,
    is_dims,
)
from scaffold.spec.skeletons.shapes.algebra.products import FIELD, product
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.applied import (
    along_last,
    given_by,
    joined,
    number_of,
    take,
)
from scaffold.spec.skeletons.shapes.axes import name_axes, name_axis
from scaffold.spec.skeletons.shapes.called import (
    created,
    fields_of_counts,
    gradient,
    helper_called,
    holder_of,
    in_order,
    inlined,
    learn_axes,
    learn_counts,
    listed,
    method_called,
    method_of_record,
    names_taken,
    of_sizes,
    of_state,
    updated,
)
from scaffold.spec.skeletons.shapes.layers.known_layers import Layer, with_new_rows
from scaffold.spec.skeletons.shapes.layers.layers import AS_ARRAY
from scaffold.spec.skeletons.shapes.loops import (
    enter_loop,
    hold_layers,
    layers_of,
    mapped,
    name_layers,
    rounds,
    scanned,
)
from scaffold.spec.skeletons.shapes.operators import combined
from scaffold.spec.skeletons.shapes.records import built_record, record_of
from scaffold.spec.skeletons.shapes.required import chosen, learn_chosen, learn_required

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.uses import Uses


class Scope(Struct):
    """The names of a function, with their shapes at the current statement."""

    uses: "Uses"
    name: str
    bound: dict[str, Shape]
    layers: dict[str, list[Layer]]
    """Names that stand for layers: `for layer in self.layers`."""
    functions: dict[str, Layer]
    """Local functions, with the shapes that they take and give."""
    sizes: set[str]
    """Arguments that are whole numbers."""
    axes: dict[str, str] = {}
    """Names that stand for sizes of arrays: `n` and `m` of `n, m = x.shape`."""
    depth: int = 0
    """Number of functions of the file that are being called."""

    @property
    def shapes(self) -> Shapes:
        return self.uses.shapes

    def block(self, body: Iterable[ast.stmt]) -> Shape:
        """Read statements in order, and return the shape of the last return value."""
        given: Shape = None
        for statement in map(without_annotation, body):
            match statement:
                case ast.FunctionDef(name=name):
                    self._define(name, statement)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function):
                    self._define(name, function)
                case ast.Assign(
                    targets=[ast.Tuple(elts=sizes)], value=ast.Attribute(value=array, attr="shape")
                ):
                    name_axes(self, self.value(array), sizes)
                case ast.Assign(targets=targets, value=value):
                    self.bind(targets, self.value(value))
                    name_layers(self, targets[0], value)
                    name_axis(self, targets[0], value)
                case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                    self.bound[name] = self.value(ast.BinOp(ast.Name(name, ast.Load()), op, value))
                case ast.Assert() | ast.If() if learn_required(self, statement):
                    pass
                case ast.Return(value=ast.expr() as value):
                    given = self.value(value)
                case ast.Expr(value=value):
                    self.value(value)
                case ast.For(target=target, iter=every):
                    for place in range(rounds(self, every)):
                        enter_loop(self, target, every, place)
                        given = self.block(statement.body) or given
                case ast.If() | ast.While() | ast.With():
                    inner = [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)]
                    before = {**self.bound}
                    learn_chosen(self, statement) if isinstance(statement, ast.If) else None
                    given = self.block(inner) or given
                    # What one branch makes of a name in an unknown way, another leaves as it is.
                    self.bound |= {name: held for name, held in before.items() if self.bound[name] is None}
                case _:
                    pass
        return given

    def _store(self, field: Shape, value: Shape) -> None:
        """Learn that a field has the shape of the stored value, a scalar or an array."""
        self.shapes.learn(field, self.shapes.known(value))
        self.shapes.unify(field, value)

    def _define(self, name: str, node: ast.FunctionDef | ast.Lambda) -> None:
        own = f"{self.name}.{name}"
        given = self.uses.function(node, own, self.bound)
        takes = tuple(Unknown(f"{own}.{argument.arg}") for argument in node.args.args)
        self.functions[name] = Layer(takes, given)

    def bind(self, targets: Iterable[ast.expr], value: Shape) -> None:
        for target in targets:
            match target:
                case ast.Name(id=name):
                    self.bound[name] = value
                case ast.Attribute():
                    self._store(self.value(target), value)
                case ast.Tuple(elts=parts) | ast.List(elts=parts):
                    is_plain = not any(isinstance(part, ast.Starred) for part in parts)
                    values = self.shapes.unpack(value if is_plain else None, len(parts))
                    for part, held in zip(parts, values, strict=True):
                        self.bind([part], held)
                case ast.Starred(value=inner):
                    self.bind([inner], None)
                case _:
                    pass

    # -- expressions ---------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Shape:
        """Return the shape of an expression, and learn from all that the expression reads."""
        node = self._in_variable(_unless_none(node))
        match node:
            case ast.Name(id=name):
                return self.bound.get(name)
            case ast.Constant(value=int() | float() | complex()) | ast.Attribute(attr="pi" | "inf" | "nan"):
                return ()
            case ast.Attribute() if (name := attribute_of_self(node)) is not None:
                return self._field(name)
            case ast.Attribute(value=inner, attr="T"):
                return transposed(self.shapes, self.value(inner))
            case ast.Attribute(value=inner, attr=name):
                held = self.value(inner)
                if isinstance(held, Record) and name in held.fields:
                    return held.field(name)
                self._is_object(held, unless=name in OF_ARRAYS)
                return None
            case ast.UnaryOp(operand=inner):
                return self.value(inner)
            case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner):
                for loop in node.generators:
                    enter_loop(self, loop.target, loop.iter)
                self.value(inner)
                return None
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return product(self.shapes, self.value(left), self.value(right))
            case ast.Lambda():
                self._layer(node)
                return None
            case ast.Tuple(elts=parts):
                return Parts(tuple(map(self.value, parts)))
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return combined(self, node, left, right)
            case ast.Call():
                return self._call(node)
            case ast.Subscript(
                value=ast.Attribute(value=inner, attr="shape"), slice=ast.Constant(value=int(axis))
            ):
                self.shapes.read_axis(self.value(inner), axis)
                return None
            case ast.Subscript(value=inner, slice=index):
                parts = elements_of(index)
                learn_axes(self, inner, parts)
                places = [*map(self.value, parts)]
                self.shapes.hold_counts(places)
                held = self.value(inner)
                given = part_of(self.shapes, held, parts, places)
                return Places.along(held.of, given) if isinstance(held, Places) and is_dims(given) else given
            case _:
                return chosen(self, node)

    def _in_variable(self, node: ast.expr) -> ast.expr:
        """Return the Variable whose value an expression reads, if its shape is known, or the expression."""
        variable = variable_read(node)
        is_known = variable is not None and self.shapes.known(self.value(variable)) is not None
        return variable if variable is not None and is_known else node

    def _field(self, name: str) -> Shape:
        instance = self.uses.instance
        if name in self.uses.methods:
            return self.uses.given.get(name) if self.uses.is_property(name) else None
        known = instance.arrays.get(name)
        known = record_of(instance.annotations.get(name), self.uses.records) if known is None else known
        if known is None and name in instance.layers:
            return Held(name)
        return known if known is not None else None if name in instance.objects else Unknown(FIELD + name)

    def _is_object(self, shape: Shape, *, unless: bool = False) -> None:
        """Record that a value is no array, because code calls it or reads another attribute."""
        if isinstance(shape, Unknown) and not unless:
            self.shapes.objects.add(shape.name)

    def _call(self, node: ast.Call) -> Shape:
        name, taken = last_name(node), [self.value(part) for part in node.args]
        if name in AS_ARRAY and node.args and isinstance(node.args[0], ast.List):
            return listed(self, node.args[0])
        self._is_object(self.value(node.func))
        named = {keyword.arg or "**": self.value(keyword.value) for keyword in node.keywords}
        if (record := self._built(node.func)) is not None:
            for field in fields_of_counts(record, node):
                self.shapes.holds_counts(field)
            return built_record(self.shapes, record, taken, named)
        if name == "replace" and node.args and ast.unparse(node.args[0]) == "self":
            for field, shape in named.items():
                self._store(self._field(field), shape)
        if name in JOINS and node.args:
            return joined(self.shapes, node, [*map(self.value, getattr(node.args[0], "elts", []))])
        learn_counts(self, node, taken)
        if name == "scan" and len(node.args) > 2:
            return scanned(self, node.args[0], taken[1], taken[2])
        applied = self.applied(node.func, taken, named)
        if applied is not NOT_CALLED:
            return applied
        if attribute_of_self(node.func) is not None:
            return None  # a call of a field, even if jax has a function of its name
        made = created(self, node)
        return of_sizes(self, node, taken) or self._of_function(node, name, taken) if made is None else made

    def _built(self, function: ast.expr) -> Record | None:
        """Return the record of which a call builds an instance, or None."""
        if isinstance(function, ast.Attribute) and function.attr in ("_replace", "replace"):
            owner = self.uses.records.get(self.uses.owner)
            held = owner if ast.unparse(function.value) == "self" else self.value(function.value)
            return held if isinstance(held, Record) else None
        name = ast.unparse(function)
        return self.uses.records.get(self.uses.owner if name == "cls" else name)

    def _of_function(self, node: ast.Call, name: str, taken: list[Shape]) -> Shape:
        """Return the result of a function of jax, or of a method of an array."""
        if (of_index := of_state(self, node, taken) or updated(self, node, taken)) is not None:
            return of_index
        holder = holder_of(self, node)
        first = self.value(holder) if holder is not None and not layers_of(self, holder) else None
        arrays = taken if first is None else [first, *taken]
        if name in NUMBERS:
            return number_of(self.shapes, node, arrays, is_method=first is not None)
        return given_by(self.shapes, node, name, arrays)

    # -- functions and layers ------------------------------------------------------------------------------------------

    def applied(self, function: ast.expr, taken: list[Shape], named: Mapping[str, Shape]) -> Shape:
        """Return the result of a layer or function at these arguments, or `NOT_CALLED`."""
        wrapper = last_name(function) if isinstance(function, ast.Call) else ""
        if isinstance(function, ast.Call) and function.args and wrapper in MAPS:
            return mapped(self, function, taken, named)
        if isinstance(function, ast.Call) and function.args and wrapper in SAME_FUNCTION:
            return self.applied(function.args[0], taken, named)
        if (helper := helper_called(self, function)) is not None:
            return inlined(self, helper, taken, named)
        if isinstance(function, ast.Call) and function.args and wrapper in GRADIENTS:
            return gradient(self, function, taken, named)
        layer = self._layer(function)
        if layer is None:
            return NOT_CALLED
        taken, layer = in_order(names_taken(layer), taken, named), with_new_rows(layer, self.shapes.new)
        for place in layer.counts:
            self.shapes.holds_counts(taken[place] if place < len(taken) else None)
        if layer.any_rank:
            return along_last(self.shapes, layer, taken[0] if taken else None)
        hold_layers(self, taken, layer)
        for shape, meant in zip(taken, layer.takes, strict=False):
            take(self.shapes, shape, meant)
        is_kept = layer.keeps and taken and taken[0] is not None
        if layer.keeps:
            self.shapes.computes(taken[:1])
        given = taken[0] if is_kept else layer.result
        return Parts((given, STATE)) if layer.with_state else given

    def _layer(self, function: ast.expr) -> Layer | None:
        """Return the layer, the method or the local function that is called, or None."""
        method = method_called(self, function)
        match function:
            case ast.Lambda():
                name = f"lambda_{function.lineno}_{function.col_offset}"
                self._define(name, function)
                return self.functions[name]
            case ast.Name(id=name) if name in self.functions:
                return self.functions[name]
            case _ if method in self.uses.methods:
                return self.uses.as_layer(method)
            case ast.Name(id="self") if "__call__" in self.uses.methods:
                return self.uses.as_layer("__call__")
            case _:
                held = layers_of(self, function)
                return held[0] if held else method_of_record(self, function)


def _unless_none(node: ast.expr) -> ast.expr:
    """Return the branch that is not None: `array` of `None if array is None else array`."""
    match node:
        case ast.IfExp(body=ast.Constant(value=None), orelse=given):
            return given
        case ast.IfExp(body=given, orelse=ast.Constant(value=None)):
            return given
        case _:
            return node
