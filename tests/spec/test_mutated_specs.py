"""Good specs with a piece changed, as text and as tables: read, or refused with places, and never an error of our own."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold.cli.failures import fault_texts
from scaffold.errors import ScaffoldError
from scaffold.spec.files import read_spec_file, read_spec_files
from tests.support.draws import share
from tests.support.projects import EXAMPLES, scaffold
from tests.support.trees import read_tree, write_tree

TEXTS = [path.read_text() for path in sorted((EXAMPLES / "specs").glob("*.toml"))]
PIECES = [
    "",
    "[",
    "]",
    "{",
    "'",
    '"',
    "\n",
    "=",
    ",",
    ".",
    "*",
    "#",
    "-1",
    "0",
    "é",
    "\x00",
    "\x1b",
    "f[",
    "self.",
    "None",
    "True",
    "9" * 400,
    "(" * 400,
]
WORDS = [
    "int",
    "f[n]",
    "class",
    "return",
    "list[",
    "Float[Array, 'n']",
    "| None",
    "=self",
    "state",
    "param",
    "key",
    "dtype",
    "nan",
]


@pytest.fixture(scope="module", name="place")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specs") / "spec.toml"


@given(st.data())
@settings(max_examples=share(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_changed_spec_is_read_or_refused(place: Path, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 12)))
        text = text[:begin] + data.draw(st.sampled_from(PIECES + WORDS)) + text[end:]
    place.write_text(text, encoding="utf-8", newline="")
    try:
        read_spec_file(place, "spec.toml")
    except ScaffoldError as error:
        assert error.exit_code == 2 and len("\n".join(fault_texts(error.faults))) < 60_000
        if _is_toml(text):
            lines = text.count("\n") + 1
            assert all(one.line is not None and 1 <= one.line <= lines for one in error.faults)


SKELETONS = [path.read_text() for path in sorted((EXAMPLES / "specs").glob("*.py"))]
PYTHON = [
    "lambda x: ",
    "**",
    "@",
    "...",
    '"""',
    "async ",
    "yield ",
    "\\",
    "/, ",
    "*rest, ",
    "class X: ...\n",
    "del ",
]


@given(st.data())
@settings(max_examples=share(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_changed_skeleton_is_read_or_refused_where_it_is_wrong(place: Path, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SKELETONS))
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 12)))
        text = text[:begin] + data.draw(st.sampled_from(PIECES + WORDS + PYTHON)) + text[end:]
    path = place.with_suffix(".py")
    path.write_text(text, encoding="utf-8", newline="")
    try:
        read_spec_files([path])
    except ScaffoldError as error:
        assert error.exit_code == 2 and len("\n".join(fault_texts(error.faults))) < 60_000
        assert all(one.line is not None for one in error.faults)


def _is_toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def test_as_processes_too(tmp_path: Path) -> None:
    deep = "x = " + "-" * 90_000 + "1\n"
    before = read_tree(
        write_tree(tmp_path, {"pyproject.toml": '[project]\nname = "held"\n', "held/__init__.py": deep})
    )
    for arguments, code, text in (
        (
            ("Affine", "w:f[out,in]"),
            2,
            "error: field `w`: type: `f[out,in]` is not a type: `in` is a keyword of Python\n",
        ),
        (("Affine", "w:f[n]", "--option", "a=" + "[" * 9000), 2, "error: --option: `a=[[["),
        (("Affine", "w:f[n]"), 1, "error: held/__init__.py: does not parse as Python: "),
    ):
        result = scaffold(tmp_path, "new-module", *arguments)
        assert (result.returncode, text in result.stderr, "Traceback" in result.stderr) == (
            code,
            True,
            False,
        ), result.stderr
        assert read_tree(tmp_path) == before
