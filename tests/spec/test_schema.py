"""The JSON Schema of a spec, in step with the reader."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from scaffold.cli import main
from scaffold.errors import ScaffoldError
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.keys import CALL_KEYS, FIELD_KEYS, SPEC_KEYS, TEST_KEYS
from scaffold.spec.tables.schema import json_schema
from tests.support.projects import EXAMPLES

SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
AFFINE: dict[str, Any] = {
    "name": "Affine",
    "fields": {"w": {"type": "f[n]", "init": "zeros"}},
    "call": {"args": "x: f[n]", "returns": "f[n]", "body": "return self.w + x"},
    "test": {"sizes": {"n": 3}},
}
TABLES = {"fields.w": FIELD_KEYS, "call": CALL_KEYS, "test": TEST_KEYS, "": SPEC_KEYS}


def changed(place: str, key: str, value: Any) -> dict[str, Any]:
    raw = json.loads(json.dumps(AFFINE))
    table = raw
    for part in filter(None, place.split(".")):
        table = table[part]
    table[key] = value
    return raw


def told(raw: dict[str, Any]) -> list[str]:
    try:
        read_spec(raw, "spec")
    except ScaffoldError as error:
        return [f"{fault.where.removeprefix('spec: ')}: {fault.what}" for fault in error.faults]
    return []


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_command_prints_it() -> None:
    result = CliRunner().invoke(main, ["schema"])
    assert (result.exit_code, json.loads(result.stdout)) == (0, SCHEMA)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "specs").glob("*.toml")), ids=lambda path: path.stem)
def test_it_accepts_every_example(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(path.read_text()))] == []


@pytest.mark.parametrize("place", TABLES)
def test_neither_takes_an_unknown_key(place: str) -> None:
    raw = changed(place, "colour", "red")
    assert VALIDATOR.is_valid(AFFINE) and not VALIDATOR.is_valid(raw)
    assert told(AFFINE) == [] and any("unknown key `colour`" in one for one in told(raw))


@pytest.mark.parametrize(("place", "key"), [("", "name"), ("fields.w", "type"), ("call", "body")])
def test_neither_does_without_a_required_key(place: str, key: str) -> None:
    raw = changed(place, key, None)
    table = raw
    for part in filter(None, place.split(".")):
        table = table[part]
    del table[key]
    assert not VALIDATOR.is_valid(raw)
    assert any(f"`{key}` is missing" in one for one in told(raw))


KEYS = [(place, name, key) for place, keys in TABLES.items() for name, key in keys.items()]


@pytest.mark.spread(3)
@pytest.mark.parametrize(("place", "name", "key"), KEYS, ids=[f"{place}.{name}" for place, name, _ in KEYS])
def test_both_take_the_same_forms(place: str, name: str, key: Any) -> None:
    """A value of the wrong form is refused by both, and one of the right form by neither for its form."""
    where = f"{place}.{name}" if place else name
    for value in ("text", 3, 1.5, True, ["text"], [3], [{}], {"a": 1}, []):
        raw = changed(place, name, value)
        forms = (f" is not a {key.form}", f" is not an {key.form}")
        by_reader = any(one.startswith(f"{where}: ") and one.endswith(forms) for one in told(raw))
        properties = (
            SCHEMA["properties"] if not place else _properties(SCHEMA["properties"][place.split(".")[0]])
        )
        assert Draft202012Validator(_form(properties[name])).is_valid(value) != by_reader, value


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """The part of the schema that says the form of a value, and not which values are legal."""
    form = {one: schema[one] for one in ("type", "items") if one in schema}
    return {**form, "items": _form(form["items"])} if "items" in form else form


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    """The properties of a table; of `fields`, those of one field."""
    if isinstance(schema.get("additionalProperties"), dict):
        return schema["additionalProperties"]["anyOf"][0]["properties"]
    return schema["properties"]


ENUMS = [(place, name, key.form, legal) for place, name, key in KEYS for legal in key.legal]


@pytest.mark.parametrize(("place", "name", "form", "legal"), ENUMS)
def test_what_the_schema_allows_the_reader_knows(place: str, name: str, form: str, legal: str) -> None:
    right, false = ([legal], [f"{legal}x"]) if form.startswith("array") else (legal, f"{legal}x")
    raw = changed(place, name, right)
    if name == "rebuild":
        raw = {**raw, "kind": "pytree", "fields": {"w": {"type": "dict[str, f[]]", "preset": {"a": 1.0}}}}
        raw |= {"call": {"body": "return self.w"}, "test": {}}
    if name == "dtypes":
        held = {"w": {"type": "inexact[n]"}}
        raw = {**raw, "fields": held, "call": {"args": "x: inexact[n]", "body": "return self.w * x"}}
    if name == "layout":
        raw = {**raw, "groups": {"first": ["w"]}}
    assert VALIDATOR.is_valid(raw)
    assert not any("is not legal" in one for one in told(raw))
    if name not in ("role", "kind"):  # a role goes with some types only, a kind with some fields
        assert told(raw) == []
    wrong = changed(place, name, false)
    assert not VALIDATOR.is_valid(wrong)
    assert any(one.endswith(f"`{legal}x` is not legal") for one in told(wrong))


ROLES = {
    "param": "f[n]",
    "data": "f[n]",
    "buffer": "f[n]",
    "static": "int",
    "callable": "callable",
    "module": "Other",
    "state": "f[n]",
    "derived": "f[n]",
    "shared": "f[n]",
}
SOURCES = {"derived": {"init": "=self.w"}, "shared": {"of": "w"}}


@pytest.mark.parametrize(
    "role", SCHEMA["properties"]["fields"]["additionalProperties"]["anyOf"][0]["properties"]["role"]["enum"]
)
def test_every_role_of_the_schema_goes_with_a_type(role: str) -> None:
    table = {"type": ROLES[role], "role": role, **SOURCES.get(role, {})}
    raw = {**AFFINE, "fields": {**AFFINE["fields"], "b": table}}
    assert VALIDATOR.is_valid(raw) and told(raw) == []
