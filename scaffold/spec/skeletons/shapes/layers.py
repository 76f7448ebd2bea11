"""What the constructor of a class says of the shapes of its arrays, and of what its layers take and give."""

import ast
import re
from collections.abc import Mapping

from msgspec import Struct, field

from scaffold.spec.grammar.named_dims import ROWS
from scaffold.spec.skeletons.shapes.unknown_shapes import Dims
from scaffold.spec.source.definitions import annotated_names, arguments_with_defaults
from scaffold.spec.source.expressions import nodes_of
from scaffold.spec.source.instance import last_name, made_attributes
from scaffold.spec.source.local_makers import unfolded

_LAYERS = {
    "Linear": (("in_features",), "out_features"),
    "MLP": (("in_size",), "out_size"),
    "LayerNorm": (("shape",), "shape"),
    "RMSNorm": (("shape",), "shape"),
    "GRUCell": (("input_size", "hidden_size"), "hidden_size"),
    "LSTMCell": (("input_size",), ""),
    "BatchNorm": (("num_features",), "num_features"),
}
"""Layers of Equinox and Flax: the arguments that are the sizes of what they are called with, and that of what they give."""
_PLACES = {
    **{"in_features": 0, "out_features": 1, "in_size": 0, "out_size": 1, "shape": 0},
    **{"input_size": 0, "hidden_size": 1, "num_features": 0},
}


_TABLES = {"Embedding": 1, "Embed": 1}
"""Layers that look up rows, and the place of their size; Flax calls one by a batch as well."""


class Layer(Struct, frozen=True):
    """The dims of what a layer is called with, and of what it gives, as far as they are known."""

    takes: tuple[Dims, ...]
    gives: Dims | None = None
    of_counts: bool = False
    """Whether it takes whole numbers."""


class Made(Struct, frozen=True):
    """Another class of the file: the arguments of its constructor, and the dims that its call takes in terms of them."""

    arguments: tuple[str, ...]
    takes: tuple[Dims, ...]


class Instance(Struct):
    """The dims of the arrays of an instance, and its layers: by field, in order, one of a field that is a layer itself."""

    arrays: dict[str, Dims] = field(default_factory=dict[str, Dims])
    layers: dict[str, list[Layer]] = field(default_factory=dict[str, list[Layer]])
    objects: set[str] = field(default_factory=set[str])
    """The fields that are no arrays, as their annotations say, or of which nothing says the shape."""


def instance_of(owner: ast.ClassDef, beside: Mapping[str, Made]) -> Instance:
    """What the annotations and the constructor of a class say of its instances.

    `beside` has what is known of other classes of the file.
    """
    annotated = {name: statement.annotation for name, statement in annotated_names(owner.body)}
    known = {name: dims_of(annotation) for name, annotation in annotated.items()}
    objects = {name for name, annotation in annotated.items() if not _is_array(annotation)}
    instance = Instance({name: dims for name, dims in known.items() if dims is not None}, objects=objects)
    maker = function_of(owner, "__init__")
    if maker is None:
        return instance
    makers = Makers({argument.arg for argument, _ in arguments_with_defaults(maker)}, beside)
    for name, value in made_attributes(ast.unparse(unfolded(maker))):
        dims = makers.shape_of(value)
        if dims:
            instance.arrays.setdefault(name, dims)
        elif not isinstance(value, ast.Name) and name not in instance.arrays:
            instance.objects.add(name)  # or an array of which the shape cannot be told
        listed = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
        layers = [makers.layer(part) for part in listed]
        if layers and layers[0] is not None:
            instance.layers.setdefault(name, [layer for layer in layers if layer is not None])
    return instance


def function_of(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """The method of a class by its name."""
    functions = (part for part in owner.body if isinstance(part, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def dims_of(annotation: ast.expr | None) -> Dims | None:
    """The dims of a number, or of an annotation of jaxtyping where each is a name or a number."""
    match annotation:
        case ast.Name(id="int" | "float" | "complex"):
            return ()
        case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(text))])):
            dims = tuple(text.split())
            return dims if all(re.fullmatch(r"[A-Za-z_]\w*|\d+", dim) for dim in dims) else None
        case _:
            return None


