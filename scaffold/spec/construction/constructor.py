"""The constructor of a class: its arguments, and their order.

Arguments follow the order of fields: dims, given values, and flags of optional fields. A dim is an argument
if an initialiser needs it and no given array has it. Then come `dtype`, and after `*` the key. Arguments
without a default come first, as Python demands. `arguments` in the spec overrides all of this.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from scaffold.kind import kind_of
from scaffold.source.expressions import assigned_names, count_name, draws_from, free_names
from scaffold.spec.construction.class_calls import makes_default, may_have_default
from scaffold.spec.construction.given_shapes import dims_read_off
from scaffold.spec.construction.written_dtypes import says_dtype
from scaffold.spec.grammar import types
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES
from scaffold.spec.grammar.initialisers import INITIALISERS
from scaffold.spec.model import Argument, Field, ModuleSpec
from scaffold.spec.once import once

KEY = types.ArrayType("key", ())


class Parameter(Struct, frozen=True):
    """A parameter of the constructor.

    `source` is one of dim, field, flag, declared, dtype, key or rngs.
    """

    name: str
    source: str
    type: types.Type | None
    default: str | None = None
    field: Field | None = None
    keyword_only: bool = False
    doc: str = ""


def is_array_left_out(parameter: "Parameter | Argument") -> bool:
    """Whether the author's constructor takes an array, or None by default."""
    return isinstance(parameter.type, types.ArrayType) and parameter.default == "None"


@once
def written_dims(spec: ModuleSpec) -> tuple[str, ...]:
    """Return every dim as written, in order."""
    examples = (field.example for field in spec.fields if field.example is not None)
    return tuple(types.dims_in((*spec.named_types, *examples)))


