"""Tables to a `ModuleSpec`: every fault of a spec in one report."""

from collections.abc import Mapping
from typing import Any

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.spec.check import spec_faults
from scaffold.spec.keys import CALL_KEYS, FIELD_KEYS, SPEC_KEYS, TEST_KEYS, key_faults
from scaffold.spec.model import Argument, Call, Field, ModuleSpec, TestPlan
from scaffold.spec.raw import as_list, as_table, as_text
from scaffold.spec.roles import default_role, legal_roles
from scaffold.spec.signature import SignatureSyntaxError, parse_argument, parse_returns, split_top
from scaffold.spec.tokens import parse_field_text
from scaffold.spec.types import LEGAL_TYPES, Type, TypeSyntaxError, UnionType, parse_type


class Reader:
    """Reads the parts of one spec and collects what is wrong with them."""

    def __init__(self, where: str):
        self.where = where
        self.faults: list[Fault] = []

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
            self.add(place, str(error), _type_fix(text), LEGAL_TYPES)
            return None

    def field(self, name: str, raw: Any) -> Field | None:
        """One field; None where its type or role cannot be made out."""
        if not isinstance(raw, str | Mapping):
            self.add(self.place("fields", name), f"{raw!r} is not a table", 'write `{ type = "f[size]" }`')
            return None
        table = parse_field_text(raw) if isinstance(raw, str) else as_table(raw)
        self.faults += [_at(fault, self.where) for fault in key_faults(table, FIELD_KEYS, f"fields.{name}")]
        kind = (
            self.type(self.text(table, "type"), self.place("fields", name, "type"))
            if "type" in table
            else None
        )
        role = self.role(name, kind, table) if kind is not None else None
        return self._field(name, kind, role, table) if kind is not None and role is not None else None

    def role(self, name: str, kind: Type, table: Mapping[str, Any]) -> str | None:
        legal = legal_roles(_not_none(kind))
        role = self.text(table, "role") or default_role(_not_none(kind))
        if role is None:
            fix = 'a Python float is `role = "static"` (one compilation a value) or an array `f[]` (traced)'
            self.add(self.place("fields", name), "a bare float has no role", fix, legal)
            return None
        if role not in legal:
            if not any(fault.where == self.place("fields", name, "role") for fault in self.faults):
                what = f"role `{role}` does not go with type `{self.text(table, 'type')}`"
                self.add(self.place("fields", name, "role"), what, f"write one of {', '.join(legal)}", legal)
            return None
        return role

    def _field(self, name: str, kind: Type, role: str, table: Mapping[str, Any]) -> Field:
        nullable = isinstance(kind, UnionType) and kind.optional and role != "static"
        default = literal(table["default"], role) if "default" in table else ("None" if nullable else None)
        return Field(
            name=name,
            type=_not_none(kind) if nullable else kind,
            role=role,
            init=_plain(table.get("init")),
            preprocess=_expression(table.get("preprocess")),
            optional=_plain(table.get("optional")),
            default=default,
            converter=_plain(table.get("converter")),
            check=_expression(table.get("check")),
            preset=tuple(sorted((str(k), literal(v)) for k, v in self.table(table, "preset").items())),
            nullable=nullable,
            doc=self.text(table, "doc"),
        )

    def arguments(self, texts: Any, place: str) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        for text in as_list(texts):
            try:
                arguments.append(parse_argument(str(text)))
            except SignatureSyntaxError as error:
                self.add(place, str(error), "write `name`, `name: TYPE`, `name: TYPE = default` or `*`")
            except TypeSyntaxError as error:
                self.add(place, str(error), _type_fix(str(text)), LEGAL_TYPES)
        return tuple(arguments)

    def call(self, raw: Mapping[str, Any]) -> Call | None:
        table = self.table(raw, "call")
        if not table:
            return None
        self.faults += [_at(fault, self.where) for fault in key_faults(table, CALL_KEYS, "call")]
        parts = [part for part in split_top(self.text(table, "args"), ",") if part]
        returns, several = self.returns(table)
        return Call(
            args=self.arguments(parts, self.place("call", "args")),
            body=self.text(table, "body"),
            returns=returns,
            returns_tuple=several,
            doc=self.text(table, "doc"),
            carry=_plain(table.get("carry")),
        )

    def returns(self, table: Mapping[str, Any]) -> tuple[tuple[Type, ...], bool]:
        if "returns" not in table:
            return (), False
        try:
            return parse_returns(self.text(table, "returns"))
        except TypeSyntaxError as error:
            self.add(self.place("call", "returns"), str(error), _type_fix(str(table["returns"])), LEGAL_TYPES)
            return (), False

    def test(self, raw: Mapping[str, Any]) -> TestPlan:
        table = self.table(raw, "test")
        self.faults += [_at(fault, self.where) for fault in key_faults(table, TEST_KEYS, "test")]
        sizes = self.table(table, "sizes")
        for name, size in sizes.items():
            if not all(type(one) is int and one > 0 for one in _sizes(size)):
                fix = "write an integer from 1, or an array of them for a dim such as `*shape`"
                self.add(self.place("test", "sizes", name), f"{size!r} is not a size", fix)
        return TestPlan(
            sizes=tuple((name, size) for name, size in sizes.items() if type(size) is int),
            shapes=tuple(
                (name, tuple(as_list(size))) for name, size in sizes.items() if isinstance(size, list)
            ),
            values=_literals(self.table(table, "values")),
            other=_literals(self.table(table, "other")),
            rejected=tuple(_literals(as_table(row)) for row in as_list(table.get("rejected"))),
        )


