"""Spec files: reading any bytes, and writing what reads back the same."""

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold.errors import ScaffoldError
from scaffold.generate import load_spec
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.toml import read_text, read_toml, toml_string, toml_value, write_toml
from tests.support.draws import share
from tests.support.projects import EXAMPLES

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.lists(
    st.sampled_from(['"', '"""', "\\", "\n", "\r\n", "\t", "'", "\x7f", "\x00", "a", " ", "\u2028"])
).map("".join)
VALUES = st.recursive(
    TEXTS | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
SPECS = sorted((EXAMPLES / "specs").glob("*.toml"))


@given(TEXTS)
def test_a_text_reads_back(text: str) -> None:
    # TOML has no bare carriage return, and reads its line endings as "\n"; escaped they survive.
    assert tomllib.loads(f"x = {toml_string(text)}") == {"x": text}


@given(VALUES)
def test_a_value_reads_back(value: Any) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}") == {"x": value}


def test_nan_reads_back() -> None:
    assert math.isnan(tomllib.loads(f"x = {toml_value(math.nan)}")["x"])


@settings(suppress_health_check=list(HealthCheck))
@given(st.dictionaries(TEXTS, st.dictionaries(TEXTS, VALUES, max_size=3), max_size=3), TEXTS, VALUES)
def test_tables_read_back(fields: Any, doc: str, value: Any) -> None:
    raw = {
        "name": "Affine",
        "doc": doc,
        "fields": fields,
        "call": {"body": doc},
        "test": {"values": {"x": value}},
    }
    assert tomllib.loads(write_toml(raw, "./scaffold.schema.json")) == raw


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_an_example_written_anew_is_the_same_spec(path: Path) -> None:
    raw = tomllib.loads(path.read_text())
    assert read_spec(tomllib.loads(write_toml(raw, "x")), "spec") == read_spec(raw, "spec")


def test_what_is_written_reads_well() -> None:
    raw = {
        "name": "Affine",
        "fields": {"w": {"type": "f[n]", "init": "zeros"}},
        "call": {"args": "x: f[n]", "body": "y = 'a' + \"b\"\nreturn y\n"},
    }
    assert write_toml(raw, "./scaffold.schema.json") == (
        "#:schema ./scaffold.schema.json\n"
        'name = "Affine"\n'
        "\n"
        "[fields]\n"
        'w = { type = "f[n]", init = "zeros" }\n'
        "\n"
        "[call]\n"
        'args = "x: f[n]"\n'
        'body = """\n'
        "y = 'a' + \"b\"\n"
        "return y\n"
        '"""\n'
    )


# -- files that are no spec ----------------------------------------------------------------------------------------------


def refusal(path: Path) -> str:
    with pytest.raises(ScaffoldError) as caught:
        load_spec(path, where="specs/affine.toml")
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'name = "A\n', "specs/affine.toml:1:10: is not TOML: Illegal character"),
        (b'name = "A"\nname = "B"\n', "specs/affine.toml:2:11: is not TOML: Cannot overwrite a value\n"),
        (b'name = "\xff"', "specs/affine.toml: is not UTF-8 (byte 8)\n  fix: save it as UTF-8"),
        (b"\xff\xfen\x00", "specs/affine.toml: is not UTF-8 (byte 0)\n  fix: save it as UTF-8"),
        (b"x = " + b"9" * 5000, "specs/affine.toml: is not TOML: an integer has too many digits"),
        (b"x = " + b"[" * 5000, "specs/affine.toml: is not TOML: nested too deeply"),
        (b"", "specs/affine.toml:1:1: `name` is missing\n"),
        (b"\xef\xbb\xbfname = 3", "specs/affine.toml:1:1: name: 3 is not a string"),
        (b"name = 1979-05-27", "specs/affine.toml:1:1: name: datetime.date(1979, 5, 27) is not a string"),
        (b"[fields]\n[call]\n", "specs/affine.toml:2:1: call: `body` is missing"),
    ],
)
def test_bytes_that_are_no_spec(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "affine.toml"
    path.write_bytes(content)
    assert told in refusal(path)


def test_a_path_that_cannot_be_read(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.toml") == (
        "specs/affine.toml: cannot be read (No such file or directory)\n  fix: give the path of a spec"
    )
    assert "cannot be read (it is a folder, not a regular file)" in refusal(tmp_path)
    assert "cannot be read" in refusal(Path("\0"))


@settings(max_examples=share(200), suppress_health_check=list(HealthCheck), deadline=None)
@given(
    st.binary(max_size=60)
    | TEXTS.map(str.encode)
    | st.tuples(st.sampled_from(SPECS), st.integers(0, 400), TEXTS).map(
        lambda one: one[0].read_bytes()[: one[1]] + one[2].encode() + one[0].read_bytes()[one[1] + 1 :]
    )
)
def test_no_bytes_crash_the_reader(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    try:
        load_spec(path)
    except ScaffoldError as error:
        assert all(fault.what and fault.fix for fault in error.faults)


def test_a_mark_of_byte_order_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "affine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SPECS[0].read_bytes())
    assert read_toml(read_text(path, "spec"), "spec") == tomllib.loads(SPECS[0].read_text())
