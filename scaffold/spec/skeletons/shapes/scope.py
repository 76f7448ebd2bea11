"""What expressions ask of the shapes of the arrays that they read: `self.weight @ x` takes as many numbers as a row of the weight has."""

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.spec.skeletons.shapes.functions import (
    ELEMENTWISE,
    NUMBERS,
    OF_ARRAYS,
    OF_TWO,
    PRODUCTS,
    SAME_FUNCTION,
)
from scaffold.spec.skeletons.shapes.indexing import axes_of_index, indexed, is_whole_index
from scaffold.spec.skeletons.shapes.known_layers import Layer, with_new_rows
from scaffold.spec.skeletons.shapes.mapped_axes import axes_of_vmap, has_other_result
from scaffold.spec.skeletons.shapes.products import FIELD, product, together
from scaffold.spec.skeletons.shapes.unknown_shapes import Parts, Shape, Shapes, Unknown
from scaffold.spec.source.instance import attribute_of_self, last_name

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.uses import Uses

_NOT_CALLED = Parts(())
"""Stands for what a function gives that is none of the class, and no layer."""


class Scope(Struct):
    """The names of a function, with the shapes that they have where a statement stands."""

    uses: "Uses"
    name: str
    bound: dict[str, Shape]
    layers: dict[str, list[Layer]]
    """The names that stand for a layer: `for layer in self.layers`."""
    functions: dict[str, Layer]
    """Functions within it: what they take, and what they give."""

    @property
    def shapes(self) -> Shapes:
        return self.uses.shapes

    def block(self, body: Iterable[ast.stmt]) -> Shape:
        """Read statements in order; what is returned last."""
        given: Shape = None
        for statement in body:
            match statement:
                case ast.FunctionDef(name=name):
                    self._define(name, statement)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function):
                    self._define(name, function)
                case ast.Assign(targets=[ast.Attribute() as target], value=value):
                    self._store(self.value(target), self.value(value))
                case ast.Assign(
                    targets=[ast.Tuple(elts=sizes)], value=ast.Attribute(value=array, attr="shape")
                ):
                    self.shapes.learn(self.value(array), tuple(self.shapes.new() for _ in sizes))
                case ast.Assign(targets=targets, value=value):
                    self._bind(targets, self.value(value))
                case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                    self.bound[name] = self.value(ast.BinOp(ast.Name(name, ast.Load()), op, value))
                case ast.Return(value=ast.expr() as value):
                    given = self.value(value)
                case ast.Expr(value=value):
                    self.value(value)
                case ast.For(target=target, iter=every):
                    self._loop(target, every)
                    given = self.block(statement.body) or given
                case ast.If() | ast.While() | ast.With():
                    inner = [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)]
                    given = self.block(inner) or given
                case _:
                    pass
        return given

    def _store(self, field: Shape, value: Shape) -> None:
        """A constructor stores a number, or an array."""
        self.shapes.learn(field, self.shapes.known(value))
        self.shapes.unify(field, value)

    def _define(self, name: str, node: ast.FunctionDef | ast.Lambda) -> None:
        own = f"{self.name}.{name}"
        given = self.uses.function(node, own, self.bound)
        takes = tuple(Unknown(f"{own}.{argument.arg}") for argument in node.args.args)
        self.functions[name] = Layer(takes, given)

    def _bind(self, targets: Iterable[ast.expr], value: Shape) -> None:
        for target in targets:
            match target:
                case ast.Name(id=name):
                    self.bound[name] = value
                case ast.Tuple(elts=parts) | ast.List(elts=parts):
                    is_plain = not any(isinstance(part, ast.Starred) for part in parts)
                    values = self.shapes.unpack(value if is_plain else None, len(parts))
                    for part, held in zip(parts, values, strict=True):
                        self._bind([part], held)
                case ast.Starred(value=inner):
                    self._bind([inner], None)
                case _:
                    pass

    def _loop(self, target: ast.expr, every: ast.expr) -> None:
        """A loop binds names anew, to layers where it is one over those, to rows where it is one over an array."""
        self._bind([target], None)
        inner = every.args if isinstance(every, ast.Call) else []
        match target, last_name(every):
            case ast.Tuple(elts=[_, element]), "enumerate" if inner:
                self._loop(element, inner[0])
            case ast.Tuple(elts=elements), "zip":
                for element, part in zip(elements, inner, strict=False):
                    self._loop(element, part)
            case _, "reversed" | "list" | "tuple" if inner:
                self._loop(target, inner[0])
            case _:
                self._bind_element(target, every)

    def _bind_element(self, target: ast.expr, every: ast.expr) -> None:
        held = every.value if isinstance(every, ast.Subscript) else every
        layers = self.uses.instance.layers.get(attribute_of_self(held) or "")
        if layers and isinstance(target, ast.Name):
            self.layers[target.id] = layers
        else:
            self._bind([target], self.shapes.row(self.value(every)))

    # -- expressions ---------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Shape:
        """The shape of what an expression gives; what it reads is learnt on the way."""
        match node:
            case ast.Name(id=name):
                return self.bound.get(name)
            case ast.Constant(value=int() | float() | complex()):
                return ()
            case ast.Attribute() if (name := attribute_of_self(node)) is not None:
                return self._field(name)
            case ast.Attribute(value=inner, attr="T"):
                return self._transposed(self.value(inner))
            case ast.Attribute(value=inner, attr=name):
                self._is_object(self.value(inner), unless=name in OF_ARRAYS)
                return None
            case ast.UnaryOp(operand=inner):
                return self.value(inner)
            case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner):
                for loop in node.generators:
                    self._loop(loop.target, loop.iter)
                self.value(inner)
                return None
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return product(self.shapes, self.value(left), self.value(right))
            case ast.Tuple(elts=parts):
                return Parts(tuple(map(self.value, parts)))
            case ast.BinOp(left=ast.Tuple() as several, op=ast.Mult(), right=ast.Constant(value=int(count))):
                held = self.value(several)
                return Parts(held.shapes * count) if isinstance(held, Parts) else None
            case ast.BinOp(left=left, right=right):
                return together(self.shapes, self.value(left), self.value(right))
            case ast.Call():
                return self._call(node)
            case ast.Subscript(value=inner, slice=index):
                return self._part(self.value(inner), index.elts if isinstance(index, ast.Tuple) else [index])
            case _:
                for part in ast.iter_child_nodes(node):
                    self.value(part) if isinstance(part, ast.expr) else None
                return None

    def _field(self, name: str) -> Shape:
        instance = self.uses.instance
        if name in self.uses.methods:
            return self.uses.given.get(name) if self.uses.is_property(name) else None
        known = instance.arrays.get(name)
        is_object = name in instance.layers or name in instance.objects
        return known if known is not None else None if is_object else Unknown(FIELD + name)

    def _is_object(self, shape: Shape, *, unless: bool = False) -> None:
        """Note that a name stands for something that is called, or read, as no array is."""
        if isinstance(shape, Unknown) and not unless:
            self.shapes.objects.add(shape.name)

    def _part(self, shape: Shape, index: list[ast.expr]) -> Shape:
        """What `shape[index]` has; an index of several axes says how many there are."""
        if is_whole_index(index):
            return shape
        axes = axes_of_index(index)
        if len(index) == 1 and isinstance(index[0], ast.Constant) and isinstance(index[0].value, int):
            return self.shapes.row(shape)
        if self.shapes.known(shape) is None and axes > 1:
            self.shapes.learn(shape, tuple(self.shapes.new() for _ in range(axes)))
        if isinstance(shape, Unknown):
            self.shapes.unclear.add(shape.name)
        dims = self.shapes.known(shape)
        return indexed(dims, index, self.shapes) if dims is not None and 0 <= axes <= len(dims) else None

    def _transposed(self, shape: Shape) -> Shape:
        """What `x.T` has; of an array of which nothing is known it says that it has two axes."""
        if self.shapes.known(shape) is None:
            self.shapes.learn(shape, (self.shapes.new(), self.shapes.new()))
        dims = self.shapes.known(shape)
        return None if dims is None else dims[::-1]

    def _call(self, node: ast.Call) -> Shape:
        name, taken = last_name(node), [self.value(part) for part in node.args]
        self._is_object(self.value(node.func))
        for keyword in node.keywords:
            self.value(keyword.value)
        if name == "fold_in" and taken:
            self.shapes.holds_counts(taken[-1])
            self.shapes.learn(taken[-1], ())
        if name == "scan" and len(node.args) > 2:
            return self._scan(node.args[0], taken[1], taken[2])
        applied = self._applied(node.func, taken)
        return self._of_function(node, name, taken) if applied is _NOT_CALLED else applied

    def _of_function(self, node: ast.Call, name: str, taken: list[Shape]) -> Shape:
        """What a function of jax gives, or a method of an array."""
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        is_method = holder is not None and not (isinstance(holder, ast.Name) and holder.id not in self.bound)
        first = self.value(node.func.value) if is_method and isinstance(node.func, ast.Attribute) else None
        arrays = [first, *taken] if first is not None else taken
        if name in PRODUCTS and len(arrays) == 2:
            return product(self.shapes, *arrays)
        if name in OF_TWO and len(arrays) == 2:
            return together(self.shapes, *arrays)
        if name in ELEMENTWISE and arrays:
            return arrays[0]
        if name in NUMBERS and arrays:
            axes = [keyword.value for keyword in node.keywords if keyword.arg == "axis"]
            axes += node.args[1 if first is None else 0 :]
            is_first = [ast.unparse(axis) for axis in axes] == ["0"]
            return self.shapes.row(arrays[0]) if is_first else None if axes or node.keywords else ()
        return None

    # -- functions and layers ------------------------------------------------------------------------------------------

    def _applied(self, function: ast.expr, taken: list[Shape]) -> Shape:
        """What a function of the class gives, or a layer; its arguments are of the shapes that it is called with."""
        wrapper = last_name(function) if isinstance(function, ast.Call) else ""
        if isinstance(function, ast.Call) and function.args and wrapper in ("vmap", "filter_vmap"):
            return self._mapped(function, taken)
        if isinstance(function, ast.Call) and function.args and wrapper in SAME_FUNCTION:
            return self._applied(function.args[0], taken)
        layer = self._layer(function)
        if layer is None:
            return _NOT_CALLED
        layer = with_new_rows(layer, self.shapes.new)
        if layer.any_rank:
            return self._along_last(layer, taken[0] if taken else None)
        for shape, meant in zip(taken, layer.takes, strict=False):
            self._take(shape, meant)
        if layer.of_counts:
            for shape in taken:
                self.shapes.holds_counts(shape)
        is_kept = layer.keeps and taken and taken[0] is not None
        return taken[0] if is_kept else layer.takes[0] if layer.keeps and layer.takes else layer.gives

    def _along_last(self, layer: Layer, shape: Shape) -> Shape:
        """What a layer of Flax gives, which keeps all axes but the last."""
        gives = layer.gives if isinstance(layer.gives, tuple) else ()
        [takes] = layer.takes
        known = self.shapes.known(shape)
        if known:
            self.shapes.learn((known[-1],), takes[-1:] if isinstance(takes, tuple) else None)
        else:
            self._take(shape, takes)
        lead = known[:-1] if known else takes[:-1] if isinstance(takes, tuple) and shape is not None else None
        return shape if layer.keeps else (*lead, gives[-1]) if lead is not None and gives else None

    def _take(self, shape: Shape, meant: Shape) -> None:
        """Take it that a value is what a layer, or a function, is called with."""
        if isinstance(meant, tuple):
            self.shapes.learn(shape, meant)
        elif meant is not None:
            self.shapes.unify(meant, shape)

    def _mapped(self, call: ast.Call, taken: list[Shape]) -> Shape:
        """What `jax.vmap` gives of a function, which takes rows of what it is given, or what lies along another axis."""
        axes = axes_of_vmap(call, len(taken))
        pairs = list(zip(taken, axes, strict=True))
        rows = [shape if axis is None else self.shapes.row(shape, axis) for shape, axis in pairs]
        given = self._applied(call.args[0], rows)
        if given is _NOT_CALLED:
            return None
        sizes = (self.shapes.known(shape) for shape, axis in pairs if axis == 0)
        size = next((dims[0] for dims in sizes if dims), "")
        return None if has_other_result(call) else self._over(given, size or self.shapes.new())

    def _over(self, shape: Shape, size: str) -> Shape:
        """Several of what a function gives."""
        if isinstance(shape, Parts):
            return Parts(tuple(self._over(part, size) for part in shape.shapes))
        dims = self.shapes.known(shape)
        return None if dims is None else (size, *dims)

    def _scan(self, function: ast.expr, carry: Shape, rows: Shape) -> Shape:
        """A scan takes rows of what its function takes second, and gives the carry with all that it gives second."""
        given = self._applied(function, [carry, self.shapes.row(rows)])
        if not isinstance(given, Parts) or len(given.shapes) != 2:
            return Parts((carry, None))
        self.shapes.equate(carry, given.shapes[0])
        dims = self.shapes.known(rows)
        return Parts((carry, self._over(given.shapes[1], dims[0] if dims else self.shapes.new())))

    def _layer(self, function: ast.expr) -> Layer | None:
        """The layer that is called, or the function within the class."""
        layers = self.uses.instance.layers
        method = attribute_of_self(function) or ""
        match function:
            case ast.Lambda():
                name = f"lambda_{function.lineno}_{function.col_offset}"
                self._define(name, function)
                return self.functions[name]
            case ast.Name(id=name) if name in self.functions:
                return self.functions[name]
            case ast.Name(id=name):
                held = self.layers.get(name, [])
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))):
                held = layers.get(attribute_of_self(value) or "", [])[index : index + 1]
            case _ if method in self.uses.methods:
                return self.uses.as_layer(method)
            case _:
                held = layers.get(method, [])
        return held[0] if held else None
