"""The table `[fields]` of a spec."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.comments import as_comment
from scaffold.kind import kind_of
from scaffold.spec.grammar.types import Type, UnionType, as_stored, without_none
from scaffold.spec.grammar.values import default_source, literal
from scaffold.spec.model import Field
from scaffold.spec.reading import roles
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.reader import Reader
from scaffold.spec.tables.check_keys import needless_keys, untaken
from scaffold.spec.tables.keys import COMPUTES, FIELD_KEYS

_DOTTED = r"(?a)[A-Za-z_]\w*(\.[A-Za-z_]\w*)*"
_UNSAID = dict[tuple[str, str, tuple[str, ...]], list[str]]
"""Names of fields without a role, by message, fix and legal roles."""
_OF_GIVEN = "nothing says whether it is trained (other parts of the class are)"


def read_fields(reader: Reader, tables: Mapping[str, Any], given: str = "") -> tuple[Field, ...]:
    """Read the fields, and leave out fields with an unclear type or role.

    `given` is the role of given float arrays that declare none.
    """
    unsaid: _UNSAID = {}
    fields_by_name = {name: _field(reader, name, table, unsaid) for name, table in tables.items()}
    reader.unread += [f"{name} {tables[name]}" for name, field in fields_by_name.items() if field is None]
    known = [field for field in fields_by_name.values() if field is not None]
    role = given or roles.given_role(known, kind_of(reader.kind).given_arrays)
    untold = [field.name for field in known if field.role == roles.UNTOLD] if role == roles.UNTOLD else []
    if untold:
        form = "TYPE@{}" if reader.where == roles.COMMAND_LINE else 'role = "{}"'
        fix = f"write `{form.format('param')}` if it is, `{form.format('data')}` if it is not"
        unsaid[_OF_GIVEN, fix, roles.OF_GIVEN] = untold
    for (message, fix, legal), names in unsaid.items():
        listed = f": {', '.join(f'`{name}`' for name in names)}" * (len(names) > 1)
        reader.add(f"fields.{names[0]}" + ".role" * (legal == roles.OF_GIVEN), message + listed, fix, legal)
    told = {"role": role or "param", "is_assumed": role in ("data", given)}
    return tuple(replace(field, **told) if field.role == roles.UNTOLD else field for field in known)


def _field(reader: Reader, name: str, raw: Any, unsaid: _UNSAID) -> Field | None:
    """Read one field, or return None if its type or role is unclear."""
    place = f"fields.{name}"
    if not isinstance(raw, str | Mapping):
        reader.add(place, f"{raw!r} is not a table", 'write `{ type = "f[size]" }`')
        return None
    table = reader.table(parse_field_text(raw) if isinstance(raw, str) else raw, FIELD_KEYS, place)
    kind = reader.type(table["type"], f"{place}.type") if "type" in table else None
    kind = as_stored(kind) if kind is not None else None
    role = _role(reader, name, kind, table, unsaid) if kind is not None else None
    if kind is None or role is None:
        return None
    usual = kind_of(reader.kind).given_arrays or "data"
    reader.note(needless_keys(table, name, role or usual, reader.kind))
    return _made(reader, name, kind, role, table)


def _role(reader: Reader, name: str, kind: Type, table: Mapping[str, Any], unsaid: _UNSAID) -> str | None:
    place, text = f"fields.{name}.role", table["type"]
    legal, role = roles.legal_roles(without_none(kind)), roles.role_of(without_none(kind), table)
    if role is None and "example" in table:  # what an alias of the file stands for
        shown = reader.type(table["example"], f"fields.{name}.example")
        if shown is None:
            return None
        role = roles.role_of(without_none(shown), table)
    if role is None:
        message, fix = roles.without_role(without_none(kind), legal, text)
        unsaid.setdefault((message, fix, legal), []).append(name)
    elif role not in (*legal, roles.UNTOLD):
        if role in FIELD_KEYS["role"].legal:
            message = f"role `{role}` does not go with type `{text}`"
            reader.add(place, message, f"write one of {', '.join(legal)}", legal)
        return None
    elif not kind_of(reader.kind).takes(role):
        reader.note([untaken(reader.kind, role, place)])
    return role


def _made(reader: Reader, name: str, kind: Type, role: str, table: Mapping[str, Any]) -> Field:
    nullable = isinstance(kind, UnionType) and kind.optional and role != "static"
    sources = dict(_sources(reader, f"fields.{name}", kind, role, table))
    default = sources.pop("default", None)
    return Field(
        name=name,
        type=without_none(kind) if nullable else kind,
        role=role,
        std=str(table["std"]).strip() if "std" in table else None,
        optional=_stripped(table, "optional"),
        default="None" if nullable and default is None else default,
        in_class=table.get("in_class", False),
        preset=tuple(sorted(reader.values(table.get("preset"), f"fields.{name}.preset"))),
        variable=_stripped(table, "variable"),
        nullable=nullable,
        frozen="true" if table.get("frozen") is True else table.get("frozen") or "",
        decays=table.get("decay", True),
        stacked=table.get("stacked", False),
        remat=table.get("remat", False),
        compute=_compute(reader, f"fields.{name}.compute", table.get("compute")),
        example=reader.type(table["example"], f"fields.{name}.example") if "example" in table else None,
        doc=table.get("doc", ""),
        comment=as_comment(table.get("comment", "")),
        **sources,
    )


def _stripped(table: Mapping[str, Any], key: str) -> str | None:
    return table[key].strip() if key in table else None


def _sources(
    reader: Reader, place: str, kind: Type, role: str, table: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the Python of a field as source, or a harmless value if the source does not parse."""
    inner = without_none(kind)
    if "default" in table:
        source = default_source(inner, literal(table["default"], role, inner))
        yield "default", reader.expression(source, f"{place}.default", "None")
    for key, otherwise in (("preprocess", None), ("check", None), ("of", "")):
        yield key, reader.expression(table.get(key), f"{place}.{key}", otherwise)
    for key, otherwise in (("init", "None"), ("converter", None)):
        text = _stripped(table, key)
        if text is not None and text.startswith("="):
            source = reader.expression(text, f"{place}.{key}", otherwise)
            text = None if source is None else f"={source}"
        elif key == "converter" and text is not None and not re.fullmatch(_DOTTED, text):
            fix = 'write `converter = "=..."`, over the name of the field'
            reader.add(f"{place}.converter", f"`{text}` is not the name of a function", fix)
            text = None
        yield key, text


def _compute(reader: Reader, place: str, value: Any) -> str:
    """Return the dtype in which methods read a field, `false`, or an empty text."""
    if value is None or value is False or value in COMPUTES:
        return "" if value is None else "false" if value is False else str(value)
    fix = f"write one of {', '.join(COMPUTES)}, or false"
    reader.add(place, f"`{value}` is no dtype that a call computes in", fix, COMPUTES)
    return ""
