"""Shapes that the code of a class implies for its fields and for the arguments of its methods."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, repeat

from msgspec import Struct, field

from scaffold.source.definitions import annotated_names, arguments_of, method_of
from scaffold.source.expressions import Function, nodes_of
from scaffold.source.flattened import numbers_beside_leaves
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.grammar.named_dims import AXIS, ROWS
from scaffold.spec.grammar.types import dim_names
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import STATE, Parts, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.products import FIELD
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.layers.known_layers import Layer, renamed
from scaffold.spec.skeletons.shapes.layers.layers import Made, dims_of, instance_of, says_counts
from scaffold.spec.skeletons.shapes.made_dtypes import made_dtypes
from scaffold.spec.skeletons.shapes.overrides import asked_by_bases, bases_of_file, inherited, learn_taken
from scaffold.spec.skeletons.shapes.records import Records, learn_declared, records_of
from scaffold.spec.skeletons.shapes.ties import bound_names, ties_of
from scaffold.spec.skeletons.shapes.uses import Uses

_READINGS = 2
"""Number of passes over the methods, because a method may tell of a field that earlier methods read."""
_TEXTS = ("__repr__", "__str__", "__format__")
"""Methods that return an instance as text."""
_TIMES = ("t", "dt", "tau", "time", "timestep")
_OF_ANY_ARRAY = ("shape", "dtype", "ndim", "size")
"""Attributes of arrays of any shape, whose reading implies no shape."""


class ClassShapes(Struct, frozen=True):
    """Shapes that the code of a class implies."""

    shapes: Shapes
    given: Mapping[str, Shape]
    """Result of each method."""
    not_sizes: frozenset[str] = frozenset()
    """Fields whose names cannot be dims."""
    keeps: bool = False
    """Whether the call returns the shape of its first argument, whatever the number of axes."""

    def of_argument(self, function: str, name: str) -> str:
        """Return the type of a method's argument in the grammar, or `""` if no use reveals the shape.

        A time that meets an unnamed axis is a scalar, as in a table of frequencies or of steps.
        """
        known = self.shapes.known(Unknown(f"{function}.{name}"))
        if name in _TIMES and known is not None and len(known) == 1 and known[0].startswith(AXIS):
            return "i32[]" if self.shapes.is_count(Unknown(f"{function}.{name}")) else "f[]"
        return self._type(f"{function}.{name}")

    def stated(self, function: str, name: str) -> str:
        """Return the type of an argument whose shape a statement that raises states, or `""`."""
        return (
            self._type(f"{function}.{name}")
            if self.shapes.is_among(self.shapes.stated, Unknown(f"{function}.{name}"))
            else ""
        )

    def of_field(self, name: str) -> str:
        """Return the type of a field in the grammar, or `""`."""
        return self._type(FIELD + name)

    def _type(self, name: str) -> str:
        if self.shapes.known(Unknown(name)) == STATE:
            return "eqx.nn:State"
        dims = None if name in self.shapes.objects else self.shapes.known(Unknown(name))
        is_count, is_flag = self.shapes.is_count(Unknown(name)), name in self.shapes.flags
        dtype = "bool" if is_flag else "i32" if is_count else "f"
        if dims is None:
            return self._tuple(name)
        is_plain = not any("(" in dim for dim in dims)  # the grammar has no brackets
        return f"{dtype}[{','.join(dims)}]" if is_plain and self.not_sizes.isdisjoint(dims) else ""

    def _tuple(self, name: str) -> str:
        """Return the type of a tuple of arrays, such as a carry, or `""`."""
        parts = [self._type(part.name) for part in self.shapes.parts_of(name)]
        return f"tuple[{', '.join(parts)}]" if parts and all(parts) else ""


def shapes_by_class(
    classes: Mapping[str, ast.ClassDef], functions: Mapping[str, ast.FunctionDef]
) -> dict[str, ClassShapes]:
    """Return the shapes that the code of each class of a file implies.

    A class may call functions of the file and classes above, and read the fields of records.
    """
    by_class: dict[str, ClassShapes] = {}
    beside = Beside(classes, records_of(classes), functions)
    read = {part.attr for node in classes.values() for part in _attributes(node)}
    # Records come last, as others say what they hold. The second round knows what all classes give.
    order = sorted(classes, key=beside.records.__contains__)
    for is_last, name in [*zip(repeat(False), order), *zip(repeat(True), order)]:
        node = classes[name]
        by_class[name] = _shapes_of(node, beside, read if is_last else None)
        beside.learn_layers(node, by_class[name])
    return by_class


def _attributes(owner: ast.ClassDef) -> Iterator[ast.Attribute]:
    """Return the attributes that a class reads, except for texts, bare returns and facts of any array."""
    parts = [part for part in owner.body if getattr(part, "name", "") not in _TEXTS]
    asked = [part.value for part in nodes_of(ast.Attribute, *parts) if part.attr in _OF_ANY_ARRAY]
    given = {*asked, *(statement.value for statement in nodes_of(ast.Return, *parts))}
    return (part for part in nodes_of(ast.Attribute, *parts) if part not in given)


class Beside(Struct):
    """Facts about the other classes of a file."""

    classes: Mapping[str, ast.ClassDef]
    records: Records
    functions: Mapping[str, ast.FunctionDef] = {}
    made: dict[str, Made] = {}
    shapes: Shapes = field(default_factory=Shapes)
    """Shapes of the records' fields, from the classes that have been read."""
    layers: dict[str, Layer] = {}
    """Methods of records as layers, under names such as `Kernel.cross`."""

    def begun(self) -> Shapes:
        """Return empty shapes, which go on counting unnamed dims, since each class has its own."""
        return Shapes(count=self.shapes.count)

    def tell_fields(self, shapes: Shapes) -> None:
        """Learn the fields of records from other classes, unless a class itself names their dims."""
        for name, dims in ((name, self.shapes.known(Unknown(name)) or ()) for name in self.shapes.dims):
            if shapes.known(Unknown(name)) is None or all(dim.startswith(AXIS) for dim in dims):
                shapes.learn(Unknown(name), dims)

    def learn_fields(self, shapes: Shapes) -> None:
        """Take over the shapes that a class implies for the fields of records."""
        self.shapes.count = shapes.count
        for record in self.records.values():
            for held in map(record.field, record.fields):
                self.shapes.computes([held] if shapes.is_among(shapes.computed, held) else [])
                self.shapes.hold_counts([held] if shapes.is_count(held) else [])
                dims = shapes.known(held)
                if dims is not None and all(re.fullmatch(r"\w+", dim) for dim in dims):
                    self.shapes.learn(held, dims)

    def learn_layers(self, node: ast.ClassDef, read: ClassShapes) -> None:
        """Record the call of a class with a constructor, and all methods of a record, as layers."""
        call, maker = method_of(node, "__call__"), method_of(node, "__init__")
        if call is not None and maker is not None:
            ties = ties_of(node, read.shapes)
            takes = tuple(renamed(shape, ties) for shape in _first_known(call, read.shapes))
            arguments = tuple(argument.arg for argument in arguments_of(maker))
            gives = renamed(_told(read.shapes, read.given.get("__call__")), ties)
            self.made[node.name] = Made(
                arguments, takes, gives, tuple(_counts(call, read.shapes)), read.keeps
            )
        methods = (part for part in node.body if isinstance(part, Function))
        for method in methods if node.name in self.records else ():
            shapes = [_known(method, argument, read.shapes) for argument in arguments_of(method)]
            free = _free_rows(shapes, bound_names(node))
            takes = tuple(renamed(shape, free) for shape in shapes)
            gives = renamed(read.shapes.known(read.given.get(method.name)), free)
            keeps = _gives_first(method, read)
            layer = Layer(takes, gives, tuple(_counts(method, read.shapes)), keeps=keeps)
            self.layers[f"{node.name}.{method.name}"] = layer


