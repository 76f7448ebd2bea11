"""The rules for fields: what goes with which type and role, and which values are of their type."""

import ast
import re
from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.spec.construction.constructor import dims_of, key_consumers, parameters, variadic_dims
from scaffold.spec.construction.spreads import spread_faults
from scaffold.spec.fields.shared import shared_fields
from scaffold.spec.grammar.initialisers import INITIALISERS, Initialiser, legal_initialisers
from scaffold.spec.grammar.types import (
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
from scaffold.spec.names import class_name_fault, stem
from scaffold.spec.source.expressions import assigned_names, free_names

_ENTRY = r"(?a)[A-Za-z_]\w*"


def field_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with each field by itself and beside the others."""
    for field in spec.fields:
        place = f"fields.{field.name}"
        yield from initialiser_faults(field, place)
        yield from spread_faults(spec, field, place)
        yield from _made_or_given(field, place)
        yield from _default(field, place)
        yield from _flag(spec, field, place)
        yield from _preset(spec, field, place)
        yield from _classes(spec, field, place)
    yield from _dims(spec)
    yield from _derived(spec)
    yield from _taken_names(spec)
    if spec.fields and not spec.stored:
        fix = "declare a field that is not derived"
        yield Fault("fields", "every field is derived, so there is nothing to hold", fix)


def initialiser_faults(field: Field, place: str) -> Iterator[Fault]:
    """What is wrong with the `init` of one field."""
    if field.role == "derived":
        if field.expression is None:
            fix = 'write `init = "=self.a + self.b"`'
            yield Fault(f"{place}.init", "a derived field is an expression", fix)
        return
    name = field.initialiser
    if name is None or field.role == "shared":
        return
    if not name:
        yield Fault(f"{place}.init", "is empty", "write an initialiser, or remove it")
    elif field.array is None:
        fix = f'write `init = "={name}"` for an expression, or `default`'
        yield Fault(f"{place}.init", f"`{name}` makes one array, and the field is none", fix)
    elif (what := _why_not(name, field)) is not None:
        legal = legal_initialisers(field.array)
        fix = suggestion(name, legal, f"write one of the legal names, or `={name}...` for an expression")
        yield Fault(f"{place}.init", what, fix, legal)
    else:
        yield from _measure_faults(INITIALISERS[name], name, field, f"{place}.init")


def _measure_faults(one: Initialiser, name: str, field: Field, place: str) -> Iterator[Fault]:
    """Some names take a measure, one does nothing without it, and the others take none."""
    if field.measure is not None and not one.measured:
        taking = tuple(f"{other}({found.measure})" for other, found in INITIALISERS.items() if found.measured)
        yield Fault(place, f"`{name}` takes nothing in parentheses", f"write `{name}`", taking)
    elif field.measure is None and not one.source:
        yield Fault(
            place, f"`{name}` does not say its {one.measure.lower()}", f"write `{name}({one.measure})`"
        )
    elif (
        field.measure is None
        and field.array is not None
        and field.array.dtype[0] == "c"
        and name == "uniform"
    ):
        fix = "write `uniform(LIMIT)`, for both parts between -LIMIT and LIMIT"
        yield Fault(place, "`uniform` from 0 to 1 makes no complex numbers", fix)


def _why_not(name: str, field: Field) -> str | None:
    if name not in INITIALISERS:
        return f"there is no initialiser `{name}`"
    one = INITIALISERS[name]
    if field.array is not None and len(field.array.dims) < one.dims:
        return f"`{name}` needs an array of at least {one.dims} dims"
    if field.array is not None and not one.makes(field.array):
        return f"`{name}` does not make this dtype"
    return None


def _made_or_given(field: Field, place: str) -> Iterator[Fault]:
    """`preprocess` and `converter` change what the caller gives."""
    for key, value in (("preprocess", field.preprocess), ("converter", field.converter)):
        if value is not None and field.stored and field.init is not None:
            what = f"`init` makes the field, so there is nothing given to {_VERBS[key]}"
            yield Fault(f"{place}.{key}", what, "put it into `init`")


_NAN = "NaN differs from itself, so every use would compile anew"
_VERBS = {"preprocess": "preprocess", "converter": "convert"}


def _default(field: Field, place: str) -> Iterator[Fault]:
    place = f"{place}.default"
    if field.default is None or (field.default == "None" and field.nullable) or not field.stored:
        return
    if field.init is not None:
        yield Fault(place, "`init` makes the field, so there is no argument to default", "remove one of them")
    elif field.default == "None" and not _takes_none(field.type):
        fix = "write `| None` after the type, or another default"
        yield Fault(place, f"None is not {described(field.type)}", fix)
    elif _is_shared(field):
        fix = "write `init`, or leave `default` out"
        yield Fault(place, "a default of a Module would be shared by all instances", fix)
    else:
        yield from value_faults(field.type, field.default, place, static=field.role == "static")


def _takes_none(kind: Type) -> bool:
    return isinstance(kind, OpaqueType) or (isinstance(kind, UnionType) and kind.optional)


def value_faults(kind: Type, source: str, place: str, *, static: bool = False) -> Iterator[Fault]:
    """Why a default or a value is not of its type, or cannot be part of a treedef."""
    what = _NAN if static and is_nan(source) else value_fault(kind, source)
    if what is not None:
        fix = f"write {described(kind)}, or `=` and an expression"
        yield Fault(place, what, "write `-` for the minus sign" if "\u2212" in source else fix)


def _is_shared(field: Field) -> bool:
    """Whether a default would be held by each instance as it is: arrays are copied, Modules are not."""
    is_held = field.dynamic and any(isinstance(part, ClassType) for part in walk(field.type))
    return is_held and isinstance(ast.parse(field.default or "None", mode="eval").body, ast.Call)


def _flag(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    """`optional` names a bool: a field, an argument, or one that the constructor gets for it."""
    if field.optional is None:
        return
    place, name = f"{place}.optional", field.optional
    declared = next((one.type for one in spec.arguments if one.name == name and one.type), None)
    other = spec.field(name)
    fix = f"rename the flag, to `use_{field.name}` for example"
    if name == field.name:
        yield Fault(place, f"`{name}` is the field itself", fix)
    elif other is not None and other.type != ScalarType("bool"):
        yield Fault(place, f"`{name}` is a field and no bool", fix)
    elif declared is not None and not _takes(declared, "bool"):
        yield Fault(place, f"`{name}` is an argument and no bool", fix)
    elif name in dims_of(spec):
        yield Fault(place, f"`{name}` is a dim", fix)


def _takes(kind: Type, scalar: str) -> bool:
    members = kind.members if isinstance(kind, UnionType) else (kind,)
    return ScalarType(scalar) in members


def _preset(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    place = f"{place}.preset"
    if not field.preset:
        return
    if not isinstance(field.type, DictType):
        yield Fault(place, "only a dict has entries to preset", "write `preprocess` for another field")
        return
    for name, source in field.preset:
        if not re.fullmatch(_ENTRY, name):
            what = f"`{name}` is not a name (letters, digits and `_`, not beginning with a digit)"
            yield Fault(place, what, "rename the entry")
        item = field.type.item
        kind = ScalarType("float") if arrays(item) else item
        yield from value_faults(kind, source, f"{place}.{name}", static=spec.rebuild == "static")


def _classes(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    for part in walk(field.type):
        if part == ClassType(spec.name):
            if field.stored:
                fix = 'name another class; what is computed from the fields is `role = "derived"`'
                yield Fault(f"{place}.type", f"`{spec.name}` cannot hold itself", fix)
        elif isinstance(part, ClassType) and part.name == spec.name:
            what = f"`{part.module}:{part.name}` has the name of the class itself"
            yield Fault(f"{place}.type", what, "give this class another name")
        elif isinstance(part, ClassType):
            yield from _class(spec, part, f"{place}.type")


def _class(spec: ModuleSpec, kind: ClassType, place: str) -> Iterator[Fault]:
    if class_name_fault(kind.name, place):
        fix = "write `f[...]` for an array, `tree` for any structure, or rename the class"
        yield Fault(place, f"`{kind.name}` is not a class that can be held", fix)
    elif kind.module is None and spec.unit is None and stem(kind.name) == spec.stem:
        fix = f"write `{spec.name}` as well, or another name"
        yield Fault(place, f"`{kind.name}` would be the same file as `{spec.name}`", fix)
    modules = {one.module for one in spec.classes if one.name == kind.name}
    if len(modules) > 1:
        told = " and ".join(sorted(f"`{module or 'this package'}`" for module in modules))
        yield Fault(place, f"`{kind.name}` comes from {told}", "rename one of them")


def _dims(spec: ModuleSpec) -> Iterator[Fault]:
    """A dim that is a field or an argument too is an int there; `*shape` is a tuple."""
    several = variadic_dims(spec)
    bound = assigned_names(spec.setup)
    for name in dims_of(spec):
        for kind, place in _declared(spec, name):
            if name in bound or _counts(kind, several=name in several):
                continue
            wanted = "tuple[int, ...]" if name in several else "int"
            fix = f'write `{name} = {{ type = "{wanted}" }}`, or rename the dim'
            yield Fault(f"{place}", f"`{name}` is a dim too, and not of type `{wanted}`", fix)


def _declared(spec: ModuleSpec, name: str) -> Iterator[tuple[Type, str]]:
    field = spec.field(name)
    if field is not None:
        yield field.type, f"fields.{name}"
    yield from ((one.type, "arguments") for one in spec.arguments if one.name == name and one.type)


def _counts(kind: Type, *, several: bool) -> bool:
    if isinstance(kind, UnionType):
        return any(_counts(member, several=several) for member in kind.members)
    if isinstance(kind, TupleType | ListType):
        return several
    return kind == ScalarType("int")


def _derived(spec: ModuleSpec) -> Iterator[Fault]:
    """A derived field must not need itself."""
    reads = {one.name: _reads_of(one) for one in spec.derived}
    for name in reads:
        seen: set[str] = set()
        ahead = set(reads[name])
        while ahead:
            seen |= ahead
            ahead = {after for one in ahead for after in reads.get(one, ())} - seen
        if name in seen and name not in {one.name for one in shared_fields(spec)}:
            fix = "write it over stored fields"
            yield Fault(f"fields.{name}.init", f"`{name}` is computed from itself", fix)


def _reads_of(field: Field) -> frozenset[str]:
    source = field.expression or "None"
    tree = ast.walk(ast.parse(source.strip(), mode="eval"))
    own = (
        node.attr for node in tree if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
    )
    return frozenset((*free_names(source, expression=True), *own))


def _taken_names(spec: ModuleSpec) -> Iterator[Fault]:
    """Names that the class makes out of those of fields."""
    made = {f"{name}_key": f"the key of `{name}`" for name in key_consumers(spec)}
    made = made if len(made) > 1 else {}
    if spec.rebuilds_by("static"):
        with_preset = [one.name for one in spec.fields if one.preset]
        made |= {
            f"{name}_{part}": f"the {part} of `{name}`"
            for name in with_preset
            for part in ("entries", "preset")
        }
    given = {one.name for one in parameters(spec)} | {one.name for one in spec.fields}
    for name in sorted(given & set(made)):
        fix = f"rename it, to `{name}_` for example"
        yield Fault("fields", f"`{name}` is what the class calls {made[name]}", fix)