def read_spec(raw: Mapping[str, Any], where: str) -> ModuleSpec:
    """The spec that the tables of `where` describe. Raises one `ScaffoldError` with all faults."""
    reader = Reader(where)
    reader.faults += [_at(fault, where) for fault in key_faults(raw, SPEC_KEYS, "")]
    tables = reader.table(raw, "fields")
    if not tables and isinstance(raw.get("fields"), Mapping):
        reader.add(reader.place("fields"), "there is no field", 'write `weight = { type = "f[size]" }`')
    fields = {name: reader.field(name, table) for name, table in tables.items()}
    spec = ModuleSpec(
        name=reader.text(raw, "name"),
        kind=reader.text(raw, "kind", "module"),
        fields=tuple(field for field in fields.values() if field is not None),
        doc=reader.text(raw, "doc"),
        constructor=reader.text(raw, "constructor", "factory"),
        rebuild=reader.text(raw, "rebuild", "bypass"),
        arguments=reader.arguments(raw.get("arguments"), reader.place("arguments")),
        setup=reader.text(raw, "setup"),
        imports=tuple(str(line) for line in as_list(raw.get("imports"))),
        call=reader.call(raw),
        test=reader.test(raw),
        where=where,
    )
    unread = [raw["fields"][name] for name, field in fields.items() if field is None]
    reader.faults += spec_faults(spec, declared=frozenset(raw), unread=repr(unread) if unread else "")
    if reader.faults:
        raise ScaffoldError.of(set(reader.faults))
    return spec


def _sizes(value: Any) -> list[Any]:
    return as_list(value) if isinstance(value, list) else [value]


def _at(fault: Fault, where: str) -> Fault:
    return Fault(f"{where}: {fault.where}" if fault.where else where, fault.what, fault.fix, fault.legal)


def _type_fix(text: str) -> str:
    words = ("callable", "tree", "list", "dict", "tuple", "int", "bool", "str", "float", "Literal")
    return suggestion(
        text.split("[")[0].strip(), words, "write one of the legal types, such as `f[out_size,in_size]`"
    )


def _not_none(kind: Type) -> Type:
    if isinstance(kind, UnionType) and kind.optional and len(kind.members) == 1:
        return kind.members[0]
    return kind


def _plain(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) else None


def _expression(value: Any) -> str | None:
    return value.strip().removeprefix("=").strip() if isinstance(value, str) else None


def literal(value: Any, role: str = "") -> str:
    """Python source of a TOML value; a string that begins with `=` is an expression, so is a callable's."""
    if isinstance(value, str) and (value.startswith("=") or role in ("callable", "module")):
        return value.removeprefix("=").strip()
    return repr(tuple(as_list(value))) if isinstance(value, list) else repr(value)


def _literals(table: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, literal(value)) for name, value in table.items())
