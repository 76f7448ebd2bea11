"""The command line that says what tables say, as far as it goes: the third door, beside TOML and skeletons."""

from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.spec.command_line import raw_spec
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.tables.toml import toml_value

_PLAIN = ("kind", "doc", "constructor", "rebuild", "layout")
_FIELD = ("type", "role", "optional", "frozen", "init", "of", "default", "preset")
_CALL = ("args", "returns", "body", "carry")
_TEST = ("sizes", "unused", "backend", "lower_for")


def sayable(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The tables without what only a file can say."""
    kept = {key: part for key, part in raw.items() if key in ("name", "options", *_PLAIN)}
    kept |= {"save": True} if raw.get("save") else {}
    kept["fields"] = {name: _sayable_field(one) for name, one in raw["fields"].items()}
    groups = {name: one for name, one in raw.get("groups", {}).items() if isinstance(one, list)}
    test = {key: one for key, one in raw.get("test", {}).items() if key in _TEST}
    test |= {"sizes": {name: one for name, one in test.get("sizes", {}).items() if _is_size(one)}}
    call = {key: one for key, one in raw.get("call", {}).items() if key in _CALL}
    tables = {"groups": groups, "call": call, "test": {key: one for key, one in test.items() if one}}
    return kept | {name: table for name, table in tables.items() if table}


def _sayable_field(field: Any) -> dict[str, Any]:
    table = _table(field)
    kept = {key: table[key] for key in _FIELD if key in table}
    if table.get("frozen") is not True:
        kept.pop("frozen", None)
    if len({"init", "of", "default"} & kept.keys()) > 1 or str(kept.get("default")).startswith("="):
        kept.pop("default", None)  # one of them stands behind `=`, and behind `==` stands what `init` is
    return kept


def _is_size(value: Any) -> bool:
    return not isinstance(value, list) or len(value) > 1  # `n=3` is a size, and no shape


def _table(field: Any) -> dict[str, Any]:
    return parse_field_text(field) if isinstance(field, str) else dict(field)


def through_tokens(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The tables as the command line gives them, of what it can say."""
    call, test, fields = raw.get("call", {}), raw.get("test", {}), raw["fields"]
    returns = f" -> {call['returns']}" if "returns" in call else ""
    options: dict[str, str | None] = {
        **{key: raw[key] for key in _PLAIN if key in raw},
        **{key: call.get(key) for key in ("body", "carry")},
        "call": f"{call.get('args', '')}{returns}" if call.get("args") or returns else None,
        "save": "yes" if raw.get("save") else None,
        "backend": test.get("backend"),
        "unused": ",".join(test.get("unused", ())),
    }
    pairs = {
        "size": [f"{name}={_size(one)}" for name, one in test.get("sizes", {}).items()],
        "option": [f"{name}={toml_value(one)}" for name, one in raw.get("options", {}).items()],
        "group": [f"{name}={','.join(one)}" for name, one in raw.get("groups", {}).items()],
        "preset": [text for name, table in fields.items() for text in _presets(name, table)],
    }
    tokens = [f"{name}:{_token(table)}" for name, table in fields.items()]
    return raw_spec(raw["name"], tokens, options, pairs, test.get("lower_for", ()))


def _size(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _presets(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    return (f"{name}.{entry}={toml_value(one)}" for entry, one in table.get("preset", {}).items())


def _token(table: Mapping[str, Any]) -> str:
    """`TYPE[?FLAG][@ROLE][=INIT]`."""
    text = table["type"] + (f"?{table['optional']}" if "optional" in table else "")
    text += f"@{table['role']}" if "role" in table else ""
    text += "@frozen" if table.get("frozen") else ""
    given = next((key for key in ("init", "of", "default") if key in table), None)
    return text if given is None else f"{text}={_value(given, table)}"


def _value(key: str, table: Mapping[str, Any]) -> str:
    value = table[key]
    is_code = table.get("role") in ("callable", "module") or table["type"] in ("callable", "dtype", "slice")
    return str(value) if key != "default" or (is_code and isinstance(value, str)) else repr(value)