def dims_of(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names of all dims, in order of appearance. `*shape` counts as `shape`."""
    return tuple(dict.fromkeys(name for dim in written_dims(spec) for name in types.dim_names(dim)))


@once
def variadic_dims(spec: ModuleSpec) -> frozenset[str]:
    """Return the names that stand for several dims, and never for a single dim."""
    of_several, single = set[str](), set[str]()
    for dim in written_dims(spec):
        (of_several if dim.startswith("*") else single).update(types.dim_names(dim))
    return frozenset(of_several - single)


def sources_of(field: Field) -> tuple[str, ...]:
    """Return the expressions of a field that the constructor evaluates."""
    candidates = (field.source if field.stored else None, field.preprocess, converter_expression(field))
    return tuple(filter(None, candidates))


def converter_expression(field: Field) -> str | None:
    """Return the converter as an expression over the field's name, or None."""
    if field.converter is None:
        return None
    if field.converter.startswith("="):
        return field.converter[1:].strip()
    return f"{field.converter}({field.name})"


def initialised_dims(spec: ModuleSpec, field: Field) -> tuple[str, ...]:
    """Return the dims of the shapes that the constructor makes. Presets in the treedef need none."""
    made = [field.type] if field.array is not None and field.initialiser is not None else []
    if field.preset and spec.rebuild != "static" and isinstance(field.type, types.DictType):
        made += [field.type.item] if isinstance(field.type.item, types.ArrayType) else []
    return tuple(name for dim in types.dims_in(made) for name in types.dim_names(dim))


def reads(source: str) -> tuple[str, ...]:
    return free_names(source, expression=True)


def uses_key(spec: ModuleSpec) -> bool:
    """Whether the constructor draws random numbers."""
    return bool(key_consumers(spec))


def key_consumers(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names of what draws from the key: `setup`, then fields, in order."""
    in_setup = ("setup",) if draws_from(spec.setup, "key") else ()
    return (*in_setup, *(field.name for field in spec.stored if _draws(field)))


def _draws(field: Field) -> bool:
    if field.initialiser is not None:
        return field.initialiser in INITIALISERS and INITIALISERS[field.initialiser].random
    return any(draws_from(source, "key") for source in sources_of(field))


def rebuilds_by(spec: ModuleSpec, form: str) -> bool:
    """Whether unflatten rebuilds an instance in this form, such as `bypass`, `flag` or `dataclass`."""
    return spec.rebuild == form and kind_of(spec.kind).takes("rebuild")


def is_plain(spec: ModuleSpec) -> bool:
    """Whether the class needs only the constructor of its fields, which stores them as given."""
    parts = [field for field in spec.stored if field.role == "module"]
    has_parts_alone = spec.kind == "module" and len(parts) == len(spec.stored) and not spec.bases
    may_be = kind_of(spec.kind).plain or rebuilds_by(spec, "dataclass") or has_parts_alone or not spec.stored
    is_made = bool(spec.setup.strip() or spec.arguments or spec.own_constructor)
    return not is_made and (bool(spec.source) or (may_be and all(map(_is_stored_as_given, spec.stored))))


def has_factory(spec: ModuleSpec) -> bool:
    """Whether the class has `create`, unless `__init__` does the work or nothing is made."""
    hands_over = not rebuilds_by(spec, "flag") or any(not field.given for field in spec.stored)
    if spec.own_constructor is not None:
        return spec.own_constructor.name == "create"
    return spec.constructor != "init" and not is_plain(spec) and hands_over


def _is_stored_as_given(field: Field) -> bool:
    default = None if field.in_class and may_have_default(field) else field.default
    made = (field.preprocess, field.converter, field.optional, default, field.check, field.preset)
    parts = types.ArrayType | types.ClassType | types.CallableType
    is_one_part = isinstance(field.example or field.type, parts)
    return field.given and field.dynamic and is_one_part and not any(made)


def uses_dtype(spec: ModuleSpec) -> bool:
    """Whether the constructor makes an array of open dtype, or Python of the author reads `dtype`."""
    if is_plain(spec) or spec.own_constructor is not None or spec.source:
        return False
    in_setup = count_name(spec.setup, "dtype") > 0
    made = (field for field in spec.stored if not stores_argument(spec, field))
    return in_setup or makers_read(spec, "dtype") or any(map(_makes_arrays, made))


def dtype_field(spec: ModuleSpec) -> Field | None:
    """Return the static field `dtype`, which chooses the dtype of arrays as an argument would."""
    field = spec.field("dtype")
    return field if field is not None and field.given and field.role == "static" else None


def makes_in_one_dtype(spec: ModuleSpec) -> bool:
    """Whether the constructor takes no dtype, and makes floats or layers of other packages.

    These have jax's default dtype, as in most of Equinox and Flax. A class that stores its dtype may compute
    in it, whatever its arrays are cast to.
    """
    if dtype_field(spec) is not None:
        return uses_dtype(spec)
    given = {field.name for field in spec.dynamic if field.given}
    foreign = (
        field
        for field in spec.dynamic
        if _is_elsewhere(field.type) and not field.given and given.isdisjoint(reads(field.expression or ""))
    )
    floats = (
        field for field in spec.dynamic if field.built and (field.array is None or field.array.dtype == "f")
    )
    return any((*floats, *foreign)) and all(parameter.name != "dtype" for parameter in parameters(spec))


def _is_elsewhere(kind: types.Type) -> bool:
    """Whether a type names a class of another module, or is outside the grammar."""
    return any(
        isinstance(part, types.ClassType | types.OpaqueType) and part.module is not None
        for part in types.walk(kind)
    )


def makers_read(spec: ModuleSpec, name: str) -> bool:
    """Whether an expression that makes a field reads a name, such as `dtype`."""
    return any(name in reads(source) for field in spec.stored for source in sources_of(field))


def stores_argument(spec: ModuleSpec, field: Field) -> bool:
    """Whether the field stores an argument of another name unchanged: `self.points = inducing`."""
    kinds = {argument.name: argument.type for argument in spec.arguments if argument.type is not None}
    is_array = field.array is not None and not field.nullable and field.name not in kinds
    return is_array and kinds.get((field.expression or "").strip()) == field.type


def _makes_arrays(field: Field) -> bool:
    """Whether the constructor makes an array of open dtype for the field."""
    is_made = (not field.given and not field.built) or bool(field.preset)
    return is_made and has_open_dtype(field) and not (keeps_made_dtype(field) or says_dtype(field))


def keeps_made_dtype(field: Field) -> bool:
    """Whether an expression makes an array that may be complex, and so keeps its own dtype."""
    return field.array is not None and field.array.dtype == "inexact" and bool(field.expression)


def has_open_dtype(field: Field) -> bool:
    """Whether the field holds arrays whose dtype the spec leaves open."""
    return field.dynamic and any(array.dtype in CHOSEN_DTYPES for array in types.arrays(field.type))


def followed(spec: ModuleSpec) -> str | None:
    """Return the path of the array whose dtype other arrays take, such as `base.weight`, or None."""
    word, _, path = spec.dtype.partition(" ")
    return path.strip() if word == "like" else None


@once
def parameters(spec: ModuleSpec) -> tuple[Parameter, ...]:
    """Return the parameters of the constructor, in order."""
    if spec.own_constructor is not None:
        return tuple(parameters_of(spec.own_constructor.call.args))
    if kind_of(spec.kind).is_carried:
        return tuple(parameters_of(spec.arguments))
    parameters_by_name = {parameter.name: parameter for parameter in _appearing(spec)}
    if spec.arguments:
        return _ordered(spec, parameters_by_name)
    # Those without a default first, those by keyword last.
    return tuple(sorted(parameters_by_name.values(), key=lambda p: (p.keyword_only, p.default is not None)))


@once
def fields_as_given(spec: ModuleSpec) -> ModuleSpec:
    """Return the spec of an `__init__` that takes every field as an argument."""
    fields = tuple(
        replace(field, init=None, nullable=field.nullable or bool(field.optional)) if field.stored else field
        for field in spec.fields
    )
    return replace(spec, fields=fields, setup="", arguments=spec.arguments if fields == spec.fields else ())


def parameters_of(arguments: Iterable[Argument]) -> Iterator[Parameter]:
    """Yield the parameters of a constructor that the author wrote."""
    for argument, by_keyword in _listed(arguments):
        kind = argument.type or types.OpaqueType(argument.name)
        yield Parameter(argument.name, "declared", kind, argument.default, keyword_only=by_keyword)


def _listed(arguments: Iterable[Argument]) -> Iterator[tuple[Argument, bool]]:
    """Yield the arguments except the marker `*`, each with whether it is keyword-only."""
    by_keyword = False
    for argument in arguments:
        by_keyword = by_keyword or argument.is_marker
        if not argument.is_marker:
            yield argument, by_keyword


def _ordered(spec: ModuleSpec, parameters_by_name: dict[str, Parameter]) -> tuple[Parameter, ...]:
    """Order the parameters as `arguments` does. Other parameters follow as keyword-only."""
    rest, ordered = dict(parameters_by_name), dict[str, Parameter]()
    for argument, by_keyword in _listed(spec.arguments):
        declared = Parameter(argument.name, "declared", argument.type, doc=argument.doc)
        base = rest.pop(argument.name, declared)
        default = argument.default if argument.default is not None else base.default
        kind = argument.type or base.type
        ordered[base.name] = replace(base, type=kind, default=default, keyword_only=by_keyword)
    if spec.source:  # whose `__init__` is the author's, and takes no others
        return tuple(ordered.values())
    last = sorted(rest.values(), key=lambda parameter: parameter.name in ("key", "rngs"))
    return (*ordered.values(), *(replace(parameter, keyword_only=True) for parameter in last))


def _appearing(spec: ModuleSpec) -> Iterator[Parameter]:
    given_names = {field.name for field in spec.stored if field.given}
    # The dims that nothing else tells are arguments where they are needed.
    told = {*given_names, *assigned_names(spec.setup), *dims_read_off(spec), *variadic_dims(spec)}
    told |= {a.name for a in spec.arguments if a.type and types.ScalarType("int") not in types.walk(a.type)}
    dims, flags = {*dims_of(spec)} - told, {field.optional for field in spec.fields}
    int_type = types.ScalarType("int")
    for field in spec.stored:
        yield from (Parameter(name, "dim", int_type) for name in _reads(spec, field) if name in dims)
        if field.given:
            is_on = field.default is None and field.name in flags
            default = "None" if makes_default(field) else field.default
            yield Parameter(field.name, "field", field.type, "True" if is_on else default, field)
        if field.optional and field.optional not in given_names:
            yield Parameter(field.optional, "flag", types.ScalarType("bool"), "True", field)
    in_setup = free_names(spec.setup, expression=False)
    yield from (Parameter(name, "dim", int_type) for name in in_setup if name in dims)
    if uses_dtype(spec) and not spec.dtype and dtype_field(spec) is None:
        yield Parameter("dtype", "dtype", None, "None")
    in_setup = count_name(spec.setup, "rngs") > 0
    if kind_of(spec.kind).variables and (uses_key(spec) or in_setup or makers_read(spec, "rngs")):
        yield Parameter("rngs", "rngs", types.ClassType("nnx.Rngs"), keyword_only=True)
    elif uses_key(spec):
        yield Parameter("key", "key", KEY, keyword_only=True)


def _reads(spec: ModuleSpec, field: Field) -> tuple[str, ...]:
    """Return the dims and names that the constructor reads to make the field, dims in annotation order."""
    places = _places_of_dims(spec)
    names = (name for source in sources_of(field) for name in reads(source))
    return (*initialised_dims(spec, field), *sorted(names, key=lambda name: places.get(name, len(places))))


@once
def _places_of_dims(spec: ModuleSpec) -> dict[str, int]:
    """Return the position of each dim among all dims."""
    return {name: place for place, name in enumerate(dims_of(spec))}


def dims_used(spec: ModuleSpec) -> frozenset[str]:
    """Return the dims of given arrays that the constructor reads to make other fields."""
    read = {name for field in spec.stored for name in _reads(spec, field)}
    read.update(free_names(spec.setup, expression=False))
    return frozenset(read & dims_read_off(spec).keys())


def readable_above(spec: ModuleSpec, field: Field) -> frozenset[str]:
    """Return the names of the fields above, already made, that the `init` of this field may read."""
    names = [field.name for field in spec.fields]
    return frozenset(names[: names.index(field.name)]) & _readable(spec)


@once
def _readable(spec: ModuleSpec) -> frozenset[str]:
    """Return the static and array fields that the constructor makes in each instance under their own
    names."""
    made = (field for field in spec.fields if not (field.given or field.optional or field.nullable))
    plain = (field for field in made if field.role == "static" or (field.array and field.dynamic))
    # What the constructor is given goes before: the name of an argument, or of what `setup` binds, stands for that.
    taken = {*assigned_names(spec.setup), *(parameter.name for parameter in parameters(spec))}
    return frozenset(field.name for field in plain) - taken


@once
def made_first(spec: ModuleSpec) -> frozenset[str]:
    """Return the fields that the `init` of a lower field reads, and that are therefore made first."""
    pairs = ((field, field.expression) for field in spec.stored)
    names_read = [readable_above(spec, field) & frozenset(reads(source)) for field, source in pairs if source]
    return frozenset[str]().union(*names_read)


def constructor_names(spec: ModuleSpec) -> frozenset[str]:
    """Return every name that an expression in the constructor may read, except modules and builtins."""
    named = {parameter.name for parameter in parameters(spec)}
    streams = {"rngs"} if kind_of(spec.kind).variables else set[str]()
    return frozenset({*named, *streams, *assigned_names(spec.setup), *dims_read_off(spec), "key", "dtype"})
