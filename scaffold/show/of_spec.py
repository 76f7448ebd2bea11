"""Tree of a spec, with the sizes of its tests or of the command line."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.kind import kind_of
from scaffold.mesh_axes import axes_of
from scaffold.passes.compute import computes_in
from scaffold.passes.stacked.layers import count_of_layers
from scaffold.show.roles import role_of_leaf
from scaffold.show.tree import Dim, Part, Tree, walk
from scaffold.source.text import listed
from scaffold.spec.construction.arithmetic import evaluate
from scaffold.spec.construction.sizes import several, sizes
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import (
    ArrayType,
    ClassType,
    DictType,
    ListType,
    Type,
    UnionType,
    dim_names,
)
from scaffold.spec.grammar.types import walk as walk_types
from scaffold.spec.model import Field, ModuleSpec

Known = Mapping[str, ModuleSpec]


class Place(Struct, frozen=True):
    """Class at a path of the picture."""

    spec: ModuleSpec
    known: Known
    sizes: Mapping[str, int]
    path: str = ""
    frozen: bool = False
    decays: bool = True
    above: tuple[str, ...] = ()
    """Enclosing classes, so that a class that holds itself is drawn only once."""
    layers: tuple[Dim, ...] = ()
    """Leading axes that stacking adds to the arrays."""

    def below(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def trees_of_specs(specs: Iterable[ModuleSpec], known: Known, chosen: Mapping[str, int]) -> list[Tree]:
    """Return the trees of specs. Raises `ScaffoldError` for chosen sizes of unknown dims."""
    trees = [tree_of_spec(spec, known, chosen) for spec in specs]
    _check_chosen(chosen, {name for tree in trees for name in tree.sizes})
    return trees


def tree_of_spec(spec: ModuleSpec, known: Known, chosen: Mapping[str, int]) -> Tree:
    """Return the tree of a spec, with `chosen` sizes for some of its dims."""
    class_sizes = {**sizes(spec), **chosen}
    parts = tuple(_parts(Place(spec, known, class_sizes)))
    names = {name for _, part in walk(parts) for dim in part.dims for name in dim_names(dim.name)}
    items = [part.path for _, part in walk(parts) if part.role == "items"]
    notes = [f"{path}: one item is counted; its number is the constructor's to say" for path in items]
    notes += [*_own_sizes(parts, class_sizes), *_uncounted(spec, parts, known)]
    dtype = computes_in(spec)
    notes += (
        [f"methods compute in {dtype}: what they read is cast, and what is stored is not"] if dtype else []
    )
    sized = {name: size for name, size in class_sizes.items() if name in names}
    return Tree(spec.name, spec.kind, parts, sized, tuple(notes), spec.call is not None, bool(spec.save))


def _own_sizes(parts: tuple[Part, ...], sized: Mapping[str, int]) -> Iterator[str]:
    """Yield notes on parts that are counted with sizes of their own, since the class names no such dim."""
    for part in parts:
        below = [dim for _, inner in walk(part.parts) for dim in inner.dims]
        own_sizes = {str(dim): dim.size for dim in below if dim.name.isidentifier() and dim.name not in sized}
        if own_sizes:
            text = ", ".join(f"{name}={size}" for name, size in own_sizes.items())
            yield f"{part.path}: counted with its own {text}"


def _uncounted(spec: ModuleSpec, parts: tuple[Part, ...], known: Known) -> Iterator[str]:
    """Yield a note on parts without arrays in the picture, because no spec describes their class."""
    bare = (part for _, part in walk(parts) if part.role == "module" and not part.parts)
    paths = [part.path for part in bare if part.class_name.partition(",")[0] not in known]
    if paths:
        own = f"`scaffold show PATH/{spec.stem}.py:{spec.name}` counts the class that was written"
        yield f"{listed(paths)}: not counted, since no spec says what there is in such a part; {own}"


def _check_chosen(chosen: Mapping[str, int], names: Iterable[str]) -> None:
    legal = tuple(sorted(names))
    faults = [
        Fault(
            f"--set {name}", "no array has such a dim", suggestion(name, legal, "name one of its dims"), legal
        )
        for name in chosen
        if name not in legal
    ]
    if faults:
        raise ScaffoldError.of(faults)


def _parts(place: Place) -> Iterator[Part]:
    for field in place.spec.fields:
        frozen = place.frozen or field.frozen == "true"
        yield _part(field.type, field, field.name, place.below(field.name), place, frozen)


def _part(kind: Type, field: Field, name: str, path: str, place: Place, frozen: bool) -> Part:
    match kind:
        case ArrayType():
            return _array(kind, field, name, path, place, frozen)
        case UnionType(members=(member,)):
            return _part(member, field, name, path, place, frozen)
        case ListType(item=item) | DictType(item=item) if field.dynamic:
            inner = _part(item, field, "[i]", f"{path}[i]", place, frozen)
            lists = "a list" if place.spec.source else "a tuple"
            word = lists if isinstance(kind, ListType) else "a dict"
            return Part(name, "items", path, class_name=f"{word} of such", parts=(inner,))
        case ClassType(name=class_name) if field.role == "module":
            layers = (*place.layers, *_layers(field, place))
            inside = replace(place, decays=place.decays and field.decays, layers=layers)
            part = _nested(class_name, name, path, inside, frozen)
            is_choice = field.frozen not in ("", "true")
            return (
                replace(part, class_name=f"{class_name}, frozen where {field.frozen}") if is_choice else part
            )
        case _:
            sort = "number" if type_text(kind) in ("bool", "int", "float", "complex") else "python"
            is_leaf = field.python_leaf or field.is_leaf
            role = role_of_leaf(place.spec.kind, sort) if is_leaf else field.role
            return Part(name, role, path, value=_value(kind, field))


def _layers(field: Field, place: Place) -> Iterator[Dim]:
    """Yield the leading axis of a stacked field, with size 1 if its number of layers is unknown."""
    count = count_of_layers(field) if field.stacked else None
    if count is not None:
        static = place.spec.field(count)
        said = place.sizes.get(count, static.default if static is not None else None)
        size = evaluate(count, place.sizes) if count.isdigit() else int(said or 1)
        yield Dim(size, "" if count.isdigit() else count)


def _array(kind: ArrayType, field: Field, name: str, path: str, place: Place, frozen: bool) -> Part:
    role = "frozen" if frozen and field.role == "param" else field.role
    role = "undecayed" if role == "param" and not (field.decays and place.decays) else role
    role = "key" if kind.dtype == "key" else role
    role = "updated" if role == "state" and kind_of(place.spec.kind).variables else role
    dims = (*place.layers, *(sized_dim for dim in kind.dims for sized_dim in _dims(dim, place)))
    owner = field.of or "" if role == "shared" else ""
    optional = field.nullable or field.optional is not None
    return Part(name, role, path, DTYPES[kind.dtype][1], dims, owner, optional=optional)


def _dims(dim: str, place: Place) -> Iterator[Dim]:
    axes = tuple(axes_of(dim, place.spec.sharding or ()))
    if dim.startswith("*"):
        yield from (
            Dim(size, f"{dim[1:]}_{at}", axes) for at, size in enumerate(several(place.spec, dim[1:]) or ())
        )
        return
    size = evaluate(dim, place.sizes)
    yield Dim(size, "" if dim.isdigit() else dim, axes)


def _nested(class_name: str, name: str, path: str, place: Place, frozen: bool) -> Part:
    spec = place.known.get(class_name)
    if spec is None or class_name in place.above:
        return Part(name, "module", path, class_name=class_name)
    # A dim that has a name of the class above is taken to have its size.
    inner_sizes = {**sizes(spec), **{key: size for key, size in place.sizes.items()}}
    inside = Place(
        spec, place.known, inner_sizes, path, frozen, place.decays, (*place.above, class_name), place.layers
    )
    return Part(name, "module", path, class_name=class_name, parts=tuple(_parts(inside)))


def _value(kind: Type, field: Field) -> str:
    default = f" = {field.default}" if field.default is not None else ""
    classes = [member.name for member in walk_types(kind) if isinstance(member, ClassType)]
    return (type_text(kind) or " or ".join(classes)) + default
