"""The JSON Schema of a spec, made from the table of keys."""

from collections.abc import Mapping
from typing import Any

from scaffold.kind import NAMES, kind_of
from scaffold.spec.tables import keys
from scaffold.spec.tables.key import FORMS, Key


def json_schema() -> dict[str, Any]:
    """Return the Draft 2020-12 schema of `specs/NAME.toml`, for editors that complete and check TOML."""
    schema = _table(keys.SPEC_KEYS)
    schema["properties"]["fields"]["additionalProperties"] = {
        "anyOf": [
            _table(keys.FIELD_KEYS),
            {"type": "string", "description": "`TYPE=INIT`, as on the command line."},
        ]
    }
    schema["properties"]["fields"]["minProperties"] = 1
    options = {name: key for kind in NAMES for name, key in kind_of(kind).options.items()}
    schema["properties"]["options"] = _table(options)
    schema["properties"]["groups"]["additionalProperties"] = {
        "anyOf": [FORMS["array of strings"].schema, _table(keys.GROUP_KEYS)]
    }
    schema["properties"]["call"] = _function(keys.CALL_KEYS)
    schema["properties"]["test"] = tests = _table(keys.TEST_KEYS)
    for name, entries in (("cases", keys.CASE_KEYS), ("holds", keys.CONDITION_KEYS)):
        tests["properties"][name]["items"] = _table(entries)
    schema["properties"]["methods"]["properties"] = {"__call__": _function(keys.CALL_KEYS)}
    schema["properties"]["constructors"]["additionalProperties"] = _function(keys.CONSTRUCTOR_KEYS)
    schema["properties"]["methods"]["additionalProperties"] = _function(keys.METHOD_KEYS)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A class for scaffold to generate",
        **schema,
    }


def _table(entries: Mapping[str, Key]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in entries.items() if key.required],
        "properties": {name: _property(key) for name, key in entries.items()},
    }


def _function(entries: Mapping[str, Key]) -> dict[str, Any]:
    """Return the schema of a method, which needs a body or its whole source."""
    either = [{"required": [name]} for name in ("body", "source") if name in entries]
    return {**_table(entries), "anyOf": either}


def _property(key: Key) -> dict[str, Any]:
    described = {"description": key.doc, **FORMS[key.form].schema}
    if not key.legal:
        return described
    switches = [True, False] if key.form.startswith("boolean") else []
    legal = {"enum": [*switches, *key.legal]}
    one_of_many = {"items": {**FORMS["string"].schema, **legal}}
    return {**described, **(one_of_many if key.form == "array of strings" else legal)}
