"""The rules for fields: what goes with which type and role, and which values are of their type."""

import ast
import re
from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.spec.construction.constructor import (
    dims_of,
    initialised_dims,
    key_consumers,
    parameters,
    rebuilds_by,
    variadic_dims,
)
from scaffold.spec.construction.init_std import std_faults
from scaffold.spec.grammar.initialisers import INITIALISERS, legal_initialisers
from scaffold.spec.grammar.types import (
    ArrayType,
    ClassType,
    DictType,
    ListType,
    OpaqueType,
    ScalarType,
    TupleType,
    Type,
    UnionType,
    arrays,
    walk,
)
from scaffold.spec.grammar.values import described, is_nan, value_fault
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.names import class_name_faults, is_named_by_library, stem
from scaffold.spec.source.expressions import assigned_names
from scaffold.spec.source.instance import names_read

_ENTRY = r"(?a)[A-Za-z_]\w*"
_VERBS = {"preprocess": "preprocess", "converter": "convert"}
_NAN = "NaN differs from itself, so every use would compile anew"


def field_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with each field by itself and beside the others."""
    for field in spec.fields:
        place = f"fields.{field.name}"
        yield from initialiser_faults(field, place)
        yield from std_faults(spec, field, place)
        yield from _default_faults(field, place)
        yield from _flag_faults(spec, field, f"{place}.optional")
        yield from _preset_faults(spec, field, f"{place}.preset")
        yield from _class_faults(spec, field, f"{place}.type")
    yield from _dims(spec)
    yield from _derived(spec)
    yield from _taken_names(spec)
    if spec.fields and not spec.stored:
        fix = "declare a field that is not derived"
        yield Fault("fields", "every field is derived, so there is nothing to hold", fix)


# -- how a field is made -----------------------------------------------------------------------------------------------


def initialiser_faults(field: Field, place: str) -> Iterator[Fault]:
    """What is wrong with the `init` of one field."""
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


def _why_not_made(name: str, array: ArrayType) -> str | None:
    if name not in INITIALISERS:
        return f"there is no initialiser `{name}`"
    initialiser = INITIALISERS[name]
    if len(array.dims) < initialiser.dims:
        return f"`{name}` needs an array of at least {initialiser.dims} dims"
    return None if initialiser.makes(array) else f"`{name}` does not make this dtype"


def _measure_faults(name: str, measure: str | None, array: ArrayType, place: str) -> Iterator[Fault]:
    """Some names take a measure, one does nothing without it, and the others take none."""
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
    """What the caller gives, or may leave out, goes with no `init`; a default is of the type."""
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


def _takes_none(kind: Type) -> bool:
    return isinstance(kind, OpaqueType) or (isinstance(kind, UnionType) and kind.optional)


def value_faults(kind: Type, source: str, place: str, *, static: bool = False) -> Iterator[Fault]:
    """Why a default or a value is not of its type, or cannot be part of a treedef."""
    message = _NAN if static and is_nan(source) else value_fault(kind, source)
    if message is not None:
        fix = f"write {described(kind)}, or `=` and an expression"
        yield Fault(place, message, "write `-` for the minus sign" if "\u2212" in source else fix)


def _is_shared(field: Field, default: str) -> bool:
    """Whether a default would be held by each instance as it is: arrays are copied, Modules are not."""
    is_held = field.dynamic and any(isinstance(part, ClassType) for part in walk(field.type))
    return is_held and isinstance(ast.parse(default, mode="eval").body, ast.Call)


def _flag_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    """`optional` names a bool: a field, an argument, or one that the constructor gets for it."""
    flag = field.optional
    if flag is None:
        return
    declared = [kind for kind, _ in _declared(spec, flag)]
    if flag == field.name or flag in dims_of(spec) or any(not _takes(kind, "bool") for kind in declared):
        meaning = "the field itself" if flag == field.name else "another thing, and no bool"
        yield Fault(place, f"`{flag}` is {meaning}", f"rename the flag, to `use_{field.name}` for example")


def _takes(kind: Type, scalar: str) -> bool:
    return ScalarType(scalar) in (kind.members if isinstance(kind, UnionType) else (kind,))


def _preset_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    if not field.preset:
        return
    if not isinstance(field.type, DictType):
        yield Fault(place, "only a dict has entries to preset", "write `preprocess` for another field")
        return
    kind = ScalarType("float") if arrays(field.type.item) else field.type.item
    for name, source in field.preset:
        if not re.fullmatch(_ENTRY, name):
            message = f"`{name}` is not a name (letters, digits and `_`, not beginning with a digit)"
            yield Fault(place, message, "rename the entry")
        yield from value_faults(kind, source, f"{place}.{name}", static=spec.rebuild == "static")


# -- the classes that fields hold --------------------------------------------------------------------------------------


def _class_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    for kind in (part for part in walk(field.type) if isinstance(part, ClassType)):
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


def _why_not_held(spec: ModuleSpec, kind: ClassType, *, is_stored: bool) -> tuple[str, str]:
    if kind == ClassType(spec.name):
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
    """A dim that an array is made with, and that is a field or an argument too, is an int there; `*shape` is a tuple."""
    several, bound = variadic_dims(spec), assigned_names(spec.setup)
    made = {name for field in spec.stored for name in initialised_dims(spec, field)}
    for name in (name for name in dims_of(spec) if name in made and name not in bound):
        for kind, place in _declared(spec, name):
            if not _counts(kind, several=name in several):
                wanted = "tuple[int, ...]" if name in several else "int"
                fix = f'write `{name} = {{ type = "{wanted}" }}`, or rename the dim'
                yield Fault(place, f"`{name}` is a dim too, and not of type `{wanted}`", fix)


def _declared(spec: ModuleSpec, name: str) -> Iterator[tuple[Type, str]]:
    """What a field and an argument of this name hold, and the places of these."""
    field = spec.field(name)
    if field is not None:
        yield field.type, f"fields.{name}"
    yield from (
        (argument.type, "arguments") for argument in spec.arguments if argument.name == name and argument.type
    )


def _counts(kind: Type, *, several: bool) -> bool:
    if isinstance(kind, UnionType):
        return any(_counts(member, several=several) for member in kind.members)
    if isinstance(kind, TupleType | ListType):
        return several
    return kind == ScalarType("int")


def _derived(spec: ModuleSpec) -> Iterator[Fault]:
    """A derived field must not need itself."""
    reads = {field.name: names_read(field.expression or "None") for field in spec.derived}
    for name in reads:
        seen: set[str] = set()
        ahead = set(reads[name])
        while ahead:
            seen |= ahead
            ahead = {further for reached in ahead for further in reads.get(reached, ())} - seen
        field = spec.field(name)
        if name in seen and field is not None and field.role != "shared":
            fix = "write it over stored fields"
            yield Fault(f"fields.{name}.init", f"`{name}` is computed from itself", fix)


def _taken_names(spec: ModuleSpec) -> Iterator[Fault]:
    """Names that the class makes out of those of fields."""
    drawn = key_consumers(spec)
    made = {f"{name}_key": f"the key of `{name}`" for name in drawn if len(drawn) > 1}
    for field in spec.fields if rebuilds_by(spec, "static") else ():
        parts = ("entries", "preset") * bool(field.preset)
        made |= {f"{field.name}_{part}": f"the {part} of `{field.name}`" for part in parts}
    for name in sorted({member.name for member in (*parameters(spec), *spec.fields)} & made.keys()):
        fix = f"rename it, to `{name}_` for example"
        yield Fault("fields", f"`{name}` is what the class calls {made[name]}", fix)