def _shapes_of(owner: ast.ClassDef, beside: Beside, read: Collection[str] | None) -> ClassShapes:
    """Infer the shapes of a class. Given `read`, the attributes that code reads, guess unknown shapes."""
    own = [part for part in owner.body if isinstance(part, Function)]
    methods = [*inherited(owner, beside.classes), *own]
    shapes = beside.begun()
    for name in beside.records[owner.name].fields if owner.name in beside.records else ():
        shapes.unify(Unknown(FIELD + name), beside.records[owner.name].field(name))
    named = {method.name: method for method in methods}
    instance = instance_of(owner, beside.made)
    makers = (method_of(base, "__init__") for base in bases_of_file(owner, beside.classes))
    functions, maker = beside.functions, next(filter(None, makers), None)
    uses = Uses(owner.name, instance, shapes, named, {}, beside.records, beside.layers, functions, maker)
    uses.made_dtypes = made_dtypes(owner)
    for name in numbers_beside_leaves(owner):
        shapes.learn(Unknown(FIELD + name), ())
    learn_declared(shapes, beside.records, beside.classes)
    asked = [*asked_by_bases(owner, beside.classes)]
    learn_taken(shapes, asked)
    for method in methods * _READINGS:
        uses.read(method)
    beside.tell_fields(shapes)
    shapes.computed |= beside.shapes.computed
    shapes.counts |= beside.shapes.counts
    for method in methods:
        uses.read(method)
    if read is not None:
        _pair_places(shapes)
        shapes.settle(_vectors(owner, shapes, read, [f"{name}." for name in beside.records]))
        for method in methods:
            uses.read(method)
        _settle_arguments(methods, shapes)
        for method in methods:
            uses.read(method)
    for method, of_base in asked:
        shapes.learn(
            uses.given.get(method.name), dims_of(of_base.returns) if method.returns is None else None
        )
    beside.learn_fields(shapes)
    keeps = "__call__" in named and uses.keeps_rank()
    return ClassShapes(shapes, uses.given, frozenset(_not_sizes(owner)), keeps)


