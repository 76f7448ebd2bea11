"""Facts about an instance that follow from the spec alone: values, spreads, and dependencies."""

import ast
import math
from collections.abc import Iterator, Mapping

from scaffold.emit.constructor.construct import is_index
from scaffold.emit.constructor.initialised import fan_axes
from scaffold.kind import kind_of
from scaffold.passes.variables import UNTRAINED
from scaffold.source.expressions import assigned_names, dedented, draws_from, nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.construction.arithmetic import measured
from scaffold.spec.construction.constructor import key_consumers, reads, sources_of
from scaffold.spec.construction.made_dims import made_fields
from scaffold.spec.construction.written_dtypes import dtypes_given, with_written_dtype
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.initialisers import INITIALISERS
from scaffold.spec.grammar.types import (
    ArrayType,
    CallableType,
    ListType,
    LiteralType,
    OpaqueType,
    ScalarType,
    TupleType,
    Type,
    arrays,
)
from scaffold.spec.model import Call, Field, ModuleSpec
from scaffold.spec.once import once
from scaffold.suite.examples.examples import Examples
from scaffold.suite.reads.always_read import always_read, assigns, reads_attribute
from scaffold.suite.reads.example_branches import constants_left_out
from scaffold.suite.reads.quiet_defaults import makes_none
from scaffold.suite.reads.setup_draws import keys_and_draws, reads_value

_GAINS = {"lecun": 1.0, "he": 2.0, "glorot": 1.0}


_FLOATS = (
    *("normal", "uniform", "truncated_normal", "zeros", "ones", "eye", "linspace", "logspace", "orthogonal"),
    *("sqrt", "exp", "log", "sin", "cos", "tanh", "max", "min"),
)
"""Functions that return the default float dtype, whatever Python numbers they are given."""


def value_of(field: Field, path: str) -> str | None:
    """Return what each element of the leaf at `path` holds after construction, if the spec says so."""
    named = {"zeros": "0.0", "ones": "1.0", "full": number_source(field.measure or "")}.get(
        field.initialiser or ""
    )
    if named is not None and field.array is not None:
        return named if field.array.inexact else str(int(float(named)))
    _, separator, entry = path.rpartition(f"{field.name}.")
    preset = dict(field.preset) if separator else {}
    return number_source(preset[entry]) if entry in preset else None


def number_source(source: str) -> str | None:
    """Return the source of a Python number, or None for any other source."""
    try:
        value = ast.literal_eval(source)
    except (ValueError, SyntaxError):
        return None
    return source if type(value) in (int, float) else None


def spread_of(examples: Examples, field: Field) -> float | None:
    """Return the standard deviation of a draw around 0, as `std` or the initialiser declares it."""
    array, name = field.array, field.initialiser or ""
    if array is None or (array.dtype[0] == "c" and field.std is None and name != "normal"):
        return None
    if field.std is not None:
        return measured(field.std, examples.sizes)
    unit = INITIALISERS[name].unit if name in INITIALISERS else 0.0
    if field.measure is not None and unit:
        scale = measured(field.measure, examples.sizes)
        return None if scale is None else abs(scale) * unit
    shape = examples.shape(array)
    if name == "orthogonal" and field.measure is None:
        return 1 / math.sqrt(max(shape[-1], math.prod(shape[:-1])))
    scheme = name.partition("_")[0]
    if scheme in _GAINS and len(shape) > 1:
        return math.sqrt(_GAINS[scheme] / _fan(examples, array, field.name, scheme))
    return None if name == "uniform" else unit or None


def _fan(examples: Examples, array: ArrayType, name: str, scheme: str) -> float:
    shape = examples.shape(array)
    fan_in, fan_out = math.prod(shape) / shape[-2], math.prod(shape) / shape[-1]
    if "in_axis=-2" in fan_axes(examples.spec, array, name):
        fan_in, fan_out = fan_out, fan_in
    return (fan_in + fan_out) / 2 if scheme == "glorot" else fan_in


def drawn_fields(spec: ModuleSpec) -> list[str]:
    """Return the fields of arrays that are drawn from the key."""
    consumers = {*key_consumers(spec), *_draws_from_streams(spec)}
    consumers |= _drawn_in_setup(spec) if "setup" in consumers else set[str]()
    return [
        field.name
        for field in spec.dynamic
        if field.name in consumers and not field.python_leaf and not is_index(spec, field)
    ]


def _drawn_in_setup(spec: ModuleSpec) -> set[str]:
    """Return the fields that hold draws of `setup`, or that draw from a key split there."""
    keys, drawn = keys_and_draws(spec.setup)
    assigned = set(assigned_names(spec.setup))
    for field in spec.stored:
        source = field.expression
        if source and (any(draws_from(source, key) for key in keys) or reads_value(source, drawn)):
            assigned.add(field.name)
    return assigned


