"""Skeletons: the same spec from a class in Python as from TOML, and back, with nothing lost."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from scaffold import ScaffoldError, find_layout
from scaffold.beside import with_defaults
from scaffold.convert.plan import meaning
from scaffold.convert.shortened import shortened
from scaffold.convert.write_skeleton import write_skeleton
from scaffold.files.fileset import File
from scaffold.in_project.spec_files import spec_files
from scaffold.render_class import module_files
from scaffold.spec import ModuleSpec, read_spec
from scaffold.spec.files import raw_specs
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from scaffold.tidy import tidy
from tests.drawn.drafts import HELPERS
from tests.drawn.strategies import specs
from tests.drawn.tokens_of import sayable, through_tokens
from tests.support.draws import share
from tests.support.projects import EXAMPLES

CLASSES = [*sorted((Path(__file__).parents[1] / "classes/specs").glob("*.py")), EXAMPLES / "specs/so3.py"]
FILES = {path.stem: path for path in spec_files(EXAMPLES / "specs")}
METHODS: dict[str, Any] = {
    "count_of": {
        "decorator": "property",
        "returns": "int",
        "doc": "How many.",
        "comment": "# One.\n\n# Two.",
        "body": "return 3",
    },
    "made_of": {
        "decorator": "classmethod",
        "args": "z: f[n], *, go: bool = True",
        "body": "# here\nreturn z",
    },
    "__len__": {"returns": "int", "body": '"""A text, and no docstring."""\nreturn self.count_of'},
}


@cache
def tables_by_name() -> dict[str, dict[str, Any]]:
    """Tables of the examples by the names of their files, without those that are read with a whole module."""
    read = [(name, raw) for name, path in FILES.items() for raw in raw_specs(path, path.name)]
    return {name: raw.tables for name, raw in read if raw.unit is None}


@cache
def tables_with_methods() -> list[dict[str, Any]]:
    return [raw.tables for path in CLASSES for raw in raw_specs(path, path.name)]


@cache
def known_names() -> frozenset[str]:
    tables = (*tables_by_name().values(), *tables_with_methods(), *HELPERS)
    return frozenset(raw["name"] for raw in tables)


def spec_of(raw: dict[str, Any]) -> ModuleSpec:
    return read_spec(raw, "spec", is_class=known_names().__contains__)


def through_python(raw: dict[str, Any]) -> dict[str, Any]:
    """The tables of the skeleton that says what these tables say."""
    text = write_skeleton([(raw, spec_of(raw))], formatted=str)  # the formatter leaves what is read as it is
    (found,) = skeletons_of(text, "spec")
    assert found.faults == ()
    return found.tables


def through_toml(raw: dict[str, Any]) -> dict[str, Any]:
    return tomllib.loads(write_toml(shortened(raw), "./scaffold.schema.json"))


def assert_same(raw: dict[str, Any], other: dict[str, Any]) -> None:
    assert meaning(spec_of(other)) == meaning(spec_of(raw))


def emitted(raws: Sequence[dict[str, Any]], root: Path) -> tuple[File, ...]:
    layout = find_layout(root)
    found = [with_defaults(spec_of(raw), layout) for raw in raws]
    known = {spec.name: spec for spec in found}
    return tidy(file for spec in found for file in module_files(spec, layout, known))


@pytest.mark.slow
def test_the_examples_as_skeletons_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    skeletons = [through_python(raw) for raw in tables_by_name().values()]
    plain = emitted(list(tables_by_name().values()), tmp_path)
    assert emitted(skeletons, tmp_path) == plain
    assert emitted([through_toml(raw) for raw in skeletons], tmp_path) == plain


@pytest.mark.slow
def test_classes_with_methods_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    plain = emitted(tables_with_methods(), tmp_path)
    assert emitted([through_python(raw) for raw in tables_with_methods()], tmp_path) == plain
    assert emitted([through_toml(raw) for raw in tables_with_methods()], tmp_path) == plain


def as_tokens(raw: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """What the command line can say of these tables, and the tables that it gives; None where that is no spec."""
    said = sayable(raw)
    try:
        spec_of(said)
    except ScaffoldError:
        return None
    return said, through_tokens(said)


@pytest.mark.slow
def test_the_examples_as_tokens_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    built = {name: raw for name, raw in tables_by_name().items() if "values" not in raw.get("test", {})}
    found = {name: pair for name, raw in built.items() if (pair := as_tokens(raw)) is not None}
    assert len(found) > 20
    rest = [raw for name, raw in tables_by_name().items() if name not in found]
    plain = emitted([*(said for said, _ in found.values()), *rest], tmp_path)
    assert emitted([*(tokens for _, tokens in found.values()), *rest], tmp_path) == plain
    assert found["affine"][0] == tables_by_name()["affine"], "said as it is"


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=share(40))
@given(specs())
def test_any_spec_is_the_same_as_tokens(raw: dict[str, Any]) -> None:
    pair = as_tokens(raw)
    assume(pair is not None)
    assert pair is not None
    assert_same(*pair)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", FILES)
def test_an_example_goes_to_python_and_back(name: str) -> None:
    raw = tables_by_name().get(name)
    if raw is None:
        pytest.skip("the module is read whole")
    found = through_python(raw)
    assert_same(raw, found)
    assert_same(raw, through_toml(found))
    text = write_skeleton([(found, spec_of(found))], formatted=str)
    assert write_skeleton([(through_toml(found), spec_of(found))], formatted=str) == text


@pytest.mark.parametrize("doc", ['"""', 'say "x"', "a\\", '"', "x\n\ny"])
def test_a_text_that_no_docstring_can_be_is_kept(doc: str) -> None:
    raw = {**tables_by_name()["affine"], "call": {**tables_by_name()["affine"]["call"], "doc": doc}}
    assert_same(raw, through_python(raw))


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=share(40))
@given(specs())
def test_any_spec_goes_to_python_and_back(raw: dict[str, Any]) -> None:
    raw = {**raw, "methods": METHODS}
    found = through_python(raw)
    assert_same(raw, found)
    assert_same(raw, through_toml(found))
