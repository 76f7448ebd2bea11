"""Specs as TOML text: a reader that locates faults, and a writer for specs of the command line."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.places import read_regular
from scaffold.spec.raw import as_list, as_table
from scaffold.spec.tables.keys import SPEC_KEYS

_BARE = r"(?a)[A-Za-z0-9_-]+"
_TOP = tuple(name for name, key in SPEC_KEYS.items() if key.form != "table")


def read_text(path: Path, where: str) -> str:
    """Read the text of a spec. Raises `ScaffoldError` if the file is unreadable or not UTF-8."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 (byte {error.start})"
        raise ScaffoldError(message, where=where, fix="save it as UTF-8") from None
    except (OSError, ValueError) as error:  # a path may hold what no path can
        why = getattr(error, "strerror", None) or error
        raise ScaffoldError(f"cannot be read ({why})", where=where, fix="give the path of a spec") from None


def read_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML into tables. Raises `ScaffoldError` with the line of a fault."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(str(error), where, text) from None
    except RecursionError:
        raise _not_toml("nested too deeply", where) from None
    except ValueError:
        raise _not_toml("an integer has too many digits", where) from None


_AT = r" \(at (?:line (\d+), column (\d+)|end of document)\)$"


def _not_toml(why: str, where: str, text: str = "") -> ScaffoldError:
    """Build the error for a message of tomllib, with the location moved from the message to the fault."""
    at = re.search(_AT, why)
    last = text.rstrip().rpartition("\n")
    end = (last[0].count("\n") + 1 + bool(last[1]), len(last[2]) + 1)
    line, column = (None, None) if at is None else (int(at[1]), int(at[2])) if at[1] else end
    message = f"is not TOML: {re.sub(_AT, '', why)}"
    return ScaffoldError.of(
        [Fault(where, message, "mend the line; https://toml.io", line=line, column=column)]
    )


def write_toml(raw: Mapping[str, Any], schema: str) -> str:
    """Write the text of a spec file. `schema` is the path of the JSON Schema, relative to that file."""
    lines = [f"#:schema {schema}"]
    lines += [f"{name} = {toml_value(raw[name])}" for name in _TOP if name in raw]
    lines += ["", "[fields]"]
    lines += [f"{_key(name)} = {toml_value(field)}" for name, field in raw["fields"].items()]
    for table in ("sharding", "keywords", "options", "groups", "call"):
        if raw.get(table) or (table == "sharding" and table in raw):
            lines += ["", f"[{table}]", *_table_lines(raw[table])]
    for table in ("constructors", "methods"):
        for name, method in raw.get(table, {}).items():
            lines += ["", f"[{table}.{_key(name)}]", *_table_lines(method)]
    if raw.get("test"):
        lines += ["", "[test]", *_table_lines(raw["test"])]
    return "\n".join(lines) + "\n"


def _table_lines(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        yield f"{_key(name)} = {toml_value(value)}"


def _key(name: str) -> str:
    return name if re.fullmatch(_BARE, name) else _one_line(name)


def toml_value(value: Any) -> str:
    """Write a TOML value. Text of several lines becomes a multi-line string, a table an inline table."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return toml_string(value)
        case Mapping():
            return "{ " + ", ".join(_table_lines(as_table(value))) + " }"
        case list():
            return "[" + ", ".join(map(toml_value, as_list(value))) + "]"
        case float() if value in (float("inf"), float("-inf")) or value != value:
            return str(value)
        case _:
            return repr(value)


def toml_string(text: str) -> str:
    """Write a TOML basic string.

    JSON escapes are TOML escapes, but TOML requires an escape for DEL as well.
    """
    if "\n" in text.strip("\n") and "\r" not in text:
        escaped = "\n".join(json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n"))
        readable = escaped if '""' in text or text.endswith('"') else escaped.replace('\\"', '"')
        return f'"""\n{readable}"""'.replace("\x7f", "\\u007f")
    return _one_line(text)


def _one_line(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