def _draws_from_streams(spec: ModuleSpec) -> set[str]:
    return {
        field.name for field in spec.stored if any(draws_from(source, "rngs") for source in sources_of(field))
    }


def kept_fields(spec: ModuleSpec) -> list[str]:
    """Return the fields that hold the arrays they are given, and the static tuples that keep their order."""
    dynamic = [field.name for field in spec.dynamic if _is_kept(field) and not is_index(spec, field)]
    return dynamic + [
        field.name
        for field in spec.static
        if is_stored_as_given(field) and _is_tuple(field) and not field.is_leaf
    ]


def is_stored_as_given(field: Field) -> bool:
    """Whether a field holds the constructor's argument unchanged."""
    return field.given and field.converter is None and field.preprocess is None


def _is_tuple(field: Field) -> bool:
    """Whether a field is a tuple of numbers or texts, of any length, in an order that the caller chooses."""
    match field.type:
        case TupleType(items=(ScalarType(name=name),), variadic=True):
            return name in ("int", "float", "str")
        case _:
            return False


def _is_kept(field: Field) -> bool:
    changed = field.preprocess or field.converter or field.optional or field.default is not None
    # A preset entry of which no value is declared takes the place of the given one.
    changed = changed or any(number_source(source) is None for _, source in field.preset)
    return field.given and not changed and field.role != "module" and not field.python_leaf


def tuple_fields(spec: ModuleSpec) -> list[str]:
    """Return the fields that hold a tuple of arrays or Modules.

    A class or a constructor of the author's own may keep a list.
    """
    lists = (field for field in spec.dynamic if isinstance(field.type, ListType))
    return [field.name for field in lists if not (field.built or spec.source)]


def _call_body(spec: ModuleSpec) -> list[ast.stmt]:
    return ast.parse(dedented(spec.call.body)).body if spec.call is not None else []


def used_fields(spec: ModuleSpec) -> list[str]:
    """Return the static fields, data and buffers that the body of the call reads in every case."""
    static = _plain_static(spec)
    untrained = (field for field in spec.dynamic if field.role in UNTRAINED and not is_index(spec, field))
    buffers = [field.name for field in untrained if _is_number_array(field)]
    if not (static or buffers):
        return []
    body = _call_body(spec)
    given = constants_left_out(spec, spec.call)
    read = always_read(body, given)
    kept = always_read(body, given, beside_updates=True)
    overwritten = {name for name in buffers if name not in kept or not _outlives_its_update(body, name)}
    return [name for name in (*static, *buffers) if name in read - overwritten]


def fields_used_by(spec: ModuleSpec, call: Call) -> list[str]:
    """Return the fields that the body of a method reads in every case, and does not assign.

    They are static fields, keys and arrays of floats. Reads of other members that the method always reads
    count as well.
    """
    body = ast.parse(dedented(call.body)).body
    assigned = {name for statement in body for name in _assigned(statement)}
    of_members = {name for names in kind_of(spec.kind).reads.values() for name in names}
    held = [
        field.name
        for field in spec.dynamic
        if _is_key(field) or (_is_number_array(field) and not is_index(spec, field))
    ]
    held += [name for name in of_members if spec.field(name) is not None]
    used = _with_members(spec, always_read(body, constants_left_out(spec, call))) - assigned
    return [
        name for name in (*_plain_static(spec), *held) if name in used and not _may_cancel(spec, body, name)
    ]


