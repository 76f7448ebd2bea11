"""Conversion of tables to a `ModuleSpec`, with every fault of a spec in one report."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.comments import as_comment
from scaffold.errors import ScaffoldError
from scaffold.kind import kind_of
from scaffold.mesh_axes import read_rules
from scaffold.source.definitions import annotated_names, class_of
from scaffold.source.expressions import nodes_of, parsed
from scaffold.source.instance import attribute_of_self, calls, made_attributes
from scaffold.spec.construction.dtypes import with_default_dtype
from scaffold.spec.grammar.types import ClassType, ListType, OpaqueType, TupleType, Type
from scaffold.spec.model import Argument, Group, ModuleSpec, TypeParameter
from scaffold.spec.names import class_name_faults, file_name_faults
from scaffold.spec.raw import as_table
from scaffold.spec.reading.made_variables import (
    module_types,
    variable_types,
    variables_made,
    with_variables_made,
)
from scaffold.spec.reading.read_fields import read_fields
from scaffold.spec.reading.read_functions import read_call, read_methods, with_call_apart
from scaffold.spec.reading.read_tests import read_test
from scaffold.spec.reading.reader import Reader, import_statements
from scaffold.spec.rules.bases import MODULES
from scaffold.spec.rules.check import spec_faults
from scaffold.spec.rules.known_names import classes_used
from scaffold.spec.rules.members import class_of_group
from scaffold.spec.tables.check_keys import sound_options
from scaffold.spec.tables.keys import GROUP_KEYS, SPEC_KEYS
from scaffold.spec.tables.sanitize import sanitized
from scaffold.spec.unit import Unit

_PLAIN = (
    *("doc", "module_doc", "constructor_doc", "rebuild", "layout", "compute", "file", "template", "migrate"),
)
_STATEMENTS = ("setup", "helpers", "below", "source")


def read_spec(
    raw: Mapping[str, Any],
    where: str,
    *,
    unread: str = "",
    is_class: Callable[[str], bool] = lambda name: False,
    written: Mapping[tuple[str, ...], str] | None = None,
    unit: Unit | None = None,
) -> ModuleSpec:
    """Read the spec that the tables of `where` describe. Raises one `ScaffoldError` with all faults.

    `unread` is text of the spec that has been reported already. `is_class` returns whether another spec at
    hand describes a class of that name. `written` holds the author's spelling of parts, and `unit` the file
    that the class shares with others.
    """
    clean, faults = sanitized(raw, where)
    clean, call_at = with_call_apart(clean)
    kind = clean.get("kind")
    reader = Reader(where, kind if isinstance(kind, str) else "module")
    reader.faults += faults
    reader.unread.append(unread)
    table = reader.table({"fields": {}, **clean}, SPEC_KEYS, "", reader.kind)
    spec = replace(_assembled(reader, table), call_at=call_at, unit=unit, written=(*(written or {}).items(),))
    spec = replace(spec, unread=frozenset(re.findall(r"[A-Za-z_]\w*", "\n".join(reader.unread))))
    spec = with_default_dtype(replace(_built(_word_for_word(spec)), uses=classes_used(spec, is_class)))
    reader.note(spec_faults(spec))
    if reader.faults:
        raise ScaffoldError.of(set(reader.faults))
    return kind_of(spec.kind).complete(spec)


def _assembled(reader: Reader, table: Mapping[str, Any]) -> ModuleSpec:
    """Build the spec from the parts of the tables that could be read."""
    kind = kind_of(reader.kind)
    save = True if table.get("migrate") else None

    def misplaced(name: str, message: str, fix: str) -> None:
        reader.add(f"sharding.{name}", message, fix)

    decorators = (reader.expression(text, "decorators") for text in table.get("decorators", ()))
    plain: dict[str, Any] = {"doc": "", **{key: table[key] for key in _PLAIN if key in table}}
    plain |= {key: reader.statements(table.get(key, ""), key) for key in _STATEMENTS}
    return ModuleSpec(
        name=_named(reader, table),
        kind=reader.kind,
        where=reader.where,
        fields=read_fields(reader, table["fields"], table.get("given", "")) if "fields" in table else (),
        comment=as_comment(table.get("comment", "")),
        module_comment=as_comment(table.get("module_comment", "")),
        bases=_bases(reader, table.get("bases", ())),
        generic=tuple(_type_parameter(reader, text) for text in table.get("generic", ())),
        decorators=tuple(decorator for decorator in decorators if decorator is not None),
        keywords=reader.values(table.get("keywords"), "keywords"),
        constructor=table.get("constructor", kind.constructors[0]),
        arguments=_streams(reader.arguments(table.get("arguments", ()), "arguments"), reader.kind),
        dtype=" ".join(table.get("dtype", "").split()),
        imports=tuple(line for text in table.get("imports", ()) for line in _imported(reader, text)),
        groups=tuple(_groups(reader, table)),
        save=table.get("save", save),
        sharding=read_rules(table["sharding"], misplaced) if "sharding" in table else None,
        options=_options(reader, table.get("options")),
        call=read_call(reader, table),
        test=read_test(reader, table.get("test")),
        methods=read_methods(reader, table),
        **plain,
    )


def _named(reader: Reader, table: Mapping[str, Any]) -> str:
    """Return the name of the class, which may be any Python name in a kind that is carried."""
    reader.note(file_name_faults(table["file"], "file") if "file" in table else ())
    if "name" in table and not kind_of(reader.kind).is_carried:
        reader.note(class_name_faults(table["name"], "name"))
    return table.get("name", "")


def _bases(reader: Reader, texts: Iterable[str]) -> tuple[ClassType | OpaqueType, ...]:
    kinds = [(text, reader.type(text, "bases")) for text in texts]
    bases = [kind for _, kind in kinds if isinstance(kind, ClassType | OpaqueType)]
    for text in (text for text, kind in kinds if kind is not None and kind not in bases):
        reader.add("bases", f"`{text}` is no class", "write `AbstractNorm`, or `package.module:AbstractNorm`")
    # A mixin before Module, or Python finds no order for their methods.
    return tuple(sorted(bases, key=lambda base: base in MODULES))


def _type_parameter(reader: Reader, text: str) -> TypeParameter:
    """Parse `T`, or `T: AbstractKernel`."""
    name, _, bound = (part.strip() for part in text.partition(":"))
    return TypeParameter(name, reader.type(bound, "generic") if bound else None)


def _imported(reader: Reader, text: str) -> Iterator[str]:
    """Yield the import statements of a text, one for each name."""
    lines = import_statements(text)
    if lines is None:
        fix = "write `from package.module import name`"
        reader.add("imports", f"`{text}` is not an import that can be copied", fix)
        reader.unread.append(text)
    yield from lines or ()


def _options(reader: Reader, raw: Any) -> tuple[tuple[str, Any], ...]:
    """Return the options that the kind takes, and note the faults of others."""
    sound, faults = sound_options(as_table(raw), reader.kind)
    reader.note(faults)
    return tuple(sound.items())


def _groups(reader: Reader, table: Mapping[str, Any]) -> Iterator[Group]:
    """Read the groups, each an array of names or a table."""
    for name, raw in as_table(table.get("groups")).items():
        place = f"groups.{name}"
        group = reader.table(raw if isinstance(raw, Mapping) else {"fields": raw}, GROUP_KEYS, place)
        usual = class_of_group(table.get("name", ""), name)
        if group.get("fields"):
            fields, class_name = tuple(group["fields"]), group.get("class") or usual
            yield Group(name, fields, class_name, group.get("readable", False))
        else:
            if "fields" in group:
                reader.add(place, "a group has no field", 'write `small = ["element1", "element2"]`')
            reader.unread.append(name)


def _word_for_word(spec: ModuleSpec) -> ModuleSpec:
    """Mark fields as leaves that are not dynamic, if the class statement does not say `static=True`.

    This concerns a class that is emitted word for word.
    """
    node = class_of(spec.source)
    if node is None or kind_of(spec.kind).is_carried:
        return spec
    static = {name for name, field in annotated_names(node.body) if "static=True" in ast.unparse(field)}
    stays = {field.name: not field.dynamic and field.name not in static for field in spec.fields}
    return replace(spec, fields=tuple(replace(field, is_leaf=stays[field.name]) for field in spec.fields))


def _built(spec: ModuleSpec) -> ModuleSpec:
    """Mark the fields that an author's own constructor makes.

    In an NNX module, add the attributes that the constructor makes without annotations.
    """
    own = spec.own_constructor
    if own is None:
        return spec
    tuples = {name for name, value in made_attributes(own.call.source) if _is_tuple(value)}
    fields = tuple(
        replace(field, built=field.stored, type=_as_tuple(field.type) if field.name in tuples else field.type)
        for field in spec.fields
    )
    if not kind_of(spec.kind).variables:
        return replace(spec, fields=fields)
    calls = nodes_of(ast.Call, *(parsed(call.text) for call in spec.calls))
    called = {name for call in calls if (name := attribute_of_self(call.func)) is not None}
    types = dict(spec.unit.variables) if spec.unit else variable_types(spec.helpers)
    modules = spec.unit.modules if spec.unit else module_types(spec.helpers)
    made = variables_made(fields, own.call, called, types, modules)
    return replace(spec, fields=(*with_variables_made(fields, own.call, types), *made))


def _is_tuple(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) or calls(value, "tuple")


def _as_tuple(kind: Type) -> Type:
    """Return `tuple[X, ...]` for a list of `X`, which the constructor stores as a tuple."""
    return TupleType((kind.item,), variadic=True) if isinstance(kind, ListType) else kind


def _streams(arguments: tuple[Argument, ...], kind: str) -> tuple[Argument, ...]:
    """Replace the argument `key` by `rngs` in a kind of class with Variables."""
    if not kind_of(kind).variables:
        return arguments
    return tuple(Argument("rngs") if argument == Argument("key") else argument for argument in arguments)
