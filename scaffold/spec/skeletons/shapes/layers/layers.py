"""Shapes of arrays and layers that the annotations and the constructor of a class imply."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from scaffold.source.definitions import (
    annotated_names,
    arguments_of,
    arguments_with_defaults,
    method_of,
)
from scaffold.source.expressions import is_arithmetic, local_values, nodes_of
from scaffold.source.instance import arguments_by_name, last_name, made_attributes, names_array
from scaffold.source.lists import SHAPE_AT, Lists, created_shape, filled_lists
from scaffold.source.local_makers import substituted, unfolded
from scaffold.source.taken_sizes import is_paired
from scaffold.spec.grammar.kept_annotations import without_none
from scaffold.spec.grammar.named_dims import AXIS, ROWS
from scaffold.spec.grammar.types import dim_names, with_sizes
from scaffold.spec.grammar.values import PAIRED, SEQUENCES, example_ints
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import STATE, Dims, Parts, Shape
from scaffold.spec.skeletons.shapes.layers.given_layers import given_fields, given_layers
from scaffold.spec.skeletons.shapes.layers.known_layers import GIVEN_SIZES, Layer, known_layer

_ATOM = r"([A-Za-z_]\w*|\d+)"
_DIM = rf"{_ATOM}((\*|\+|-|//){_ATOM})*"
_DEEPEST = 4
"""Limit of local names that stand for each other."""
AS_ARRAY = ("array", "asarray")
"""Functions that make an array of their first argument."""


class Made(Struct, frozen=True):
    """Another class of the file: its constructor's arguments, and its call in terms of them."""

    arguments: tuple[str, ...]
    takes: tuple[Shape, ...]
    gives: Shape = None
    counts: tuple[int, ...] = ()
    """Positions of the arguments that hold whole numbers."""
    keeps: bool = False
    """Whether the result has the shape of the first argument, whatever its number of axes."""

    def layer(self, takes: tuple[Shape, ...], gives: Shape) -> Layer:
        """Return an instance as a layer, with `takes` and `gives` in sizes of the class that holds it."""
        return Layer(takes, gives, self.counts, keeps=self.keeps, any_rank=self.keeps)


class Instance(Struct):
    """The arrays and layers of an instance by field. A field that is a layer has a list of one layer."""

    arrays: dict[str, Dims] = {}
    layers: dict[str, list[Layer]] = {}
    objects: set[str] = set()
    """Fields that are no arrays by annotation, or arrays whose shape nothing says."""
    annotations: Mapping[str, ast.expr] = {}
    settings: dict[str, str] = {}
    """Sizes that a constructor stores: `size`, or `sizes[0]` of `self.sizes = (size, size)`."""


def instance_of(owner: ast.ClassDef, beside: Mapping[str, Made]) -> Instance:
    """Read the annotations and the constructor of a class. `beside` has other classes of the file."""
    annotated = {name: statement.annotation for name, statement in annotated_names(owner.body)}
    known = {name: dims_of(annotation) for name, annotation in annotated.items()}
    objects = {name for name, annotation in annotated.items() if not _is_array(annotation)}
    instance = Instance(
        {name: dims for name, dims in known.items() if dims is not None}, {}, objects, annotated
    )
    for name, _, layers in given_layers(owner):
        instance.layers[name] = layers
        instance.objects.add(name)
    for name, _, annotation in given_fields(owner):
        # The tests share sizes by name between a class and the parts that it is given.
        if (part := beside.get(ast.unparse(annotation))) is not None and part.takes:
            instance.layers[name] = [part.layer(part.takes, part.gives)]
    maker = method_of(owner, "__init__")
    if maker is None:
        return instance
    taken = {argument.arg for argument in arguments_of(maker)}
    made = unfolded(maker)
    filled = filled_lists(made)
    local = {**dict(local_values(maker)), **filled}
    makers, lists = Makers(taken, beside, local), Lists({**dict(_lists_given(maker)), **local}, copies=2)
    for name, value in made_attributes(made):
        _read_made(instance, makers, name, filled.get(f"self.{name}", value), lists)
        value = _of_a_number(value)
        parts = value.elts if isinstance(value, ast.Tuple) else ()
        instance.settings |= {f"{name}[{place}]": makers.size(part) for place, part in enumerate(parts)}
        instance.settings[name] = makers.size(value)
    return instance


