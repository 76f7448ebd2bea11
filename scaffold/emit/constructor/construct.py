"""Source of the constructor: its signature, statements, and the values of stored attributes."""

import ast
from collections.abc import Callable, Mapping

from msgspec import Struct

from scaffold.emit.annotations import Scope
from scaffold.emit.constructor.given import asked_dtype, copy_of_given, dtype_statements, passed_name
from scaffold.emit.constructor.initialised import draw_of_either, initialised, shape_source
from scaffold.emit.constructor.made import array_as_made, array_source, is_new, makes_new_arrays
from scaffold.emit.constructor.shapes import shape_statements
from scaffold.emit.constructor.source import as_dict, as_tuple, operand, parsed
from scaffold.kind import kind_of
from scaffold.passes.static_storage import stored_source
from scaffold.source.rewriting import rename
from scaffold.spec.construction.class_calls import default_statements, makes_default
from scaffold.spec.construction.constructor import (
    Parameter,
    converter_expression,
    dtype_field,
    fields_as_given,
    has_open_dtype,
    keeps_made_dtype,
    key_consumers,
    made_first,
    parameters,
    rebuilds_by,
    stores_argument,
    uses_dtype,
)
from scaffold.spec.construction.dtypes import is_part
from scaffold.spec.grammar.initialisers import dtype_source
from scaffold.spec.grammar.types import ArrayType, DictType, ListType, OpaqueType, TreeType, Type, walk
from scaffold.spec.model import Field, ModuleSpec


class Constructor(Struct, frozen=True):
    """Fragments of a constructor, `create` or `__init__`."""

    signature: str
    statements: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    """Pairs of field name and source of the value, in the order of the fields."""


def constructor(spec: ModuleSpec, draw: str | None = None) -> Constructor:
    """Return the constructor that computes every field of `spec`.

    `draw` is source that draws a new key at each use, in place of a split key.
    """
    keys = _keys(spec) if draw is None else dict.fromkeys(key_consumers(spec), draw)
    splits = _key_statement(keys) if draw is None else ()
    statements = [
        *default_statements(spec),
        *shape_statements(spec),
        *dtype_statements(spec),
        *splits,
        *_setup(spec, keys),
    ]
    statements += [*draw_of_either(spec), *_conversions(spec)]
    statements += [line for field in spec.stored for line in _preprocessing(spec, field)]
    made = [(field.name, _value(spec, field, keys)) for field in spec.stored]
    first, values = _made_first(spec, made)
    return Constructor(signature(spec), (*statements, *first), values)


