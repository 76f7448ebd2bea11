"""Tables to a `ModuleSpec`: every fault of a spec in one report."""

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from scaffold.comments import as_comment
from scaffold.errors import Fault, ScaffoldError
from scaffold.kind import kind_of
from scaffold.mesh_axes import Rules, read_rules
from scaffold.spec.grammar.synonyms import TypeSyntaxError
from scaffold.spec.grammar.type_parser import LEGAL_TYPES, parse_type
from scaffold.spec.grammar.type_texts import type_fix, without_role
from scaffold.spec.grammar.types import ClassType, OpaqueType, ScalarType, Type, UnionType
from scaffold.spec.grammar.values import as_float, default_source, literal, literals, one_value
from scaffold.spec.model import Argument, Call, Field, Group, ModuleSpec
from scaffold.spec.reading.entries import (
    expression_source,
    frozen_as,
    import_statement,
    init_source,
    of_one_name,
    text_or_none,
    without_none,
)
from scaffold.spec.reading.functions import read_call, read_methods, with_call_apart
from scaffold.spec.reading.generics import read_generic
from scaffold.spec.reading.roles import UNTOLD, given_role, legal_roles, role_of, untold_fault
from scaffold.spec.reading.signature import SignatureSyntaxError, parse_argument
from scaffold.spec.reading.tests import read_test
from scaffold.spec.reading.tokens import parse_field_text
from scaffold.spec.rules.bases import MODULE
from scaffold.spec.rules.check import spec_faults
from scaffold.spec.rules.groups import class_of_group, group_faults
from scaffold.spec.rules.source import classes_used
from scaffold.spec.source.expressions import dedented
from scaffold.spec.tables.check_keys import is_value, key_faults, option_faults
from scaffold.spec.tables.clean import cleaned
from scaffold.spec.tables.keys import COMPUTES, FIELD_KEYS, GROUP_KEYS, SPEC_KEYS
from scaffold.spec.tables.raw import as_list, as_table, as_text
from scaffold.spec.unit import Unit