def _of_a_number(value: ast.expr) -> ast.expr:
    """Return the branch for a number: `(n, n)` of `n if isinstance(n, tuple) else (n, n)`."""
    match value:
        case ast.IfExp(
            test=ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]), body=body, orelse=other
        ):
            return body if ast.unparse(kind) in ("int", "float") else other
        case _:
            return value


def _read_made(instance: Instance, makers: "Makers", name: str, value: ast.expr, lists: Lists) -> None:
    """Record the layers or the array that a constructor stores in a field."""
    parts = lists.parts(value)
    layers, dims = [makers.layer(part) for part in parts], makers.shape_of(value)
    if parts and parts != [value] and (of_part := makers.shape_of(parts[0])):
        dims = (str(len(parts)), *of_part)  # arrays in a list have one axis more
    if layers and layers[0] is not None:
        instance.layers.setdefault(name, [layer for layer in layers if layer is not None])
        instance.objects.add(name)
    elif dims or _is_number(value):
        instance.arrays.setdefault(name, dims)
    elif name not in instance.arrays and not _stores_name(value):
        instance.objects.add(name)  # or an array of which the shape cannot be told


def _is_number(value: ast.expr) -> bool:
    """Whether an expression makes a scalar array: `jnp.zeros(())`, `jnp.array(0)`."""
    match value:
        case ast.Call(args=[ast.Constant(value=int() | float()), *_]):
            return last_name(value) in AS_ARRAY
        case ast.Call():
            return created_shape(value, ast.unparse) == ()
        case _:
            return False


def _stores_name(value: ast.expr) -> bool:
    """Whether an expression stores a name or None: as is, as an array, or as in `nnx.Cache(time)`."""
    match value:
        case ast.Name() | ast.Constant(value=None):
            return True
        case ast.IfExp(body=kept, orelse=other):
            return _stores_name(kept) and _stores_name(other)
        case ast.Call(args=[ast.Name(), *_]) if last_name(value) in AS_ARRAY:
            return True
        case ast.Call(args=[ast.Name()], keywords=[]):
            return last_name(value)[:1].isupper()
        case _:
            return False


def dims_of(annotation: ast.expr | None) -> Dims | None:
    """Return the dims in an annotation of jaxtyping, `()` for a Python number, or None.

    Each dim must be a name, a number or arithmetic. The first dim may be variadic, as `*batch`.
    """
    match annotation:
        case ast.Name(id="int" | "float" | "complex"):
            return ()
        case ast.BinOp(left=inner, op=ast.BitOr(), right=ast.Constant(value=None)):
            return dims_of(inner)
        case ast.Subscript(value=head, slice=inner) if last_name(head) == "Optional":
            return dims_of(inner)
        case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(text))])):
            dims = tuple(text.split())
            single = dims[1:] if text.lstrip().startswith("*") else dims
            is_known = all(re.fullmatch(_DIM, dim) for dim in single)
            return dims if is_known else None
        case ast.Attribute() if ast.unparse(annotation) in ("eqx.nn.State", "equinox.nn.State", "nn.State"):
            return STATE
        case _:
            return None


def says_counts(annotation: ast.expr | None) -> bool:
    """Whether an annotation is of whole numbers: `int`, or `Int[Array, "n"]`."""
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return head is not None and re.fullmatch(r"(int|U?Int\d*|Integer)", last_name(head)) is not None


def _is_array(annotation: ast.expr) -> bool:
    """Whether an annotation is an array, with dims or without, maybe with `| None`."""
    annotation = without_none(annotation)
    head = annotation.slice if isinstance(annotation, ast.Subscript) else annotation
    name = head.elts[0] if isinstance(head, ast.Tuple) and head.elts else head
    return names_array(name)