def _made_first(
    spec: ModuleSpec, made: list[tuple[str, str]]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return statements for values that later fields read, and the values of all fields."""
    names, fields = made_first(spec), {field.name: field for field in spec.stored}
    statements = tuple(f"{name} = {value}" for name, value in made if name in names)
    return statements, tuple(
        (name, _in_holder(spec, fields[name], name) if name in names else value) for name, value in made
    )


def hand_over(spec: ModuleSpec) -> Constructor:
    """Return a `create` that computes fields with an initialiser and passes others to `__init__` as given."""
    keys = _keys(spec)
    statements = (
        *default_statements(spec),
        *shape_statements(spec, checked=False),
        *dtype_statements(spec),
        *_key_statement(keys),
        *_setup(spec, keys),
        *draw_of_either(spec),
    )
    made = [
        (field.name, _handed(spec, field) if field.given else _value(spec, field, keys))
        for field in spec.stored
    ]
    first, assigned = _made_first(spec, made)
    values = list(assigned)
    # What `__init__` takes besides the fields: flags, and the sizes of entries that it presets.
    besides = (
        parameter.name
        for parameter in parameters(fields_as_given(spec))
        if parameter.source in ("dim", "flag")
    )
    values += [(name, name) for name in besides]
    if asked_dtype(spec) and dtype_field(spec) is None and uses_dtype(fields_as_given(spec)):
        values.append(("dtype", asked_dtype(spec)))
    return Constructor(signature(spec, as_stored=True), (*statements, *first), tuple(values))


def _handed(spec: ModuleSpec, field: Field) -> str:
    """Return an argument for `__init__`, cast to the dtype of `create` if `__init__` takes no dtype."""
    follows = asked_dtype(spec) and has_open_dtype(field) and not field.converter
    follows = follows and not uses_dtype(fields_as_given(spec))
    return _copy_of_given(spec, field) if follows else passed_name(spec, field)


def signature(spec: ModuleSpec, *, as_stored: bool = False) -> str:
    """Return the parameters of the constructor, with `*` before keyword-only parameters.

    `as_stored` annotates them like the fields, for an `__init__` that may be given stored values.
    """
    scope = Scope.of(spec)
    written = {argument.name for argument in spec.arguments if argument.type is not None}
    parts: list[str] = []
    for parameter in parameters(spec):
        if parameter.keyword_only and "*" not in parts:
            parts.append("*")
        if as_stored and parameter.source == "field" and parameter.field is not None:
            annotation = _held(parameter.field, scope)
        else:
            annotation = _annotation(parameter, scope.declared if parameter.name in written else scope.given)
        annotation = scope.spelled(("fields", parameter.name, "type"), annotation)
        parts.append(scope.argument(("arguments", parameter.name), annotation, parameter.default))
    return ", ".join(parts)


def _held(field: Field, scope: Scope) -> str:
    """Return the annotation of an argument that takes a stored value or a value to convert."""
    if not field.dynamic and any(isinstance(part, DictType) for part in walk(field.type)):
        return "Any"
    may_be_none = field.nullable or field.optional or makes_default(field)
    return scope.stored(field.type) + (" | None" if may_be_none else "")


def _annotation(parameter: Parameter, annotate: Callable[[Type], str]) -> str:
    if parameter.source == "dtype":
        return "DTypeLike | None"
    annotation = annotate(parameter.type) if parameter.type is not None else "Any"
    field = parameter.field if parameter.source == "field" else None
    nullable = field is not None and (field.nullable or makes_default(field))
    return f"{annotation} | None" if nullable else annotation


def _keys(spec: ModuleSpec) -> Mapping[str, str]:
    """Map each consumer to its key: `key` itself for a single consumer, else a split."""
    consumers = key_consumers(spec)
    return {name: "key" if len(consumers) == 1 else f"{name}_key" for name in consumers}


def _key_statement(keys: Mapping[str, str]) -> tuple[str, ...]:
    if len(keys) < 2:
        return ()
    return (f"{', '.join(keys.values())} = jax.random.split(key, {len(keys)})",)


def _setup(spec: ModuleSpec, keys: Mapping[str, str]) -> tuple[str, ...]:
    source = spec.setup.strip("\n")
    if not source.strip():
        return ()
    return (rename(source, {"key": keys["setup"]}) if "setup" in keys else source,)


def _conversions(spec: ModuleSpec) -> tuple[str, ...]:
    converted = ((field.name, converter_expression(field)) for field in spec.stored if field.given)
    return tuple(f"{name} = {source}" for name, source in converted if source is not None)


def _preprocessing(spec: ModuleSpec, field: Field) -> tuple[str, ...]:
    """Return statements that copy and preprocess a given value once."""
    if not (field.given and field.preprocess):
        return ()
    copied = f"{_copy_name(field)} = {_copy_of_given(spec, field)}"
    made = _unless_none(field, field.name, field.preprocess)
    return (copied,) if _copy_name(field) != field.name else (copied, f"{field.name} = {made}")


def _unless_none(field: Field, name: str, source: str) -> str:
    """Guard `source` against a None in `name` if the field may be None."""
    return f"None if {name} is None else {source}" if field.nullable else source


def _copy_name(field: Field) -> str:
    """Return the name of the copy. It differs for containers, whose copies have another type."""
    return f"{field.name}_copy" if isinstance(field.type, ListType | DictType) else field.name


def _preprocessed(field: Field) -> str:
    if _copy_name(field) == field.name:
        return field.name
    made = rename(field.preprocess or "", {field.name: _copy_name(field)})
    made = as_tuple(made) if isinstance(field.type, ListType) else made
    return _unless_none(field, _copy_name(field), made)


def _value(spec: ModuleSpec, field: Field, keys: Mapping[str, str]) -> str:
    if _keeps_preset_apart(spec, field):
        value = _entries_without_preset(spec, field, keys)
    elif field.given:
        value = _preprocessed(field) if field.preprocess else _copy_of_given(spec, field)
    elif field.initialiser is not None and field.array is not None:
        value = initialised(spec, field, field.array, keys.get(field.name, "key"))
    else:
        value = _expression(spec, field, keys)
    value = _with_preset(spec, field, value)
    value = _in_holder(spec, field, value) if field.name not in made_first(spec) else value
    return f"{operand(value)} if {field.optional} else None" if field.optional else value


def _in_holder(spec: ModuleSpec, field: Field, value: str) -> str:
    """Wrap a state in its index."""
    return f"eqx.nn.StateIndex({value})" if is_index(spec, field) else value


def is_index(spec: ModuleSpec, field: Field) -> bool:
    """Whether the field is an index into `equinox.nn.State`, which kinds with Variables do not use."""
    return field.role == "state" and not kind_of(spec.kind).variables


def _copy_of_given(spec: ModuleSpec, field: Field) -> str:
    name = passed_name(spec, field)
    if isinstance(field.type, OpaqueType) and field.role == "module":
        return name
    copied = copy_source(field.type, name, static=not field.dynamic, asked=asked_dtype(spec))
    return f"None if {name} is None else {copied}" if field.nullable and copied != name else copied


def copy_source(
    kind: Type,
    source: str,
    *,
    static: bool = False,
    depth: int = 0,
    maker: str = "jnp.array",
    asked: str | None = None,
) -> str:
    """Return source that copies `source`: arrays with an explicit dtype, and new containers.

    If `asked` is not None, `source` is given, and `asked` names the dtype that the caller may pass.
    """
    item, name = ("value", "name") if depth == 0 else (f"value{depth}", f"name{depth}")

    def inside(inner: Type) -> str:
        return copy_source(inner, item, static=static, depth=depth + 1, maker=maker, asked=asked)

    match kind:
        case ArrayType() if asked is not None:
            return copy_of_given(kind, source, asked)
        case ArrayType(dtype="key"):
            return f"{maker}({source})"
        case ArrayType():
            return f"{maker}({source}, {dtype_source(kind)})"
        case OpaqueType(is_array=True) if not static:
            return f"{maker}({source}, jnp.result_type({source}))"
        case OpaqueType() if not static:
            is_array = f"isinstance({item}, jax.Array | np.ndarray)"
            return f"jax.tree.map(lambda {item}: {maker}({item}) if {is_array} else {item}, {source})"
        case TreeType():
            return f"jax.tree.map(lambda leaf: {maker}(leaf, jnp.result_type(leaf)), {source})"
        case ListType(item=inner):
            copied = inside(inner)
            return as_tuple(source) if copied == item else f"tuple({copied} for {item} in {operand(source)})"
        case DictType(item=inner) if not static:
            copied = inside(inner)
            pairs = f"{{{name}: {copied} for {name}, {item} in {operand(source)}.items()}}"
            return as_dict(source) if copied == item else pairs
        case _:
            return stored_source(kind, source, item) if static else source


def _expression(spec: ModuleSpec, field: Field, keys: Mapping[str, str]) -> str:
    source = field.expression or "None"
    if field.name in keys:
        source = rename(source, {"key": keys[field.name]})
    is_made_here = field.role == "module" or (is_part(field) and isinstance(parsed(source), ast.Call))
    if isinstance(field.type, OpaqueType) and is_made_here:
        return source
    if field.array is not None:
        if stores_argument(spec, field):
            return copy_of_given(field.array, source, asked_dtype(spec))
        if keeps_made_dtype(field):
            return array_as_made(spec, source)
        return array_source(spec, field, field.array, source)
    if _is_made_of_chosen_arrays(field.type) and "dtype" in _names(source):
        return as_tuple(source) if isinstance(field.type, ListType) else source
    if isinstance(field.type, OpaqueType) and field.type.is_array and field.dynamic:
        return array_as_made(spec, source)
    if isinstance(field.type, OpaqueType) and makes_new_arrays(parsed(source)):
        return source
    maker = "jnp.asarray" if is_new(parsed(source)) else "jnp.array"
    return copy_source(field.type, source, static=not field.dynamic, maker=maker)


def _is_made_of_chosen_arrays(kind: Type) -> bool:
    return isinstance(kind, ListType | DictType) and isinstance(kind.item, ArrayType)


def _names(source: str) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(parsed(source)) if isinstance(node, ast.Name))


def _with_preset(spec: ModuleSpec, field: Field, value: str) -> str:
    if not field.preset or _keeps_preset_apart(spec, field):
        return value
    entries = ", ".join(f"{name!r}: {_preset_value(field, source)}" for name, source in field.preset)
    return f"{operand(value)} | {{{entries}}}"


def _keeps_preset_apart(spec: ModuleSpec, field: Field) -> bool:
    """Whether the preset entries belong to the treedef."""
    return bool(field.preset) and rebuilds_by(spec, "static")


def _entries_without_preset(spec: ModuleSpec, field: Field, keys: Mapping[str, str]) -> str:
    names = [name for name, _ in field.preset]
    kept = f"name != {names[0]!r}" if len(names) == 1 else f"name not in {tuple(names)!r}"
    argument = _preprocessed(field) if field.preprocess else field.name
    source = operand(argument if field.given else _expression(spec, field, keys))
    value = "value"
    if field.given and not field.preprocess and isinstance(field.type, DictType):
        value = copy_source(field.type.item, "value", depth=1, asked=asked_dtype(spec))
    return f"{{name: {value} for name, value in {source}.items() if {kept}}}"


def _preset_value(field: Field, source: str) -> str:
    item = field.type.item if isinstance(field.type, DictType) else None
    if not isinstance(item, ArrayType):
        return source
    if item.dims:
        return f"jnp.full({shape_source(item)}, {source}, {dtype_source(item)})"
    return f"jnp.array({source}, {dtype_source(item)})"