def _is_array(annotation: ast.expr) -> bool:
    """Whether an annotation is that of an array, with dims or without."""
    head = annotation.slice if isinstance(annotation, ast.Subscript) else annotation
    name = head.elts[0] if isinstance(head, ast.Tuple) and head.elts else head
    return ast.unparse(name).rpartition(".")[2] in ("Array", "ArrayLike", "ndarray")


class Makers(Struct):
    """The expressions of a constructor, whose arguments may be sizes."""

    sizes: set[str]
    beside: Mapping[str, Made]

    def shape_of(self, value: ast.expr) -> Dims:
        """The shape that an expression of one array says: `jax.random.normal(key, (n, m)) / n`."""
        calls = [*nodes_of(ast.Call, value)]
        shapes = [part.elts for call in calls for part in call.args if isinstance(part, ast.Tuple)]
        shapes += [[call.args[0]] for call in calls if call.args and last_name(call) in ("zeros", "ones")]
        dims = [tuple(map(self.size, shape)) for shape in shapes]
        dims = [shape for shape in dims if all(shape)]
        return dims[0] if len(dims) == 1 else ()

    def size(self, node: ast.expr) -> str:
        """A size as a dim: a number, an argument, or arithmetic over such; nothing for all else."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=size) if name in self.sizes and size in _PLACES:
                return size  # of a layer that is given
            case _:
                pass
        parts = (ast.BinOp, ast.Name, ast.Constant, ast.operator, ast.expr_context)
        named = {name.id for name in nodes_of(ast.Name, node)}
        is_size = named <= self.sizes and all(isinstance(part, parts) for part in ast.walk(node))
        return ast.unparse(node).replace(" ", "") if is_size else ""

    def layer(self, value: ast.expr) -> Layer | None:
        """The layer that an expression makes; None where nothing says what it takes."""
        match value:
            case ast.ListComp(elt=each):
                return self.layer(each)
            case ast.Call(args=[ast.List(elts=[first, *_]), *_]) if last_name(value) == "Sequential":
                inner = self.layer(first)
                return None if inner is None else Layer(inner.takes)
            case ast.Call() if last_name(value) in _TABLES:
                width = self._at(value, ("embedding_size", "features"), _TABLES[last_name(value)])
                return Layer(((),), (width,) if width else None, of_counts=True)
            case ast.Call() if last_name(value) in _LAYERS:
                rows = (ROWS,) if "nnx" in ast.unparse(value.func).split(".") else ()
                return self._known_layer(value, rows)
            case ast.Call() if last_name(value) in self.beside:
                return self._class(value, self.beside[last_name(value)])
            case _:
                return None

    def _known_layer(self, call: ast.Call, rows: Dims) -> Layer | None:
        taken, given = _LAYERS[last_name(call)]
        dims = [self._dims(call, name) for name in taken]
        if any(each is None for each in dims):
            return None
        out = self._dims(call, given) if given else None
        return Layer(tuple((*rows, *(each or ())) for each in dims), None if out is None else (*rows, *out))

    def _dims(self, call: ast.Call, name: str) -> Dims | None:
        """The one dim that a size is; none of `"scalar"`."""
        by_name = {keyword.arg: keyword.value for keyword in call.keywords}
        place = _PLACES[name]
        size = call.args[place] if place < len(call.args) else by_name.get(name)
        if isinstance(size, ast.Constant) and size.value == "scalar":
            return ()
        dim = self.size(size) if size is not None else ""
        return (dim,) if dim and dim.strip("'\"") == dim else None

    def _at(self, call: ast.Call, names: tuple[str, ...], place: int) -> str:
        """The size that stands at a place, or by a name."""
        named = [keyword.value for keyword in call.keywords if keyword.arg in names]
        sizes = [*call.args[place : place + 1], *named]
        return self.size(sizes[0]) if sizes else ""

    def _class(self, call: ast.Call, made: Made) -> Layer | None:
        """What another class of the file takes, in terms of what it is made with here."""
        given = dict.fromkeys(made.arguments, "")
        given |= {name: self.size(value) for name, value in zip(given, call.args, strict=False)}
        given |= {keyword.arg: self.size(keyword.value) for keyword in call.keywords if keyword.arg}
        takes = [
            tuple(re.sub(r"[A-Za-z_]\w*", lambda name: given.get(name[0], name[0]), dim) for dim in dims)
            for dims in made.takes
        ]
        return Layer(tuple(takes)) if takes and all(all(dims) for dims in takes) else None
