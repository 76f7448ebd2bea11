"""Specs from the command line: tokens of fields, pairs `NAME=VALUE`, and faults by argument.

The token of a field is `NAME:TYPE[?FLAG][@ROLE][=INIT]`.
"""

import re
import tomllib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.roles import COMMAND_LINE

_HELP = "write NAME:TYPE[?FLAG][@ROLE][=INIT], such as 'weight:f[out_size,in_size]=lecun_normal'"
_NUMBER = re.compile(r"\s*[0-9]{1,9}\s*")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PLAIN = ("kind", "template", "doc", "constructor", "rebuild", "layout")


# -- what a fault is about ---------------------------------------------------------------------------------------------

_ARGUMENTS = {
    "name": "NAME",
    "call.args": "--call",
    "call.returns": "--call",
    "call.body": "--body",
    "call.carry": "--carry",
    "call": "--call",
    "test.backend": "--backend",
    "test.lower_for": "--lower-for",
    "test.sizes": "--size",
    "test.unused": "--unused",
    "fields": "FIELDS",
    "options": "--option",
    "groups": "--group",
    **{key: f"--{key}" for key in (*_PLAIN, "save")},
}
"""Arguments of the command line, by the key of the spec that each sets."""


@contextmanager
def by_argument() -> Generator[None]:
    """Name the argument of the command line in faults raised inside."""
    try:
        yield
    except ScaffoldError as error:
        raise ScaffoldError.of(map(argument_fault, error.faults), exit_code=error.exit_code) from None


def argument_fault(fault: Fault) -> Fault:
    """Name the argument in a fault, if the command line set the faulty key."""
    file, colon, key = fault.where.partition(": ")
    return replace(fault, where=_argument(key)) if file == COMMAND_LINE and colon else fault


def _argument(key: str) -> str:
    """Return the argument that set `key`: field `weight`, or `--body`."""
    if key.startswith("fields."):
        name, _, rest = key.removeprefix("fields.").partition(".")
        return f"field `{name}`" + (f": {rest}" if rest else "")
    above = next((prefix for prefix in _ARGUMENTS if key == prefix or key.startswith(f"{prefix}.")), None)
    if above is None:
        return f"{COMMAND_LINE}: {key}"
    return f"{_ARGUMENTS[above]} {key.removeprefix(above).removeprefix('.')}".strip()


# -- pairs -------------------------------------------------------------------------------------------------------------


def toml_literal(text: str) -> Any:
    """Parse `text` as one TOML value. Raises `ValueError`."""
    try:
        table = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if list(table) != ["value"]:
        raise ValueError("more than a value")
    return table["value"]


def option_value(text: str) -> Any:
    """Parse an answer as the TOML value of an option. Raises `ScaffoldError`."""
    try:
        return toml_literal(text)
    except ValueError:
        fix = 'write `0.99`, `true` or `"text"`'
        raise ScaffoldError(f"`{text}` is no value of TOML", where="answer", fix=fix) from None


def _size(text: str) -> Any:
    parts = text.split(",")
    if not all(map(_NUMBER.fullmatch, parts)):
        raise ValueError(text)
    numbers = [int(part) for part in parts]
    return numbers if len(numbers) > 1 else numbers[0]


def _group(text: str) -> Any:
    names = [part.strip() for part in text.split(",")]
    if not all(map(_NAME.fullmatch, names)):
        raise ValueError(text)
    return names


class _Pairs(Struct, frozen=True):
    """An option that takes `NAME=VALUE` pairs any number of times."""

    noun: str
    fix: str
    read: Callable[[str], Any]
    """The parser of a value. Raises `ValueError`."""
    name: str = r"(?s).+"
    """A regular expression for the whole name."""


_PAIRS = {
    "size": _Pairs("a size", "write `--size in_size=3`, or `--size shape=2,3` for `*shape`", _size),
    "option": _Pairs(
        "an option",
        "write `--option NAME=VALUE`, with a value as in TOML: `ema=0.99`, `key=true`",
        toml_literal,
    ),
    "group": _Pairs("a group", "write `--group small=element1,element2`", _group),
    "preset": _Pairs(
        "a preset",
        "write `--preset FIELD.ENTRY=VALUE`, with a value as in TOML: `table.a=42.0`",
        toml_literal,
        rf"(?a){_NAME.pattern}\.{_NAME.pattern}",
    ),
}


