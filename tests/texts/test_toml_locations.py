"""Where keys stand in a TOML text: against tomllib, on drawn documents and on all the specs of the examples."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from scaffold.cli import main
from scaffold.spec.tables.toml import toml_value
from scaffold.spec.tables.toml_locations import key_locations, location_of
from tests.support.projects import EXAMPLES
from tests.support.trees import write_tree

NAMES = st.sampled_from(["a", "b-c", "3", "a.b", "é", "", 'q"', "]", "#", "=", "a b"])
LEAVES = st.one_of(
    st.integers(-9, 9),
    st.booleans(),
    st.floats(allow_nan=False, width=16),
    st.sampled_from(["", "#", "]", "}", "a = 3", '"', "'", '"""', "\\", "two\nlines", '"\n"', "[x]", "é"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=3), max_size=3)
ROWS = st.dictionaries(
    NAMES, st.lists(st.dictionaries(NAMES, VALUES, max_size=2), min_size=1, max_size=3), max_size=2
)


def quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)


def paths(value: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Every path in what tomllib gives."""
    parts: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        parts = list(cast("dict[str, Any]", value).items())
    elif isinstance(value, list):
        parts = [(str(number), one) for number, one in enumerate(cast("list[Any]", value))]
    return {(*path, name) for name, _ in parts}.union(*(paths(one, (*path, name)) for name, one in parts))


def document(top: dict[str, Any], tables: dict[str, Any], rows: dict[str, Any], comment: str) -> str:
    lines = [f"{quoted(name)}{comment[:1]}= {toml_value(value)} # {comment}" for name, value in top.items()]
    for name, table in tables.items():
        lines += ["", f"  [ {quoted(name)} ]  # ["]
        lines += [f"\t{quoted(key)} = {toml_value(value)}" for key, value in table.items()]
    for name, several in rows.items():
        for row in several:
            lines += [
                f"[[{quoted(name)}]]",
                *(f"{quoted(key)} = {toml_value(value)}" for key, value in row.items()),
            ]
    return "\n".join(lines) + "\n"


def _free(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in right.items() if name not in left}


@given(st.dictionaries(NAMES, VALUES, max_size=3), TABLES, ROWS, st.sampled_from([" ", "\t", "  x"]))
def test_each_key_of_tomllib_has_its_place(top: Any, tables: Any, rows: Any, comment: str) -> None:
    tables = _free(top, tables)
    text = document(top, tables, _free({**top, **tables}, rows), comment)
    found = key_locations(text)
    assert set(found) == paths(tomllib.loads(text))
    lines = text.split("\n")
    for path, (line, column) in found.items():
        here, name = lines[line - 1][column - 1 :], path[-1]
        assert here.startswith((quoted(name), "[")) or name.isdigit(), (path, here)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "specs").glob("*.toml")), ids=lambda path: path.stem)
def test_each_key_of_an_example_has_its_place(path: Path) -> None:
    text = path.read_text()
    found = key_locations(text)
    assert set(found) == paths(tomllib.loads(text))
    for keys, (line, column) in found.items():
        here = text.split("\n")[line - 1][column - 1 :]
        assert here.startswith((keys[-1], "[")) or keys[-1].isdigit()


@pytest.mark.parametrize(
    ("key", "named", "place"),
    [
        ("", "", (1, 1)),
        ("", "kind", (2, 1)),
        ("fields", "", (3, 1)),
        ("fields.w.init", "", (4, 19)),
        ("fields.w.role", "", (4, 1)),
        ("fields.v.type.deeper", "", (6, 3)),
        ("fields", "v", (5, 1)),
        ("nowhere.at.all", "", (1, 1)),
    ],
)
def test_what_has_no_place_has_that_of_what_it_lies_in(key: str, named: str, place: tuple[int, int]) -> None:
    text = (
        'name = "A"\nkind = "x"\n[fields]\nw={type = "f[n]", init = "zeros" }\n[fields.v]\n  type = "int"\n'
    )
    assert location_of(key, named, key_locations(text)) == place


def test_json_has_line_and_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '\ufeffname = "Affine"\r\n[fields]\r\nw = { type = "f[n]", init = "zeross" }\r\n'
    monkeypatch.chdir(write_tree(tmp_path, {"pyproject.toml": "", "specs/affine.toml": text}))
    result = CliRunner().invoke(main, ["new-module", "--spec", "specs/affine.toml", "--json"])
    (fault,) = json.loads(result.output)["faults"]
    assert (fault["where"], fault["line"], fault["column"]) == ("specs/affine.toml: fields.w.init", 3, 22)
    result = CliRunner().invoke(main, ["new-module", "Affine", "w:f[n]=zeross", "--json"])
    (fault,) = json.loads(result.output)["faults"]
    assert (fault["where"], fault["line"], fault["column"]) == ("field `w`: init", None, None)