def _not_sizes(owner: ast.ClassDef) -> Iterator[str]:
    """Yield the fields that are no whole numbers, and name no int argument of the constructor.

    A dim of a field may have the name of another field, as `species` beside their names.
    """
    maker = method_of(owner, "__init__")
    taken = () if maker is None else arguments_of(maker)
    members = (
        (each.arg, member) for each in taken if each.annotation for member in members_of(each.annotation)
    )
    numbers = {name for name, member in members if ast.unparse(member) == "int"}
    fields = [(name, part.annotation) for name, part in annotated_names(owner.body)]
    said = {name for _, kind in fields for dim in dims_of(kind) or () for name in dim_names(dim)}
    for name, kind in fields:
        if ast.unparse(kind) != "int" and name not in {*numbers, *said}:
            yield name


def _gives_first(method: Function, read: ClassShapes) -> bool:
    """Whether a method computes with its first argument and returns that argument's shape, whatever it is."""
    first = next((Unknown(f"{method.name}.{argument.arg}") for argument in arguments_of(method)), None)
    return first is not None and first.name in read.shapes.computed and read.given.get(method.name) == first


def _counts(function: Function, shapes: Shapes) -> Iterator[int]:
    """Yield the positions of the arguments that hold whole numbers."""
    for place, argument in enumerate(arguments_of(function)):
        if says_counts(argument.annotation) or shapes.is_count(Unknown(f"{function.name}.{argument.arg}")):
            yield place


def _known(function: Function, argument: ast.arg, shapes: Shapes) -> Shape:
    said = dims_of(argument.annotation)
    return shapes.known(Unknown(f"{function.name}.{argument.arg}")) if said is None else said


def _vectors(
    owner: ast.ClassDef, shapes: Shapes, read: Collection[str], records: Iterable[str]
) -> Iterator[str]:
    """Yield fields that any shape suits: fields of which code computes elements, or that no class reads.

    Any shape suits all fields of a class without methods.
    """
    yield from sorted(name for name in shapes.computed if name.startswith((FIELD, *records)))
    is_plain = not any(isinstance(part, Function) for part in owner.body)
    yield from (FIELD + name for name, _ in annotated_names(owner.body) if is_plain or name not in read)


def _pair_places(shapes: Shapes) -> None:
    """Learn that indices unpacked from an array are equally long: `source, target = edges`."""
    for name in sorted(shapes.unpacked.keys() - shapes.tuples):
        parts = shapes.parts_of(name)
        shapes.be_of_one_length(parts if all(map(shapes.is_count, parts)) else [])


def _settle_arguments(methods: Iterable[Function], shapes: Shapes) -> None:
    """Guess unknown arguments: as others of the same name, or as vectors, `x` of `jnp.sum(x**2)`."""
    by_argument: dict[str, list[str]] = {}
    for method in methods:
        for argument in arguments_of(method):
            by_argument.setdefault(argument.arg, []).append(f"{method.name}.{argument.arg}")
    for names in by_argument.values():
        known = {name: dims for name in names if (dims := shapes.known(Unknown(name))) is not None}
        others = [name for name in names if name not in known and name not in shapes.objects]
        for name in others if len({*known.values()}) == 1 else ():
            shapes.learn(Unknown(name), *{*known.values()})
            shapes.hold_counts(
                [Unknown(name)] if any(shapes.is_count(Unknown(each)) for each in known) else []
            )
    shapes.settle(sorted(shapes.computed.intersection(chain(*by_argument.values()))))


def _first_known(call: ast.FunctionDef, shapes: Shapes) -> Iterator[Shape]:
    """Yield the shapes of the arguments of a call, up to the first unknown shape."""
    for argument in arguments_of(call):
        said = dims_of(argument.annotation)
        shape = _told(shapes, Unknown(f"__call__.{argument.arg}")) if said is None else said
        if shape is None:
            return
        yield shape


def _free_rows(shapes: Iterable[Shape], bound: Collection[str]) -> dict[str, str]:
    """Rename dims that a method alone names, since each call has its own: `n` becomes `rows_n`."""
    dims = [dim for shape in shapes if isinstance(shape, tuple) for dim in shape]
    return {name: f"{ROWS}_{name}" for dim in dims for name in dim_names(dim) if name not in bound}


def _told(shapes: Shapes, shape: Shape) -> Shape:
    """Return a known shape for other classes, whose unnamed axes become rows, or None."""
    if isinstance(shape, Unknown) and shapes.known(shape) is None:
        shape = Parts(tuple(shapes.parts_of(shape.name)))
    if isinstance(shape, Parts):
        parts = tuple(_told(shapes, part) for part in shape.shapes)
        return Parts(parts) if parts and None not in parts else None
    dims = shapes.known(shape)
    return None if dims is None else tuple(map(_as_row, dims))


def _as_row(dim: str) -> str:
    """Turn an unnamed axis into a row, because other classes do not share its name."""
    return dim.replace(AXIS, f"{ROWS}_") if dim.startswith(AXIS) else dim