def _read_pairs(option: str, texts: Iterable[str], faults: list[Fault]) -> dict[str, Any]:
    """Parse the pairs of an option into a table, and append the faults of the others to `faults`."""
    table: dict[str, Any] = {}
    pairs = _PAIRS[option]
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        try:
            if not re.fullmatch(pairs.name, name):
                raise ValueError(name)
            parsed = pairs.read(value)
        except ValueError:
            faults.append(Fault(f"--{option}", f"`{text}` is not {pairs.noun}", pairs.fix))
            continue
        if name in table:
            faults.append(Fault(f"--{option}", f"`{name}` is there twice", "remove one"))
        table.setdefault(name, parsed)
    return table


# -- the tables --------------------------------------------------------------------------------------------------------


def parse_field_token(token: str) -> tuple[str, dict[str, Any]]:
    """Parse a token into the name and the table of a field. Raises `ScaffoldError`."""
    name, colon, rest = token.partition(":")
    if not colon or not name.strip():
        raise ScaffoldError("a field is a name and a type", where=f"field `{token}`", fix=_HELP)
    return name.strip(), parse_field_text(rest)


def _read_fields(tokens: Iterable[str], faults: list[Fault]) -> dict[str, dict[str, Any]]:
    fields: dict[str, dict[str, Any]] = {}
    for token in tokens:
        try:
            name, table = parse_field_token(token)
        except ScaffoldError as error:
            faults += error.faults
            continue
        if name in fields:
            fix = "give each field its own name"
            faults.append(Fault(f"field `{token}`", f"`{name}` is there already", fix))
        fields[name] = table
    return fields


def call_from_text(call: str | None, body: str | None) -> dict[str, Any]:
    """Build the `[call]` table from `--call 'x:f[in_size] -> f[out_size]'` and `--body`."""
    args, arrow, returns = (call or "").partition("->")
    table = {"args": args.strip()} if call is not None else {}
    table |= {"returns": returns.strip()} if arrow else {}
    return table | ({"body": body} if body is not None else {})


def raw_spec(
    name: str,
    fields: Sequence[str],
    options: Mapping[str, str | None],
    pairs: Mapping[str, Sequence[str]],
    lower_for: Sequence[str] = (),
) -> dict[str, Any]:
    """Build the tables of a spec from the command line, or raise one `ScaffoldError` with all faults.

    `pairs` holds the values of `--size`, `--option`, `--group` and `--preset` by these names.
    """
    faults: list[Fault] = []
    tables = _read_fields(fields, faults)
    is_sound = not faults
    read = {option: _read_pairs(option, texts, faults) for option, texts in pairs.items()}
    faults += _add_presets(tables, read.get("preset", {})) if is_sound else []
    if not fields and options.get("call") is None:
        faults.append(Fault("FIELDS", "there is no field", _HELP))
    unused = [name.strip() for name in (options.get("unused") or "").split(",") if name.strip()]
    test = {"sizes": read.get("size"), "unused": unused, "backend": options.get("backend")}
    test |= {"lower_for": [*lower_for]}
    test = {key: value for key, value in test.items() if value not in (None, {}, [])}
    call = call_from_text(options.get("call"), options.get("body"))
    call |= {"carry": options["carry"]} if options.get("carry") is not None else {}
    sections = {"options": read.get("option"), "groups": read.get("group"), "call": call, "test": test}
    plain = {key: options[key] for key in _PLAIN if options.get(key) is not None}
    raw: dict[str, Any] = {"name": name, **plain, **({"save": True} if options.get("save") else {})}
    raw |= {"fields": tables, **{key: table for key, table in sections.items() if table}}
    if faults:
        unread = "\n".join((*fields, *(text for texts in pairs.values() for text in texts)))
        raise ScaffoldError.of({*faults, *map(argument_fault, _other_faults(raw, unread))})
    return raw


def _add_presets(fields: dict[str, dict[str, Any]], presets: Mapping[str, Any]) -> list[Fault]:
    """Add the preset entries to the tables of their fields, and return the faults of unknown fields."""
    missing: dict[str, None] = {}
    for name, value in presets.items():
        field, _, entry = name.partition(".")
        if field in fields:
            fields[field].setdefault("preset", {})[entry] = value
        else:
            missing[field] = None
    fix = "name a field of type `dict`"
    return [Fault("--preset", f"there is no field `{field}`", fix, tuple(fields)) for field in missing]


def _other_faults(raw: Mapping[str, Any], unread: str) -> tuple[Fault, ...]:
    """Return the faults of the rest of the spec, but report no name in `unread` as unknown."""
    from scaffold.spec.reading.read import read_spec  # here, because only a fault needs it

    try:
        read_spec(raw if raw["fields"] else {**raw, "fields": {"x": "f[]"}}, COMMAND_LINE, unread=unread)
    except ScaffoldError as error:
        return error.faults
    return ()