def _may_cancel(spec: ModuleSpec, body: list[ast.stmt], name: str) -> bool:
    """Whether a method divides by a field, with which its calls may have multiplied before."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    divisors = (node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    bodies = [_call_body(spec)] if "self" in called else []
    bodies += [
        ast.parse(dedented(method.call.body)).body
        for method in spec.methods
        if method.is_function and f"self.{method.name}" in called
    ]
    asked = (node for statements in bodies for statement in statements for node in ast.walk(statement))
    return any(reads_attribute(part, name) for divisor in divisors for part in ast.walk(divisor)) and any(
        reads_attribute(node, name) for node in asked
    )


def _with_members(spec: ModuleSpec, names: set[str], *seen: str) -> set[str]:
    """Return names of members, and the fields that these members read in every case."""
    members, result = names - {field.name for field in spec.stored} - {*seen}, set(names)
    read_by = _read_by_members(spec) if members else {}
    for name in members & read_by.keys():
        result |= _with_members(spec, read_by[name], *seen, name)
    return result


@once
def _read_by_members(spec: ModuleSpec) -> dict[str, set[str]]:
    """Return what each derived field, method and member of the kind reads in every case.

    A method must return one array, since a part of a larger result need not follow all that it reads.
    """
    read_by = {
        method.name: always_read(ast.parse(dedented(method.call.body)).body)
        for method in spec.methods
        if method.is_function and [*map(type, method.call.returns)] == [ArrayType]
    }
    read_by |= {field.name: set(reads(field.expression or "None")) for field in spec.derived}
    return read_by | {name: set(fields) for name, fields in kind_of(spec.kind).reads.items()}


def _plain_static(spec: ModuleSpec) -> list[str]:
    plain = ScalarType | CallableType | LiteralType
    return [field.name for field in spec.static if field.given and isinstance(field.type, plain)]


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """Yield the attributes of `self` that a statement assigns."""
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name), ctx=ast.Store()):
                yield name
            case _:
                pass


def conditional_fields(spec: ModuleSpec) -> list[str]:
    """Return the parameters that some configurations leave out.

    The call need not read them, or the author's constructor need not make them.
    """
    body = _call_body(spec)
    nodes = [node for statement in body for node in ast.walk(statement)]
    always = always_read(body)
    trained = (field for field in spec.dynamic if field.role in ("param", "module"))
    there = [
        field.name for field in trained if not (field.optional or field.nullable or field.name in always)
    ]
    needless = [name for name in there if any(reads_attribute(node, name) for node in nodes)]
    made = (
        each for each in spec.dynamic if (each.built and _may_be_none(each)) or makes_none(spec, each.name)
    )
    return needless + [field.name for field in made if field.name not in needless]


def _may_be_none(field: Field) -> bool:
    return field.nullable or (isinstance(field.type, OpaqueType) and field.type.may_be_none)


def _outlives_its_update(body: list[ast.stmt], name: str) -> bool:
    """Whether the value of a field before the call affects what the call returns.

    It does not if a statement assigns the field anew, or if only updates of the field read the field.
    """
    nodes = [node for statement in body for node in ast.walk(statement)]
    updates = [node for node in nodes if assigns(node, name)]
    inside = {id(node) for update in updates for node in ast.walk(update)}
    is_read = any(reads_attribute(node, name) for node in nodes if id(node) not in inside)
    return is_read and all(
        isinstance(update, ast.AugAssign) or any(reads_attribute(n, name) for n in ast.walk(update))
        for update in updates
    )


def _is_key(field: Field) -> bool:
    return field.array is not None and field.array.dtype == "key" and not (field.nullable or field.optional)


def _is_number_array(field: Field) -> bool:
    """Whether each value of an array matters. Integers may only be compared, or be cut off."""
    matters = field.array is not None and (field.array.inexact or field.array.dtype == "bool")
    return matters and not (field.nullable or field.optional)


def python_value(field: Field, inputs: Mapping[str, str]) -> list[str]:
    """Return the value of a leaf that is no array, if the example says so: a flag or a number."""
    source = inputs.get(field.name, field.default)
    if source is None or not field.given or field.preprocess or field.converter:
        return []
    try:
        value = ast.literal_eval(source)
    except ValueError:
        return []
    return [f"value={value!r}"] if type(value) in (bool, int, float) else []


def dtype_as_made(kind: ArrayType, field: Field) -> list[str]:
    """Return the dtype of an array as its expression or its type says, unless that is the default."""
    return dtype_of_all(kind if field.expression is None else with_written_dtype(kind, field.expression))


def dtype_as_built(spec: ModuleSpec, kind: Type, field: Field) -> list[str]:
    """Return the dtype of an array that an expression makes, from its type or from the functions called."""
    if isinstance(kind, ArrayType) and kind.dtype != "inexact":
        return [f"dtype={dtype}" for dtype in dtype_of_all(kind)]
    made = [value for name, value in made_fields(spec) if name == field.name]
    return [] if made and all(map(_makes_floats, made)) else ["dtype=None"]


def _makes_floats(value: ast.expr) -> bool:
    """Whether all calls in an expression return the default float dtype of jax."""
    is_complex = any(isinstance(node.value, complex) for node in nodes_of(ast.Constant, value))
    calls = [*nodes_of(ast.Call, value)]
    is_float = all(last_name(call) in _FLOATS and not dtypes_given(call) for call in calls)
    return bool(calls) and not is_complex and is_float


def dtype_of_all(kind: Type) -> list[str]:
    """Return the dtype of the arrays in a type, quoted, if the spec says one for all of them."""
    dtypes = {DTYPES[array.dtype][1] for array in arrays(kind)}
    return [f'"{dtypes.pop()}"'] if len(dtypes) == 1 and "float" not in dtypes else []