class Reader:
    """Reads the parts of one spec and collects what is wrong with them."""

    def __init__(self, where: str):
        self.where = where
        self.faults: list[Fault] = []
        self.unread: list[str] = []
        """The text of what could not be read: its names are not unknown for that."""
        self.without_role: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
        """The fields whose role nothing says, by what is said of them."""

    def place(self, *parts: str) -> str:
        return f"{self.where}: {'.'.join(parts)}"

    def add(self, place: str, what: str, fix: str, legal: tuple[str, ...] = ()) -> None:
        self.faults.append(Fault(place, what, fix, legal))

    def table(self, raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        return as_table(raw.get(name))

    def text(self, raw: Mapping[str, Any], name: str, default: str = "") -> str:
        return as_text(raw.get(name), default)

    def type(self, text: str, place: str) -> Type | None:
        try:
            return parse_type(text)
        except TypeSyntaxError as error:
            self.add(place, str(error), error.fix or type_fix(text), LEGAL_TYPES)
            self.unread.append(text)
            return None

    def fields(self, tables: Mapping[str, Any], kind: str = "") -> tuple[Field, ...]:
        """The fields that can be made out."""
        found = {name: self.field(name, table) for name, table in tables.items()}
        self.unread += [f"{name} {tables[name]}" for name, field in found.items() if field is None]
        known = [field for field in found.values() if field is not None]
        for (what, fix, legal), names in self.without_role.items():
            told = f"{what}: {', '.join(f'`{name}`' for name in names)}" if len(names) > 1 else what
            self.add(self.place("fields", names[0]), told, fix, legal)
        role = given_role(known, kind_of(kind).given_arrays)
        if role == UNTOLD:
            untold = (one.name for one in known if one.role == UNTOLD)
            self.faults += [untold_fault(name, tables[name], self.where) for name in untold]
        return tuple(replace(one, role=role or "param") if one.role == UNTOLD else one for one in known)

    def field(self, name: str, raw: Any) -> Field | None:
        """One field; None where its type or role cannot be made out."""
        if not isinstance(raw, str | Mapping):
            self.add(self.place("fields", name), f"{raw!r} is not a table", 'write `{ type = "f[size]" }`')
            return None
        table = parse_field_text(raw) if isinstance(raw, str) else as_table(raw)
        self.faults += [fault.below(self.where) for fault in key_faults(table, FIELD_KEYS, f"fields.{name}")]
        text = table.get("type")
        kind = self.type(text, self.place("fields", name, "type")) if isinstance(text, str) else None
        role = self.role(name, kind, table) if kind is not None else None
        return self._field(name, kind, role, table) if kind is not None and role is not None else None

    def role(self, name: str, kind: Type, table: Mapping[str, Any]) -> str | None:
        legal = legal_roles(without_none(kind))
        role = role_of(without_none(kind), table)
        if role is None:
            what, fix = without_role(without_none(kind), legal, self.text(table, "type"))
            self.without_role.setdefault((what, fix, legal), []).append(name)
            return None
        if role not in (*legal, UNTOLD):
            if not any(fault.where == self.place("fields", name, "role") for fault in self.faults):
                what = f"role `{role}` does not go with type `{self.text(table, 'type')}`"
                self.add(self.place("fields", name, "role"), what, f"write one of {', '.join(legal)}", legal)
            return None
        return role

    def _field(self, name: str, kind: Type, role: str, table: Mapping[str, Any]) -> Field:
        nullable = isinstance(kind, UnionType) and kind.optional and role != "static"
        default = self.default(kind, role, table)
        return Field(
            name=name,
            type=without_none(kind) if nullable else kind,
            role=role,
            init=init_source(table.get("init")),
            std=None if table.get("std") is None else str(table["std"]).strip(),
            preprocess=expression_source(table.get("preprocess")),
            optional=text_or_none(table.get("optional")),
            default="None" if nullable and default is None else default,
            converter=init_source(table.get("converter")),
            check=expression_source(table.get("check")),
            preset=tuple(sorted(literals(self.table(table, "preset")))),
            variable=text_or_none(table.get("variable")),
            of=expression_source(table.get("of")),
            nullable=nullable,
            frozen=frozen_as(table.get("frozen")),
            decays=table.get("decay") is not False,
            stacked=table.get("stacked") is True,
            remat=table.get("remat") is True,
            compute=self.compute(name, table.get("compute")),
            doc=self.text(table, "doc"),
            comment=as_comment(self.text(table, "comment")),
        )

    def compute(self, name: str, value: Any) -> str:
        """The dtype that a field is read in, or `false`."""
        if value is None or value is False or value in COMPUTES:
            return "" if value is None else "false" if value is False else str(value)
        what = f"`{value}` is no dtype that a call computes in"
        self.add(
            self.place("fields", name, "compute"),
            what,
            f"write one of {', '.join(COMPUTES)}, or false",
            COMPUTES,
        )
        return ""

    def default(self, kind: Type, role: str, table: Mapping[str, Any]) -> str | None:
        value = table.get("default")
        inner = without_none(kind)
        return default_source(inner, literal(value, role, inner)) if is_value(value) else None

    def arguments(self, texts: Any, place: str) -> tuple[Argument, ...]:
        listed = [text for text in as_list(texts) if isinstance(text, str)]
        found = [self.argument(text, place) for text in listed]
        return tuple(one for one in found if one is not None)

    def argument(self, text: str, place: str) -> Argument | None:
        try:
            one = parse_argument(text)
        except SignatureSyntaxError as error:
            self.add(place, str(error), "write `name`, `name: TYPE`, `name: TYPE = default` or `*`")
        except TypeSyntaxError as error:
            self.add(place, str(error), error.fix or type_fix(text.partition(":")[2]), LEGAL_TYPES)
        else:
            default = one.default and as_float(one.type or ScalarType("int"), one_value(one.default))
            return Argument(one.name, one.type, default)
        self.unread.append(text)
        return None

    def imports(self, raw: Mapping[str, Any]) -> tuple[str, ...]:
        """The imports, one line for each name."""
        place = self.place("imports")
        listed = [text for text in as_list(raw.get("imports")) if isinstance(text, str)]
        return tuple(line for text in listed for line in self.imported(text, place))

    def imported(self, text: str, place: str) -> Iterator[str]:
        statement = import_statement(text)
        if statement is not None:
            yield from (ast.unparse(of_one_name(statement, alias)) for alias in statement.names)
            return
        fix = "write `from package.module import name`"
        self.add(place, f"`{text}` is not an import that can be copied", fix)
        self.unread.append(text)

    def bases(self, raw: Mapping[str, Any]) -> tuple[ClassType | OpaqueType, ...]:
        place = self.place("bases")
        listed = [text for text in as_list(raw.get("bases")) if isinstance(text, str)]
        kinds = [(text, self.type(text, place)) for text in listed]
        for text, kind in kinds:
            if kind is not None and not isinstance(kind, ClassType | OpaqueType):
                self.add(
                    place, f"`{text}` is no class", "write `AbstractNorm`, or `package.module:AbstractNorm`"
                )
        found = [kind for _, kind in kinds if isinstance(kind, ClassType | OpaqueType)]
        return tuple(
            sorted(found, key=lambda one: one == MODULE)
        )  # last, or Python finds no order for their methods

    def call(self, raw: Mapping[str, Any]) -> Call | None:
        return read_call(self, raw)

    def sharding(self, raw: Mapping[str, Any]) -> Rules | None:
        table = raw.get("sharding")
        add = partial(_add_rule, self)
        return read_rules(as_table(table), add) if isinstance(table, Mapping) else None

    def options(self, raw: Mapping[str, Any], kind: str) -> tuple[tuple[str, Any], ...]:
        """The options that are what the kind takes."""
        table = self.table(raw, "options")
        self.faults += [fault.below(self.where) for fault in option_faults(kind, table)]
        return tuple((name, value) for name, value in table.items() if not option_faults(kind, {name: value}))

    def groups(self, raw: Mapping[str, Any]) -> tuple[Group, ...]:
        found = (self.group(raw, name, value) for name, value in self.table(raw, "groups").items())
        return tuple(one for one in found if one.fields)

    def group(self, raw: Mapping[str, Any], name: str, value: Any) -> Group:
        """One group: an array of names, or a table with more to say."""
        place = f"groups.{name}"
        table = as_table(value) or {"fields": value}
        fields = as_list(table.get("fields"))
        if not fields or not all(isinstance(one, str) for one in fields):
            fix = 'write `small = ["element1", "element2"]`'
            self.add(self.place(place), "a group is an array of names of fields", fix)
            self.unread.append(name)
        else:
            self.faults += [fault.below(self.where) for fault in key_faults(table, GROUP_KEYS, place)]
        given = self.text(table, "class") or class_of_group(self.text(raw, "name"), name)
        return Group(name, tuple(map(str, fields)), given, table.get("readable") is True)


def _add_rule(reader: Reader, name: str, what: str, fix: str) -> None:
    reader.add(reader.place("sharding", name), what, fix)


def _no_class(name: str) -> bool:
    return False


def read_spec(
    raw: Mapping[str, Any],
    where: str,
    *,
    unread: str = "",
    is_class: Callable[[str], bool] = _no_class,
    unit: Unit | None = None,
) -> ModuleSpec:
    """The spec that the tables of `where` describe. Raises one `ScaffoldError` with all faults.

    `unread` is text that belongs to the spec and was found wrong already. `is_class` tells of a name whether another
    spec at hand describes a class of that name. `unit` is the file that the class shares with others.
    """
    found, odd = cleaned(raw, where)
    found, call_at = with_call_apart(found)
    raw = {"fields": {}, **found}
    reader = Reader(where)
    reader.unread.append(unread)
    reader.faults += [*odd, *(fault.below(where) for fault in key_faults(raw, SPEC_KEYS, ""))]
    tables = reader.table(raw, "fields")
    spec = replace(_assembled(reader, raw, tables), call_at=call_at, unit=unit)
    spec = replace(_built(spec), uses=classes_used(spec, is_class))
    named = frozenset(name for name, value in raw.items() if isinstance(value, str))
    unread = "\n".join(reader.unread)
    reader.faults += [*spec_faults(spec, declared=named, unread=unread), *group_faults(spec, unread)]
    if reader.faults:
        raise ScaffoldError.of(set(reader.faults))
    return kind_of(spec.kind).complete(spec)


def _assembled(reader: Reader, raw: Mapping[str, Any], tables: Mapping[str, Any]) -> ModuleSpec:
    """The spec that the tables say, with what could be read of them."""
    kind = reader.text(raw, "kind", "module")
    return ModuleSpec(
        name=reader.text(raw, "name"),
        kind=kind,
        fields=reader.fields(tables, kind),
        doc=reader.text(raw, "doc"),
        comment=as_comment(reader.text(raw, "comment")),
        bases=reader.bases(raw),
        generic=read_generic(reader, raw.get("generic")),
        decorators=tuple(map(str, as_list(raw.get("decorators")))),
        keywords=literals(reader.table(raw, "keywords")),
        constructor=reader.text(raw, "constructor", kind_of(kind).constructor),
        rebuild=reader.text(raw, "rebuild", "bypass"),
        arguments=_streams(reader.arguments(raw.get("arguments"), reader.place("arguments")), kind),
        dtype=" ".join(reader.text(raw, "dtype").split()),
        setup=dedented(reader.text(raw, "setup")),
        imports=reader.imports(raw),
        module_doc=reader.text(raw, "module_doc"),
        helpers=dedented(reader.text(raw, "helpers")),
        below=dedented(reader.text(raw, "below")),
        source=dedented(reader.text(raw, "source")),
        groups=reader.groups(raw),
        layout=reader.text(raw, "layout", "flat"),
        save=saved if isinstance(saved := raw.get("save"), bool) else True if raw.get("migrate") else None,
        migrate=raw.get("migrate") is True,
        sharding=reader.sharding(raw),
        compute=reader.text(raw, "compute"),
        options=reader.options(raw, kind),
        call=reader.call(raw),
        test=read_test(reader, raw),
        methods=read_methods(reader, raw),
        where=reader.where,
        file=reader.text(raw, "file"),
        template=reader.text(raw, "template"),
    )


def _built(spec: ModuleSpec) -> ModuleSpec:
    """The spec, whose fields an author's own constructor makes."""
    is_own = spec.own_constructor is not None
    return replace(spec, fields=tuple(replace(one, built=is_own and one.stored) for one in spec.fields))


def _streams(arguments: tuple[Argument, ...], kind: str) -> tuple[Argument, ...]:
    """The arguments, with `rngs` where another kind of class has `key`."""
    if not kind_of(kind).rngs:
        return arguments
    return tuple(Argument("rngs") if one == Argument("key") else one for one in arguments)
