"""Rules for fields: what goes with a type and a role, and which values are of the type."""

import ast
import math
import re
from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.source.expressions import assigned_names, draws_from
from scaffold.spec.construction import constructor
from scaffold.spec.construction.arithmetic import FUNCTIONS, measured
from scaffold.spec.construction.sizes import sizes
from scaffold.spec.grammar import types
from scaffold.spec.grammar.initialisers import INITIALISERS, legal_initialisers
from scaffold.spec.grammar.values import described, is_nan, value_fault
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.names import class_name_faults, is_named_by_library, stem

_ENTRY = r"(?a)[A-Za-z_]\w*"
_VERBS = {"preprocess": "preprocess", "converter": "convert"}
_NAN = "NaN differs from itself, so every use would compile anew"


def field_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults of each field, alone and beside the others."""
    for field in spec.fields:
        place = f"fields.{field.name}"
        yield from initialiser_faults(field, place)
        yield from std_faults(spec, field, place)
        yield from _default_faults(field, place)
        yield from _flag_faults(spec, field, f"{place}.optional")
        yield from _preset_faults(spec, field, f"{place}.preset")
        yield from _class_faults(spec, field, f"{place}.type")
    yield from _dims(spec)
    yield from _taken_names(spec)
    if spec.fields and not spec.stored:
        fix = "declare a field that is not derived"
        yield Fault("fields", "every field is derived, so there is nothing to hold", fix)


# -- how a field is made -----------------------------------------------------------------------------------------------


def initialiser_faults(field: Field, place: str) -> Iterator[Fault]:
    """Find faults in the `init` of one field."""
    place, name = f"{place}.init", field.initialiser
    if field.role == "derived" and field.expression is None:
        yield Fault(place, "a derived field is an expression", 'write `init = "=self.a + self.b"`')
    elif name is None or not field.stored:
        return
    elif not name:
        yield Fault(place, "is empty", "write an initialiser, or remove it")
    elif field.array is None:
        fix = f'write `init = "={name}"` for an expression, or `default`'
        yield Fault(place, f"`{name}` makes one array, and the field is none", fix)
    elif (why_not := _why_not_made(name, field.array)) is not None:
        legal = legal_initialisers(field.array)
        fix = suggestion(name, legal, f"write one of the legal names, or `={name}...` for an expression")
        yield Fault(place, why_not, fix, legal)
    else:
        yield from _measure_faults(name, field.measure, field.array, place)


def _why_not_made(name: str, array: types.ArrayType) -> str | None:
    if name not in INITIALISERS:
        return f"there is no initialiser `{name}`"
    initialiser = INITIALISERS[name]
    if len(array.dims) < initialiser.dims:
        return f"`{name}` needs an array of at least {initialiser.dims} dims"
    return None if initialiser.makes(array) else f"`{name}` does not make this dtype"


def _measure_faults(name: str, measure: str | None, array: types.ArrayType, place: str) -> Iterator[Fault]:
    """Check that an initialiser has its measure if it needs one, and none if it takes none."""
    initialiser = INITIALISERS[name]
    if measure is not None and not initialiser.measured:
        measured = ((other, each) for other, each in INITIALISERS.items() if each.measured)
        taking = tuple(f"{other}({each.measure})" for other, each in measured)
        yield Fault(place, f"`{name}` takes nothing in parentheses", f"write `{name}`", taking)
    elif measure is None and not initialiser.source:
        fix = f"write `{name}({initialiser.measure})`"
        yield Fault(place, f"`{name}` does not say its {initialiser.measure.lower()}", fix)
    elif measure is None and array.dtype[0] == "c" and name == "uniform":
        fix = "write `uniform(LIMIT)`, for both parts between -LIMIT and LIMIT"
        yield Fault(place, "`uniform` from 0 to 1 makes no complex numbers", fix)


def _default_faults(field: Field, place: str) -> Iterator[Fault]:
    """Check that a field made by `init` has no default or converter, and that a default fits its type."""
    for key, verb in _VERBS.items():
        if getattr(field, key) is not None and field.stored and field.init is not None:
            message = f"`init` makes the field, so there is nothing given to {verb}"
            yield Fault(f"{place}.{key}", message, "put it into `init`")
    place, default = f"{place}.default", field.default
    if default is None or not field.stored or (default == "None" and field.nullable):
        return
    if field.init is not None:
        yield Fault(place, "`init` makes the field, so there is no argument to default", "remove one of them")
    elif default == "None" and not _takes_none(field.type):
        fix = "write `| None` after the type, or another default"
        yield Fault(place, f"None is not {described(field.type)}", fix)
    elif _is_shared(field, default):
        fix = "write `init`, or leave `default` out"
        yield Fault(place, "a default of a Module would be shared by all instances", fix)
    elif default != "None":
        yield from value_faults(field.type, default, place, static=field.role == "static")


def _takes_none(kind: types.Type) -> bool:
    return isinstance(kind, types.OpaqueType) or (isinstance(kind, types.UnionType) and kind.optional)


def value_faults(kind: types.Type, source: str, place: str, *, static: bool = False) -> Iterator[Fault]:
    """Find why a default or a value is not of its type, or cannot be part of a treedef."""
    message = _NAN if static and is_nan(source) else value_fault(kind, source)
    if message is not None:
        fix = f"write {described(kind)}, or `=` and an expression"
        yield Fault(place, message, "write `-` for the minus sign" if "\u2212" in source else fix)


def _is_shared(field: Field, default: str) -> bool:
    """Whether all instances would share a default, since Modules, unlike arrays, are not copied."""
    is_held = field.dynamic and any(isinstance(part, types.ClassType) for part in types.walk(field.type))
    return is_held and isinstance(ast.parse(default, mode="eval").body, ast.Call)


def _flag_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    """Check that `optional` names a bool: a field, an argument, or a flag that the constructor adds."""
    flag = field.optional
    if flag is None:
        return
    bool_type, declared = types.ScalarType("bool"), _declared(spec, flag)
    is_other = any(bool_type not in types.members_of(kind) for kind, _ in declared)
    if flag == field.name or flag in constructor.dims_of(spec) or is_other:
        meaning = "the field itself" if flag == field.name else "another thing, and no bool"
        yield Fault(place, f"`{flag}` is {meaning}", f"rename the flag, to `use_{field.name}` for example")


def _preset_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    if not field.preset:
        return
    if not isinstance(field.type, types.DictType):
        yield Fault(place, "only a dict has entries to preset", "write `preprocess` for another field")
        return
    kind = types.ScalarType("float") if types.arrays(field.type.item) else field.type.item
    for name, source in field.preset:
        if not re.fullmatch(_ENTRY, name):
            message = f"`{name}` is not a name (letters, digits and `_`, not beginning with a digit)"
            yield Fault(place, message, "rename the entry")
        yield from value_faults(kind, source, f"{place}.{name}", static=spec.rebuild == "static")


# -- the classes that fields hold --------------------------------------------------------------------------------------


def _class_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    for kind in (part for part in types.walk(field.type) if isinstance(part, types.ClassType)):
        message, fix = _why_not_held(spec, kind, is_stored=field.stored)
        if message:
            yield Fault(place, message, fix)
        modules = {
            class_type.module or "this package"
            for class_type in spec.classes
            if class_type.name == kind.name and not is_named_by_library(class_type.module)
        }
        if len(modules) > 1:
            listed = " and ".join(f"`{module}`" for module in sorted(modules))
            yield Fault(place, f"`{kind.name}` comes from {listed}", "rename one of them")


def _why_not_held(spec: ModuleSpec, kind: types.ClassType, *, is_stored: bool) -> tuple[str, str]:
    if kind == types.ClassType(spec.name):
        fix = 'name another class; what is computed from the fields is `role = "derived"`'
        return f"`{spec.name}` cannot hold itself" * is_stored, fix
    if kind.name == spec.name and not is_named_by_library(kind.module):
        message = f"`{kind.module}:{kind.name}` has the name of the class itself"
        return message, "give this class another name"
    if class_name_faults(kind.name, ""):
        fix = "write `f[...]` for an array, `tree` for any structure, or rename the class"
        return f"`{kind.name}` is not a class that can be held", fix
    if kind.module is None and spec.unit is None and stem(kind.name) == spec.stem:
        message = f"`{kind.name}` would be the same file as `{spec.name}`"
        return message, f"write `{spec.name}` as well, or another name"
    return "", ""


# -- fields beside each other ------------------------------------------------------------------------------------------


def _dims(spec: ModuleSpec) -> Iterator[Fault]:
    """Check that a field or argument with the name of a dim is an int, or for `*shape` a tuple."""
    several, bound = constructor.variadic_dims(spec), assigned_names(spec.setup)
    made = {name for field in spec.stored for name in constructor.initialised_dims(spec, field)}
    for name in (name for name in constructor.dims_of(spec) if name in made and name not in bound):
        for kind, place in _declared(spec, name):
            if not _counts(kind, several=name in several):
                wanted = "tuple[int, ...]" if name in several else "int"
                fix = f'write `{name} = {{ type = "{wanted}" }}`, or rename the dim'
                yield Fault(place, f"`{name}` is a dim too, and not of type `{wanted}`", fix)


def _declared(spec: ModuleSpec, name: str) -> Iterator[tuple[types.Type, str]]:
    """Yield the types of the field and the argument of this name, each with its place."""
    field = spec.field(name)
    if field is not None:
        yield field.type, f"fields.{name}"
    arguments = (argument for argument in spec.arguments if argument.name == name)
    yield from ((argument.type, "arguments") for argument in arguments if argument.type)


def _counts(kind: types.Type, *, several: bool) -> bool:
    members = types.members_of(kind)
    return types.ScalarType("int") in members or (
        several and any(isinstance(m, types.TupleType | types.ListType) for m in members)
    )


def _taken_names(spec: ModuleSpec) -> Iterator[Fault]:
    """Find names that the class itself makes from the names of fields."""
    drawn = constructor.key_consumers(spec)
    made = {f"{name}_key": f"the key of `{name}`" for name in drawn if len(drawn) > 1}
    for field in spec.fields if constructor.rebuilds_by(spec, "static") else ():
        parts = ("entries", "preset") * bool(field.preset)
        made |= {f"{field.name}_{part}": f"the {part} of `{field.name}`" for part in parts}
    names = {member.name for member in (*constructor.parameters(spec), *spec.fields)}
    for name in sorted(names & made.keys()):
        fix = f"rename it, to `{name}_` for example"
        yield Fault("fields", f"`{name}` is what the class calls {made[name]}", fix)


_CLOSE = 0.05
"""The relative difference that `std` may have from the draw."""
_LEGAL = ("numbers", "sizes of dims", "+ - * / // **", *(f"{name}(...)" for name in FUNCTIONS))


def std_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    """Find faults in the `std` of a field."""
    if field.std is None:
        return
    if field.array is None or not field.array.inexact or not _is_drawn(spec, field):
        fix = "remove it, or give the field an `init` that draws from `key`"
        yield Fault(f"{place}.std", "nothing of the field is drawn, so it has no deviation", fix)
        return
    known = sizes(spec)
    value = measured(field.std, known)
    if value is None or not 0 < value < math.inf:
        message = f"`{field.std}` is {'no number' if value is None else value} in the tests"
        fix = "write a positive number, or arithmetic over sizes, such as `1 / sqrt(3 * in_size)`"
        yield Fault(f"{place}.std", message, fix, (*_LEGAL, *sorted(known)))
        return
    name = field.initialiser or ""
    initialiser = INITIALISERS.get(name)
    measure = 1.0 if field.measure is None else measured(field.measure, known)
    drawn = abs(measure or 0.0) * (initialiser.unit if initialiser is not None else 0.0)
    if initialiser is not None and drawn and abs(value / drawn - 1) > _CLOSE:
        message = f"`{name}` draws with a standard deviation of {drawn:.3g}, and `std` says {value:.3g}"
        fix = f"write `{name}({initialiser.measure})` in place of both, as `normal(1 / math.sqrt(in_size))`"
        yield Fault(f"{place}.std", message, fix)


def _is_drawn(spec: ModuleSpec, field: Field) -> bool:
    consumers = constructor.key_consumers(spec)
    from_setup = "setup" in consumers and field.expression is not None
    streams = field.expression is not None and draws_from(field.expression, "rngs")
    return field.name in consumers or from_setup or streams or field.name in assigned_names(spec.setup)


_FORM = {"shape", "ndim", "size", "dtype", "itemsize", "nbytes"}
"""Properties of an array besides its values, as attributes and as functions of jax.numpy."""
_ASKS_FOR_FORM = _FORM | {"len", "isinstance", "type", "result_type", "iscomplexobj", "isrealobj", "is_array"}


def checks_of_values(spec: ModuleSpec) -> Iterator[Fault]:
    """Find checks that read the values of arrays, and so fail under `jit`."""
    names = {field.name for field in spec.dynamic if field.array is not None}
    for field in spec.fields:
        read = _by_value(ast.parse(field.check.strip(), mode="eval"), names) if field.check else ()
        for name in dict.fromkeys(read):
            fix = (
                "ask for its shape, or refuse values where the array is given, which holds there too: "
                f"`preprocess = \"eqx.error_if({name}, {name} <= 0, '...')\"`"
            )
            place = f"fields.{field.name}.check"
            yield Fault(place, f"asks for the values of `{name}`, and under `jit` an array has none", fix)


def checks_without_place(spec: ModuleSpec) -> Iterator[Fault]:
    """Find checks that have no place, because the author wrote the method that would run them."""
    method = kind_of(spec.kind).checked_by_author(spec)
    for field in spec.fields if method else ():
        if field.check:
            message = f"nothing is added to the author's `{method}`, so this check would be lost"
            fix = f"write it there: `if not ({field.check}): raise ValueError(...)`"
            yield Fault(f"fields.{field.name}.check", message, fix)


def _by_value(node: ast.AST, names: set[str]) -> Iterator[str]:
    """Yield the arrays whose values an expression reads, and not their form alone."""
    match node:
        case ast.Attribute(attr=attr) if attr in _FORM:
            return
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ASKS_FOR_FORM:
            return
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name) if name in names:
            yield name
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _by_value(child, names)