class Makers(Struct):
    """Reader of the expressions in a constructor, whose arguments may be sizes."""

    sizes: set[str]
    beside: Mapping[str, Made]
    local: Mapping[str, ast.expr] = {}
    """Values of the local names."""

    def shape_of(self, value: ast.expr) -> Dims:
        """Return the shape of an array expression, as `jax.random.normal(key, (n, m)) / n`, or `()`."""
        calls = [*nodes_of(ast.Call, value)]
        by_name = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "shape"]
        given = [*(part for call in calls for part in call.args), *by_name]
        shapes = [part.elts for part in given if isinstance(part, ast.Tuple)]
        shapes += [[call.args[0]] for call in calls if call.args and SHAPE_AT.get(last_name(call)) == 0]
        dims = [tuple(self.size(each) or _local_dim(each) for each in shape) for shape in shapes]
        dims = [shape for shape in dims if all(shape)]
        return dims[0] if len(dims) == 1 else ()

    def size(self, node: ast.expr) -> str:
        """Return a size as a dim: a number, an argument or arithmetic with both. Else return `""`."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=size) if (
                name in self.sizes and size in GIVEN_SIZES
            ):
                return size  # of a layer that is given
            case _:
                pass
        node = self._in_terms_of_arguments(node)
        named = {name.id for name in nodes_of(ast.Name, node)}
        is_size = named <= self.sizes and is_arithmetic(node)
        return ast.unparse(node).replace(" ", "") if is_size else ""

    def _in_terms_of_arguments(self, node: ast.expr) -> ast.expr:
        """Inline local names: `2 * inner` becomes `2 * (expand * dim)` after `inner = expand * dim`."""
        local = {
            name: value
            for name, value in self.local.items()
            if is_arithmetic(value) and name not in {part.id for part in nodes_of(ast.Name, value)}
        }
        for _ in range(_DEEPEST):
            named = {name.id for name in nodes_of(ast.Name, node)} - self.sizes
            if not named.intersection(local):
                break
            node = substituted(node, {name: local[name] for name in named if name in local})
        return node

    def layer(self, value: ast.expr) -> Layer | None:
        """Return the layer that an expression makes, or None if nothing says what the layer takes."""
        match value:
            case ast.ListComp(elt=each):
                return self.layer(each)
            case ast.Call(args=[ast.List(elts=[first, *_]), *_]) if last_name(value) == "Sequential":
                inner = self.layer(first)
                return None if inner is None else Layer(inner.takes)
            case ast.Call(args=[_, changed, *_]) if last_name(value) == "tree_at":
                name = ast.unparse(changed)
                rest = {other: value for other, value in self.local.items() if other != name}
                return replace(self, local=rest).layer(self.local.get(name, changed))
            case ast.Call() if last_name(value) in self.beside:
                return self._class(value, self.beside[last_name(value)])
            case ast.Call():
                return known_layer(value, self.size)
            case _:
                return None

    def given(self, call: ast.Call, arguments: Iterable[str]) -> dict[str, str]:
        """Map each argument of a constructor to its size in a call, or to `""` if no size is given."""
        given = dict.fromkeys(arguments, "")
        return given | {name: self.size(value) for name, value in arguments_by_name(call, given)}

    def _class(self, call: ast.Call, made: Made) -> Layer | None:
        """Return a class of the file as a layer, in terms of the sizes that this call gives."""
        given = self.given(call, made.arguments)
        takes = tuple(_in_terms_of(given, shape) for shape in made.takes)
        if not takes or None in takes:
            return None
        return made.layer(takes, _in_terms_of(given, made.gives))


def _local_dim(node: ast.expr) -> str:
    """Return a dim for a local name of unknown value, or `""` for any other expression."""
    return f"{AXIS}{node.id}" if isinstance(node, ast.Name) else ""


def _in_terms_of(given: Mapping[str, str], shape: Shape) -> Shape:
    """Replace constructor arguments in a shape by their sizes, or return None if any is no size."""
    if isinstance(shape, Parts):
        parts = tuple(_in_terms_of(given, part) for part in shape.shapes)
        return None if None in parts else Parts(parts)
    if not isinstance(shape, tuple):
        return None
    dims = tuple(
        with_sizes(dim, {name: given.get(name, _row_of(name)) for name in dim_names(dim)}) for dim in shape
    )
    return dims if all(dims) else None


def _row_of(dim: str) -> str:
    """Turn a dim that no constructor argument gives into an axis of the call's argument."""
    return dim if dim.startswith(ROWS) else f"{ROWS}_{dim}"


def _lists_given(maker: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the arguments annotated as several ints, each with its default or the tests' example."""
    for argument, default in arguments_with_defaults(maker):
        annotation = argument.annotation
        if isinstance(annotation, ast.Subscript):
            kind = SEQUENCES.get(last_name(annotation.value))
            if {name.id for name in nodes_of(ast.Name, annotation.slice)} == {"int"} and kind is not None:
                count = PAIRED if is_paired(argument.arg, *maker.body) else 2
                ints = kind(example_ints(count, is_tuple=kind is tuple))
                yield argument.arg, default or ast.parse(repr(ints), mode="eval").body
